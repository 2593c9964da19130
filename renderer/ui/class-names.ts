/** Class names of one CSS module. A name that the module does not have is a bug, and an exception. */
export function classNames(styles: Readonly<Record<string, string>>): (...names: (string | false | null)[]) => string {
  return (...names) =>
    names
      .filter((name) => name !== false && name !== null)
      .map((name) => {
        const known = styles[name];
        if (known === undefined) throw new Error(`no class "${name}" in this CSS module`);
        return known;
      })
      .join(' ');
}

/**
 * The packaged program's arguments. Job: tell the command's own arguments from Chromium's.
 * It must not run anything.
 */

/**
 * All after the first `--` is the command's, untouched; before it Chromium takes every switch for its own.
 * The wrapper `resources/bin/sallyport` always puts it there. Null when there is none.
 */
export function commandArguments(argv: readonly string[]): readonly string[] | null {
  const mark = argv.indexOf('--');
  return mark === -1 ? null : argv.slice(mark + 1);
}

/** The command's name: the first argument that is neither a global option nor its value. Undefined when there is none. */
export function commandWord(args: readonly string[]): string | undefined {
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--state-dir') index += 1;
    else if (!arg.startsWith('-')) return arg;
  }
  return undefined;
}

/**
 * Whether the program was started with something to do, though not by the wrapper. A link to open is not a
 * command, and neither is the app's folder that a bare `electron` (not packaged) takes.
 */
export function hasStrayCommand(argv: readonly string[], program: string): boolean {
  const bare = /(?:^|[/\\])electron(?:\.exe)?$/i.test(program);
  const words = argv.slice(1).filter((arg) => !arg.startsWith('-') && !arg.startsWith('sallyport:'));
  return words.length > (bare ? 1 : 0);
}

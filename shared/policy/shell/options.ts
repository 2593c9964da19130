/**
 * Options and operands of a command, split as getopt does. What every rule of this folder is made of;
 * it knows no command by name.
 */

/** One operand: its alternatives, and whether they are all there is. */
export interface Operand {
  readonly texts: readonly string[];
  readonly exact: boolean;
  /** For `<(…)`: what can be read from it. */
  readonly output?: Operand;
}

export interface Written {
  readonly paths: readonly Operand[];
  /** True when the command also writes files that its words do not name. */
  readonly computed: boolean;
  /** Shell text that the command runs (`e` in sed, `system()` in awk, `:!` in vim). */
  readonly scripts?: readonly Operand[];
}

/** What a rule may know besides the words: what is read from standard input, and values given to variables. */
export interface Surroundings {
  readonly input: Operand | null;
  readonly variables: ReadonlyMap<string, ReadonlySet<string>>;
}

export type Rule = (words: readonly Operand[], around: Surroundings) => Written;

/** Options split from operands. `values` holds the values of options that take one, by option name. */
export interface Parsed {
  readonly operands: readonly Operand[];
  readonly values: ReadonlyMap<string, readonly Operand[]>;
  readonly flags: ReadonlySet<string>;
}

export const NOTHING: Written = { paths: [], computed: false };

export function first(word: Operand): string {
  return word.texts[0] ?? '';
}

export function afterPrefix(word: Operand, length: number): Operand {
  return { texts: word.texts.map((text) => text.slice(length)), exact: word.exact };
}

/** Splits words as getopt does; `takesValue` names the options that take the next word (`-t`, `--target-directory`). */
export function splitOptions(words: readonly Operand[], takesValue: readonly string[] = []): Parsed {
  const operands: Operand[] = [];
  const values = new Map<string, Operand[]>();
  const flags = new Set<string>();
  const give = (name: string, value: Operand | undefined) => {
    if (value !== undefined) values.set(name, [...(values.get(name) ?? []), value]);
  };
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as Operand;
    const text = first(word);
    if (text === '--') return { operands: [...operands, ...words.slice(i + 1)], values, flags };
    if (!text.startsWith('-') || text === '-') operands.push(word);
    else if (text.startsWith('--')) {
      const equals = text.indexOf('=');
      const written = equals < 0 ? text : text.slice(0, equals);
      const names = fullNames(written, takesValue);
      const value = equals >= 0 ? afterPrefix(word, equals + 1) : names.length > 0 ? words[(i += 1)] : undefined;
      flags.add(written);
      for (const name of names.length > 0 ? names : [written]) {
        flags.add(name);
        give(name, value);
      }
    } else if (takesValue.includes(text)) {
      flags.add(text);
      give(text, words[(i += 1)]);
    } else {
      i += readCluster(word, words[i + 1], takesValue, flags, give);
    }
  }
  return { operands, values, flags };
}

/** A cluster of short options (`-rf`, `-tDIR`); returns how many further words it took. */
function readCluster(
  word: Operand,
  next: Operand | undefined,
  takesValue: readonly string[],
  flags: Set<string>,
  give: (name: string, value: Operand | undefined) => void,
): number {
  const text = first(word);
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text.charAt(at)}`;
    flags.add(name);
    if (!takesValue.includes(name)) continue;
    if (at + 1 < text.length) give(name, afterPrefix(word, at + 1));
    else give(name, next);
    return at + 1 < text.length ? 0 : 1;
  }
  return 0;
}

export function valuesOf(parsed: Parsed, ...names: readonly string[]): readonly Operand[] {
  return names.flatMap((name) => parsed.values.get(name) ?? []);
}

/** The long options that a word may mean: itself, or every one that it abbreviates (`--out` for `--output`). */
function fullNames(written: string, known: readonly string[]): readonly string[] {
  if (known.includes(written)) return [written];
  return written.length < 3 ? [] : known.filter((name) => name.startsWith(written));
}

/** True when one of the flags was given, a long one also abbreviated. */
export function flagged(parsed: Parsed, ...names: readonly string[]): boolean {
  return names.some((name) =>
    [...parsed.flags].some(
      (flag) => flag === name || (flag.length > 3 && flag.startsWith('--') && name.startsWith(flag)),
    ),
  );
}

export function literal(text: string): Operand {
  return { texts: [text], exact: true };
}

/** A path as seen from a folder that an option named. */
export function within(folder: Operand | undefined, path: Operand): Operand {
  if (folder === undefined) return path;
  const texts = folder.texts.flatMap((own) =>
    path.texts.map((text) => (/^[/~]/.test(text) ? text : `${own.replace(/\/+$/, '')}/${text}`)),
  );
  return { texts, exact: folder.exact && path.exact };
}

export function baseName(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? '';
}

/** Each destination itself, and what the sources would be called inside it if it is a folder. */
export function intoFolder(destination: Operand, sources: readonly Operand[]): readonly Operand[] {
  const inside = sources.flatMap((source) =>
    destination.texts.map((folder) => ({
      texts: source.texts.map((text) => `${folder.replace(/\/+$/, '')}/${baseName(text)}`),
      exact: source.exact && destination.exact,
    })),
  );
  return [destination, ...inside];
}

export function urlName(word: Operand): Operand {
  return { texts: word.texts.map((text) => baseName(text.replace(/[?#].*$/, ''))), exact: word.exact };
}

/**
 * Removes from a PATH every entry that names the handler's working directory, in any spelling: a
 * program that a repository puts into its root must not be found before the system's. Pure; the
 * platform is a parameter and real paths come from the caller.
 */
import path from 'node:path';

export type HygienePlatform = 'posix' | 'win32';

export type EntryKind =
  /** A leading, trailing or doubled separator. */
  | 'empty'
  /** `.` */
  | 'dot'
  /** A relative entry that resolves to the folder. */
  | 'relative'
  /** The folder's full path. */
  | 'full-path'
  /** Another path that is really the folder (a link, a short name). */
  | 'real-path'
  /** Windows: in quotes, or with quotes inside. */
  | 'quoted'
  /** Windows: with spaces before it. */
  | 'leading-space'
  /** Windows: `~` for a profile folder. */
  | 'tilde';

export interface HygieneInput {
  readonly path: string;
  /** Absolute. */
  readonly cwd: string;
  readonly platform: HygienePlatform;
  /** Compare without case (macOS; always so on Windows). */
  readonly ignoreCase?: boolean;
  /** The profile folder, for `~` on Windows. */
  readonly home?: string | null;
  /** The real path of an absolute path, or null when there is none. */
  readonly realPath: (absolute: string) => string | null;
}

export interface HygieneResult {
  /** Null when no entry is left: an empty PATH would mean the working directory to some programs. */
  readonly path: string | null;
  readonly removed: number;
  /** Each kind once, in the order in which they were met; never the text of an entry. */
  readonly kinds: readonly EntryKind[];
}

/** Cleans a PATH. An entry of only spaces is a folder of that name and stays; so does a relative entry that names another folder. */
export function cleanPath(input: HygieneInput): HygieneResult {
  const entries = input.platform === 'win32' ? splitWindows(input.path) : input.path.split(':');
  const folder = folderTest(input);
  const kept: string[] = [];
  const kinds: EntryKind[] = [];
  for (const entry of entries) {
    const kind = input.platform === 'win32' ? judgeWindows(entry, input, folder) : judgePosix(entry, input, folder);
    if (kind === null) kept.push(entry);
    else kinds.push(kind);
  }
  return {
    path: kept.length === 0 ? null : kept.join(input.platform === 'win32' ? ';' : ':'),
    removed: kinds.length,
    kinds: [...new Set(kinds)],
  };
}

/** How an absolute path names the working directory, or null. */
type FolderTest = (absolute: string) => 'full-path' | 'real-path' | null;

function folderTest(input: HygieneInput): FolderTest {
  const fold = (text: string) => foldPath(text, input);
  const here = fold(input.cwd);
  const real = input.realPath(input.cwd);
  const really = real === null ? here : fold(real);
  return (absolute) => {
    const full = fold(absolute);
    if (full === here) return 'full-path';
    if (full === really) return 'real-path';
    const itsReal = input.realPath(absolute);
    return itsReal !== null && [here, really].includes(fold(itsReal)) ? 'real-path' : null;
  };
}

function foldPath(text: string, { platform, ignoreCase }: HygieneInput): string {
  if (platform === 'posix') {
    const folded = path.posix.resolve('/', text);
    return ignoreCase === true ? folded.toLowerCase() : folded;
  }
  const plain = text.replaceAll('/', '\\').replace(/^\\\\[?.]\\(?:UNC\\)?/i, '');
  const parts = path.win32
    .normalize(plain)
    .split('\\')
    // Windows drops dots and spaces at the end of a name.
    .map((part) => (/^\.+$/.test(part) ? part : part.replace(/[. ]+$/, '')));
  return parts.join('\\').replace(/\\+$/, '').toLowerCase();
}

function judgePosix(entry: string, input: HygieneInput, folder: FolderTest): EntryKind | null {
  if (entry === '') return 'empty';
  if (path.posix.isAbsolute(entry)) return folder(entry);
  if (path.posix.normalize(`${entry}/`) === './') return isDot(entry) ? 'dot' : 'relative';
  // Not resolved by text alone: `link/..` is wherever the link leads.
  return folder(`${input.cwd}/${entry}`) === null ? null : 'relative';
}

function isDot(entry: string): boolean {
  return entry.split(/[/\\]/).every((part) => part === '.' || part === '');
}

function judgeWindows(entry: string, input: HygieneInput, folder: FolderTest): EntryKind | null {
  if (entry === '') return 'empty';
  if (/^ +$/.test(entry)) return null;
  // A program that splits at every semicolon sees the pieces; one that honours quotes sees the whole.
  for (const reading of entry.includes('"') ? [entry, ...entry.split(';')] : [entry]) {
    const kind = judgeReading(reading, input, folder);
    if (kind !== null) return kind;
  }
  return null;
}

function judgeReading(reading: string, input: HygieneInput, folder: FolderTest): EntryKind | null {
  const bare = reading.replaceAll('"', '');
  const trimmed = bare.replace(/^ +/, '');
  const spelled: EntryKind | null = reading !== bare ? 'quoted' : bare !== trimmed ? 'leading-space' : null;
  if (trimmed === '') return spelled === 'quoted' ? 'quoted' : null;
  const home = expandTilde(trimmed, input.home ?? null);
  if (home !== null && folder(home) !== null) return spelled ?? 'tilde';
  if (isDot(trimmed)) return spelled ?? 'dot';
  const found = folder(path.win32.resolve(input.cwd, trimmed));
  if (found === null) return null;
  return spelled ?? (path.win32.isAbsolute(trimmed) ? found : 'relative');
}

function expandTilde(entry: string, home: string | null): string | null {
  if (home === null || !/^~(?:[\\/]|$)/.test(entry)) return null;
  return `${home}\\${entry.slice(2)}`;
}

/** Splits at semicolons outside of quotes, as Windows does. */
function splitWindows(text: string): readonly string[] {
  const entries: string[] = [];
  let entry = '';
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    if (character === ';' && !quoted) {
      entries.push(entry);
      entry = '';
    } else {
      entry += character;
    }
  }
  return [...entries, entry];
}

/**
 * How a platform's file system reads a name: pure rules, so that those of Windows and macOS are
 * tested everywhere (they were not run on those platforms yet). It asks no file system.
 */

/** Characters that HFS+ leaves out when it compares names. */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Every segment of a path in which two spellings of one file are the same text. */
export function foldSegment(segment: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return foldCase(segment.replace(HFS_IGNORED, ''));
  return platform === 'win32' ? foldCase(stripWindowsTail(segment)) : segment;
}

/** Upper case first: it knows pairs that lower case does not (`ſ` and `S`). */
function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase();
}

/** Windows drops a stream (`.env::$DATA`) and trailing dots and spaces; `.` and `..` stay. */
function stripWindowsTail(segment: string): string {
  const name = segment.replace(/:.*$/s, '').replace(/[. ]+$/, '');
  return name === '' ? segment : name;
}

/** The segments of a path, without empty ones; on Windows both separators count and the drive's stays. */
export function splitPath(path: string, platform: NodeJS.Platform): readonly string[] {
  const separator = platform === 'win32' ? /[\\/]+/ : /\/+/;
  return path.split(separator).filter((segment) => segment !== '');
}

/** The 8.3 form of a protected name, for a short name that could not be expanded: `.git` is `GIT~1`. */
const SHORT_NAME = /^(env|git|ssh|creden|privat)~\d+(\.[^.]{0,3})?$/i;

/** Why a name is protected, or null. `segment` is one segment of a path as it was written. */
export function protectedName(segment: string, platform: NodeJS.Platform): string | null {
  const name = foldSegment(segment, platform);
  if (name === '.env' || name.startsWith('.env.')) return 'environment files (.env, .env.*) are protected';
  if (name === '.git') return 'everything under .git is protected';
  if (name === '.ssh') return 'everything under .ssh is protected';
  if (name.includes('credentials')) return 'names containing "credentials" are protected';
  if (name.includes('private-key')) return 'names containing "private-key" are protected';
  if (platform === 'win32' && SHORT_NAME.test(name)) return 'it looks like the short form of a protected name';
  return null;
}

/**
 * Which files a write to a path would reach: `..` folded, links followed, also when the last parts
 * do not exist yet. It looks at the file system and changes nothing; what it cannot look at is an
 * error, never a guess. The rules of Windows and macOS were not run on those platforms.
 */
import { lstat, readlink, realpath } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, ok, type Result } from '../../../../shared/result.js';
import { foldSegment, splitPath } from './path-names.js';

export interface ReachContext {
  /** Absolute path of the session's workspace. */
  readonly workspace: string;
  /** The user's home folder, for `~` and `$HOME`; null when it is not known. */
  readonly home: string | null;
  /** Defaults to this process's platform. */
  readonly platform?: NodeJS.Platform;
}

export interface Reached {
  readonly absolute: string;
  /** `/`-separated, `.` for the workspace itself; null when the file is outside the workspace. */
  readonly relativeToWorkspace: string | null;
}

/** As many links as Linux follows before it calls a path a loop. */
const MAX_LINKS = 40;

/** No system opens a longer path (in UTF-16 units, `..` folded). */
export const LONGEST_PATH = 32_768;
/** In bytes, for one name. */
const LONGEST_NAME = 255;

/**
 * Every file that a write to `path` could reach. Usually one. More where programs differ: `a/link/..`
 * is folded by some before links are followed and by others after; a last part that is a link is
 * followed by a plain write and replaced by a rename; `~` is the home folder or a name.
 */
export async function reach(path: string, context: ReachContext): Promise<Result<readonly Reached[], string>> {
  const platform = context.platform ?? process.platform;
  if (path.includes('\0')) return fail(`${JSON.stringify(path)} has a NUL character, so it names no file`);
  const workspace = await followLinks(context.workspace, platform);
  if (!workspace.ok) return workspace;
  const found = new Map<string, Reached>();
  for (const spelling of spellings(path, context, platform)) {
    if (spelling.length > LONGEST_PATH) return fail('a path is longer than any that can be opened');
    const reached = await reachSpelling(spelling, platform);
    if (!reached.ok) return fail(`cannot tell which file ${JSON.stringify(path)} reaches: ${reached.error}`);
    for (const absolute of reached.value) {
      found.set(absolute, { absolute, relativeToWorkspace: relativeTo(workspace.value, absolute, platform) });
    }
  }
  return ok([...found.values()]);
}

/** The form that filters and globs match: from the workspace's root, or absolute when outside; always with `/`. */
export function toMatchForm(reached: Reached, platform: NodeJS.Platform = process.platform): string {
  const text = reached.relativeToWorkspace ?? reached.absolute;
  return platform === 'win32' ? text.replaceAll('\\', '/') : text;
}

/** All paths in the form that filters match. A path that cannot be looked at is an error. */
export async function foldPaths(
  paths: readonly string[],
  context: ReachContext,
): Promise<Result<readonly string[], string>> {
  const folded = new Set<string>();
  for (const path of paths) {
    const reached = await reach(path, context);
    if (!reached.ok) return reached;
    for (const file of reached.value) folded.add(toMatchForm(file, context.platform));
  }
  return ok([...folded]);
}

/** The absolute paths that a written path may stand for, before links are followed. */
function spellings(path: string, context: ReachContext, platform: NodeJS.Platform): readonly string[] {
  const lexical = platform === 'win32' ? win32 : posix;
  const written = [path];
  const home = context.home === null ? null : expandHome(path, context.home);
  if (home !== null) written.push(home);
  const fromUrl = path.startsWith('file:') ? pathOfUrl(path) : null;
  if (fromUrl !== null) written.push(fromUrl);
  return [
    ...new Set(
      written.flatMap((text) => {
        const folded = lexical.resolve(context.workspace, text);
        // Joined without folding, for programs that leave `..` to the file system, if it takes such a length.
        const plain = lexical.isAbsolute(text) ? text : `${context.workspace}/${text}`;
        return text.includes('..') && plain.length <= LONGEST_PATH ? [folded, plain] : [folded];
      }),
    ),
  ];
}

/** `~`, `~/x`, `$HOME/x` and `${HOME}/x` with the home folder put in; null for any other path. */
export function expandHome(path: string, home: string): string | null {
  const match = /^(?:~|\$HOME|\$\{HOME\})(?=$|[\\/])/.exec(path);
  return match === null ? null : home + path.slice(match[0].length);
}

function pathOfUrl(url: string): string | null {
  try {
    return fileURLToPath(url);
  } catch {
    // Not a URL of a local file: it then stands for the name that it spells.
    return null;
  }
}

async function reachSpelling(path: string, platform: NodeJS.Platform): Promise<Result<readonly string[], string>> {
  const through = await followLinks(path, platform);
  if (!through.ok) return through;
  const segments = splitPath(path, platform);
  const last = segments.at(-1);
  if (last === undefined || last === '..' || last === '.') return ok([through.value]);
  const parent = await followLinks(path.slice(0, path.lastIndexOf(last)), platform);
  if (!parent.ok) return parent;
  // A rename replaces the entry itself, wherever the link in its place points to.
  const entry = join(parent.value, last, platform);
  return ok(entry === through.value ? [entry] : [through.value, entry]);
}

/** Follows every link of an absolute path as the system would; parts that do not exist are kept as they are. */
async function followLinks(path: string, platform: NodeJS.Platform): Promise<Result<string, string>> {
  if (platform === 'win32') return followOnWindows(path);
  const pending = [...splitPath(path, platform)].reverse();
  let resolved = '/';
  let links = 0;
  // Below a part that is missing there is nothing to look at, until `..` leads back above it.
  let missingFrom = Infinity;
  for (let segment = pending.pop(); segment !== undefined; segment = pending.pop()) {
    if (segment === '.') continue;
    if (segment === '..') {
      resolved = posix.dirname(resolved);
      continue;
    }
    const next = join(resolved, segment, platform);
    if (resolved.length < missingFrom) missingFrom = Infinity;
    const target = missingFrom === Infinity ? await linkTarget(next) : ok('missing' as const);
    if (!target.ok) return target;
    if (target.value === 'missing' && missingFrom === Infinity) missingFrom = next.length;
    if (typeof target.value === 'string') {
      resolved = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return fail(`more than ${MAX_LINKS} links (a loop?) at ${JSON.stringify(next)}`);
    if (posix.isAbsolute(target.value.pointsTo)) resolved = '/';
    pending.push(...[...splitPath(target.value.pointsTo, platform)].reverse());
  }
  return ok(resolved);
}

function join(folder: string, name: string, platform: NodeJS.Platform): string {
  return (platform === 'win32' ? win32 : posix).join(folder, name);
}

/** What stands at a path: a link and where it points to, something else, or nothing. */
async function linkTarget(path: string): Promise<Result<{ readonly pointsTo: string } | 'other' | 'missing', string>> {
  try {
    const stats = await lstat(path);
    return ok(stats.isSymbolicLink() ? { pointsTo: await readlink(path) } : 'other');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    // Below something that is missing or is no folder, and under a name too long to exist, there are no links.
    const noSuchName = code === 'ENAMETOOLONG' && Buffer.byteLength(posix.basename(path)) > LONGEST_NAME;
    if (code === 'ENOENT' || code === 'ENOTDIR' || noSuchName) return ok('missing');
    return fail(`${JSON.stringify(path)} cannot be looked at (${code})`);
  }
}

/**
 * Windows: the longest part that exists is resolved by the system, which also expands 8.3 names and
 * junctions; the rest is kept. Not run on that platform.
 */
async function followOnWindows(path: string): Promise<Result<string, string>> {
  let existing = win32.resolve(path);
  const missing: string[] = [];
  for (;;) {
    try {
      return ok(win32.join(await realpath(existing), ...missing));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR')
        return fail(`${JSON.stringify(existing)} cannot be looked at (${code})`);
    }
    const parent = win32.dirname(existing);
    if (parent === existing) return ok(win32.join(existing, ...missing));
    missing.unshift(win32.basename(existing));
    existing = parent;
  }
}

/** The path from the workspace's root, or null when it is outside. Pure. */
export function relativeTo(workspace: string, absolute: string, platform: NodeJS.Platform): string | null {
  const root = splitPath(workspace, platform);
  const segments = splitPath(absolute, platform);
  const inside = root.every((segment, place) => {
    const other = segments[place];
    return other !== undefined && foldSegment(segment, platform) === foldSegment(other, platform);
  });
  if (!inside) return null;
  return segments.slice(root.length).join('/') || '.';
}

/** Lists files for the exit scan, without following a link, and tells which of a workspace changed. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { codeOf, readForScan } from './read-file.js';
import type { BeforeRoot, ListedFile, Listing, Root, Target } from './protocol.js';

/** Most files of one place. */
const MOST_FILES = 200_000;
/** Of these only the list is kept: what is in them is others' work, or packed. */
const LISTED_ONLY = /(?:^|\/)(?:node_modules|\.git)\//;

type See = (path: string, stat: Stats) => void;

/** Every plain file below a path (or the file itself), in a fixed order; what hindered is in words. */
function walk(root: string, without: readonly string[], see: See): readonly string[] {
  const problems: string[] = [];
  const left = new Set(without);
  let count = 0;
  const visit = (path: string): void => {
    if (left.has(path) || count > MOST_FILES) return;
    let stat: Stats;
    try {
      stat = lstatSync(path);
      if (stat.isDirectory()) {
        for (const name of readdirSync(path).sort()) visit(join(path, name));
        return;
      }
    } catch (error) {
      // Gone between two looks: nothing is there to be found.
      if (codeOf(error) !== 'ENOENT') problems.push(`${path} cannot be read (${codeOf(error)})`);
      return;
    }
    if (!stat.isFile()) return;
    count += 1;
    if (count > MOST_FILES) problems.push(`${root} holds more than ${MOST_FILES} files; the rest was not looked at`);
    else see(path, stat);
  };
  visit(root);
  return problems;
}

/** How some places stand before a run. `secretsIn` gives the fingerprints of the secrets in a file of that size at most. */
export function listBefore(
  roots: readonly BeforeRoot[],
  content: { readonly bytes: number; readonly timeMs: number },
  secretsIn: (path: string, most: number) => readonly string[],
): Listing {
  const files = new Map<string, ListedFile>();
  const until = Date.now() + content.timeMs;
  let bytes = content.bytes;
  const problems = roots.flatMap((root) =>
    walk(root.path, root.without, (path, stat) => {
      const name = below(root.path, path);
      if (root.within !== null && !root.within.test(name)) return;
      const { size, mtimeMs, ctimeMs, ino } = stat;
      const wanted = size <= root.mostContent && size <= bytes && Date.now() < until && !LISTED_ONLY.test(name);
      if (wanted) bytes -= size;
      const digest = wanted ? digestOf(path, root.mostContent) : null;
      const held = digest === null ? null : { digest, secrets: secretsIn(path, root.mostContent) };
      files.set(path, { size, mtimeMs, ctimeMs, ino, content: held });
    }),
  );
  return { files, problems };
}

/** The files to look at below some roots, each once, the first root's part counting. */
export function listTargets(roots: readonly Root[]): {
  readonly targets: readonly Target[];
  readonly problems: readonly string[];
} {
  const targets = new Map<string, Target>();
  const problems: string[] = [];
  for (const root of roots) {
    let found = 0;
    const { part, before } = root;
    const hindered = walk(root.path, root.without, (path, stat) => {
      if (root.within !== null && !root.within.test(below(root.path, path))) return;
      found += 1;
      if (targets.has(path)) return;
      const was = before === null ? 'new' : stateBefore(before.files, path, stat);
      if (was !== 'unchanged') targets.set(path, { part, path, before: was });
    });
    problems.push(...hindered, ...(before?.problems ?? []));
    if (found === 0 && root.missing !== null) problems.push(root.missing);
  }
  return { targets: [...targets.values()], problems };
}

function below(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}

function stateBefore(files: Listing['files'], path: string, now: Stats): Target['before'] | 'unchanged' {
  const was = files.get(path);
  // The time of the last change cannot be set back by who merely owns the file.
  const same =
    was !== undefined &&
    was.size === now.size &&
    was.mtimeMs === now.mtimeMs &&
    was.ctimeMs === now.ctimeMs &&
    was.ino === now.ino;
  if (same) return 'unchanged';
  if (was?.content && digestOf(path, was.size + 1) === was.content.digest) return 'unchanged';
  const family = familyOf(path).flatMap((one) => files.get(one) ?? []);
  if (family.length === 0) return 'new';
  if (family.some((one) => one.content === null)) return 'unknown';
  return family.flatMap((one) => one.content?.secrets ?? []);
}

/**
 * The file and, for a SQLite database or one of its logs, the others of the same database: what stood in the log
 * is moved into the database, and back, whenever a process opens or leaves it, at a time that nobody chooses.
 */
function familyOf(path: string): readonly string[] {
  const database = path.replace(/-(?:wal|journal)$/, '');
  return [database, `${database}-wal`, `${database}-journal`];
}

/** Null for a file that is larger than so many bytes, or cannot be read. */
function digestOf(path: string, most: number): string | null {
  const read = readForScan(path, most);
  if (!read.ok || read.value.digestOf === null) return null;
  return createHash('sha256').update(read.value.digestOf).digest('hex');
}

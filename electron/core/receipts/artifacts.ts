/** The files of a run that its receipt vouches for, by SHA-256. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Subject } from '../../../shared/contracts/receipt-statement.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { sha256OfFile } from '../approvals/digests.js';

/** What every run writes. Not `run.json`, which names the digest of the receipt itself. */
const ALWAYS = ['events.jsonl', 'traces.jsonl', 'stdout.log', 'stderr.log'] as const;
/** What a run may have beside them. */
const PERHAPS = ['findings.json'] as const;

export interface FoundArtifacts {
  readonly subjects: readonly Subject[];
  /** Names of files that every run writes, and that are gone: somebody removed them. */
  readonly gone: readonly string[];
}

/** Digests of those that are there; an error where one cannot be read, since a receipt without it would say too little. */
export async function artifactSubjects(folder: string): Promise<Result<FoundArtifacts, string>> {
  const subjects: Subject[] = [];
  const gone: string[] = [];
  for (const name of [...ALWAYS, ...PERHAPS]) {
    const found = await digestOf(join(folder, name));
    if (!found.ok) return found;
    if (found.value !== null) subjects.push({ name, digest: { sha256: found.value } });
    else if (ALWAYS.some((one) => one === name)) gone.push(name);
  }
  return ok({ subjects, gone });
}

export interface ArtifactFault {
  readonly name: string;
  readonly what: 'differs' | 'missing' | 'unreadable';
  /** In words. */
  readonly text: string;
}

/** Compares files with what a receipt says of them. */
export async function compareArtifacts(
  folder: string,
  subjects: readonly Subject[],
): Promise<readonly ArtifactFault[]> {
  const faults: ArtifactFault[] = [];
  for (const { name, digest } of subjects) {
    // A name is a file of this folder and nothing else, whoever wrote the receipt.
    if (!/^[\w.-]+$/.test(name) || name.startsWith('.')) {
      faults.push({ name, what: 'unreadable', text: `${JSON.stringify(name)} is no name of an artifact` });
      continue;
    }
    const found = await digestOf(join(folder, name));
    if (!found.ok) faults.push({ name, what: 'unreadable', text: `artifact ${name} cannot be read: ${found.error}` });
    else if (found.value === null) faults.push({ name, what: 'missing', text: `artifact ${name} is missing` });
    else if (found.value !== digest.sha256) faults.push({ name, what: 'differs', text: `artifact ${name} differs` });
  }
  return faults;
}

/** Hex; null where there is no such file. A link in its place counts as unreadable: it leads somewhere else. */
async function digestOf(path: string): Promise<Result<string | null, string>> {
  try {
    if ((await lstat(path)).isSymbolicLink()) return fail(`${JSON.stringify(path)} is a link`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ok(null);
    return fail(error instanceof Error ? error.message : String(error));
  }
  const digest = await sha256OfFile(path);
  return digest.ok ? ok(digest.value.digest.replace(/^sha256:/, '')) : fail(digest.error.text);
}

/**
 * What about a program belongs into an approval: the file, what interprets it, and its bytes when
 * somebody other than the system's owner could change them. Looks at files; starts nothing.
 */
import { constants } from 'node:fs';
import { access, open } from 'node:fs/promises';
import path from 'node:path';
import { fail, ok, type Result } from '../../../shared/result.js';
import { resolveProgram, type ResolvedProgram } from '../spawn/programs.js';
import { sha256OfFile } from './digests.js';

export interface ProgramFacts extends ResolvedProgram {
  /** Digest of the file when it is pinned, else null. */
  readonly digest: string | null;
}

export interface PinRule {
  /** Pinned because the hook says so. */
  readonly always: boolean;
  /** Real path of the workspace: what lies in it is always pinned. */
  readonly workspace: string;
}

/** The program with its digest where the rule, or write access to it, asks for one. */
export async function programFacts(program: ResolvedProgram, rule: PinRule): Promise<Result<ProgramFacts, string>> {
  const pinned = rule.always || isInside(program.real, rule.workspace) || (await canBeReplaced(program.real));
  if (!pinned) return ok({ ...program, digest: null });
  const digest = await sha256OfFile(program.real);
  return digest.ok ? ok({ ...program, digest: digest.value.digest }) : fail(digest.error.text);
}

/** Whether a path is the folder or lies in it; both are real paths. */
export function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** The file itself, or any folder above it, may be written by this user (always so for root). */
async function canBeReplaced(file: string): Promise<boolean> {
  for (let at = file; ; at = path.dirname(at)) {
    const writable = await access(at, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (writable) return true;
    if (path.dirname(at) === at) return false;
  }
}

/**
 * The interpreter that the first line of a script names, found as the system (or `env`) would find
 * it; null for a program that is no script. An interpreter that is not there is an error.
 */
export async function interpreterOf(
  program: string,
  searchPath: string,
  cwd: string,
): Promise<Result<ResolvedProgram | null, string>> {
  const line = await firstLine(program);
  if (!line.ok) return line;
  if (!line.value.startsWith('#!')) return ok(null);
  const words = line.value
    .slice(2)
    .trim()
    .split(/[ \t]+/);
  const [direct = ''] = words;
  const name = path.basename(direct) === 'env' ? (words.slice(1).find(isProgramWord) ?? direct) : direct;
  if (name === '') return fail(`the first line of ${JSON.stringify(program)} names no interpreter`);
  const found = await resolveProgram(name, searchPath, cwd);
  return found.ok ? found : fail(`the interpreter of ${JSON.stringify(program)} is missing: ${found.error.text}`);
}

/** Of the words after `env`: neither an option nor an assignment. */
function isProgramWord(word: string): boolean {
  return !word.startsWith('-') && !word.includes('=');
}

/** As much of the first line as the system looks at. */
async function firstLine(file: string): Promise<Result<string, string>> {
  try {
    const handle = await open(file, 'r');
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(256), 0, 256, 0);
      return ok(buffer.subarray(0, bytesRead).toString('latin1').split('\n')[0] ?? '');
    } finally {
      await handle.close();
    }
  } catch {
    // A program may be runnable and not readable; then it is no script, since scripts must be read.
    return ok('');
  }
}

/**
 * Finds the file that a program name means. Looks at files only; starts nothing.
 */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fail, ok, type Result } from '../../../shared/result.js';

export interface ResolvedProgram {
  /** Absolute path as it was found; what the program is told as its own name. */
  readonly found: string;
  /** The file behind all links; what is started. */
  readonly real: string;
}

export interface ProgramError {
  readonly code: 'missing' | 'not-executable';
  readonly text: string;
}

type Look = ResolvedProgram | 'missing' | 'not-executable';

/**
 * Resolves a program as a launch would: a name with a separator from `cwd`, a bare name on
 * `searchPath` (relative entries count from `cwd`; empty ones are never searched). An executable
 * regular file wins; entries before it that cannot be executed are passed over.
 */
export async function resolveProgram(
  name: string,
  searchPath: string,
  cwd: string,
): Promise<Result<ResolvedProgram, ProgramError>> {
  const candidates = hasSeparator(name)
    ? [path.resolve(cwd, name)]
    : searchPath
        .split(path.delimiter)
        .filter((entry) => entry !== '')
        .map((entry) => path.resolve(cwd, entry, name));
  let blocked: string | null = null;
  for (const candidate of candidates.flatMap(withExtensions)) {
    const look = await lookAt(candidate);
    if (typeof look === 'object') return ok(look);
    if (look === 'not-executable') blocked ??= candidate;
  }
  if (blocked !== null) {
    return fail({ code: 'not-executable', text: `${JSON.stringify(blocked)} is not an executable file` });
  }
  const where = hasSeparator(name) ? 'there is no such file' : 'it is not in any folder of PATH';
  return fail({ code: 'missing', text: `the program ${JSON.stringify(name)} was not found: ${where}` });
}

function hasSeparator(name: string): boolean {
  return name.includes('/') || (process.platform === 'win32' && /[\\:]/.test(name));
}

/** Windows tries the known extensions (not run on Windows yet). */
function withExtensions(candidate: string): readonly string[] {
  if (process.platform !== 'win32' || path.extname(candidate) !== '') return [candidate];
  const extensions = (process.env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';');
  return extensions.map((extension) => candidate + extension);
}

async function lookAt(candidate: string): Promise<Look> {
  try {
    if (!(await stat(candidate)).isFile()) return 'not-executable';
  } catch {
    return 'missing';
  }
  try {
    await access(candidate, constants.X_OK);
    return { found: candidate, real: await realpath(candidate) };
  } catch {
    return 'not-executable';
  }
}

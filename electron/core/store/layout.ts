/**
 * store: what is kept on disk, and in which form. The run folders are the truth; the index can be
 * built again from them. This room loses nothing silently and repairs nothing silently, and it
 * knows no policy.
 */
import { constants } from 'node:fs';
import { access, link, lstat, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { z } from 'zod';
import { isId, newId } from '../../../shared/ids.js';
import { fail, ok, type Result } from '../../../shared/result.js';

/** Layout of the state folder that this version reads and writes. */
export const LAYOUT_VERSION = 1;

/** The state folder and the places in it. */
export interface StateFolder {
  readonly dir: string;
  /** Names this installation in shared places such as the keychain. */
  readonly id: string;
  readonly runsDir: string;
  readonly binDir: string;
  readonly profilesDir: string;
  readonly indexFile: string;
}

export interface StateError {
  readonly code: 'newer' | 'unusable' | 'unsafe';
  /** What happened, what it means, what to do. */
  readonly text: string;
}

const layoutSchema = z.object({ version: z.int(), id: z.string() });

/** Where the state folder lies: the argument, `SALLYPORT_HOME`, else the platform's data folder. */
export function stateFolderPath(given: string | null, env: Readonly<Record<string, string | undefined>>): string {
  const named = given ?? env['SALLYPORT_HOME'] ?? '';
  if (named !== '') return resolve(named);
  const base = env['XDG_DATA_HOME'];
  return base !== undefined && isAbsolute(base) ? join(base, 'sallyport') : envPaths('sallyport', { suffix: '' }).data;
}

/** Opens the state folder, or makes it (0700). A folder of a newer version is refused, never changed. */
export async function openState(dir: string): Promise<Result<StateFolder, StateError>> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const unsafe = await findUnsafe(dir);
    if (unsafe !== null) return fail({ code: 'unsafe', text: unsafe });
    const layout = await readOrMakeLayout(dir);
    if (!layout.ok) return layout;
    const state = placesOf(dir, layout.value);
    for (const folder of [state.runsDir, state.binDir, state.profilesDir, join(dir, 'hooks', 'profiles')]) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    }
    await access(state.runsDir, constants.W_OK);
    return ok(state);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return fail({
      code: 'unusable',
      text: `The state folder ${dir} cannot be used (${what}). Nothing was started. Free the path, mend its permissions, or name another folder with --state-dir or SALLYPORT_HOME.`,
    });
  }
}

function placesOf(dir: string, id: string): StateFolder {
  return {
    dir,
    id,
    runsDir: join(dir, 'runs'),
    binDir: join(dir, 'bin'),
    profilesDir: join(dir, 'profiles'),
    indexFile: join(dir, 'index.sqlite'),
  };
}

/** Others must not be able to put files in: what stands there is policy and launchers. */
async function findUnsafe(dir: string): Promise<string | null> {
  if (process.platform === 'win32') return null;
  const entry = await stat(dir);
  const uid = process.getuid?.() ?? entry.uid;
  if (entry.uid !== uid)
    return `The state folder ${dir} belongs to another user. Name a folder of your own with --state-dir or SALLYPORT_HOME.`;
  if ((entry.mode & 0o022) !== 0)
    return `Others may write into the state folder ${dir}. Close it (chmod 700) and start again.`;
  return null;
}

async function readOrMakeLayout(dir: string): Promise<Result<string, StateError>> {
  const file = join(dir, 'layout.json');
  if (await isAbsent(file)) await makeLayout(dir, file);
  const parsed = layoutSchema.safeParse(parseJson(await readFile(file, 'utf8')));
  if (!parsed.success || !isId('state', parsed.data.id)) {
    return fail({
      code: 'unusable',
      text: `${file} is damaged, so it is not known what the state folder holds. Nothing was changed. Restore the file from a backup, or move the whole folder away to begin anew.`,
    });
  }
  if (parsed.data.version > LAYOUT_VERSION) {
    return fail({
      code: 'newer',
      text: `The state folder ${dir} was written by a newer Sallyport (layout ${parsed.data.version}, this one knows ${LAYOUT_VERSION}). Nothing was changed. Use the newer version, or name another folder with --state-dir.`,
    });
  }
  return ok(parsed.data.id);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function isAbsent(file: string): Promise<boolean> {
  return lstat(file).then(
    () => false,
    () => true,
  );
}

/** A link is made only where nothing stands, so of two processes that begin at once one wins and both read the same id. */
async function makeLayout(dir: string, file: string): Promise<void> {
  const draft = join(dir, `.layout.${newId('state')}.tmp`);
  await writeFile(draft, `${JSON.stringify({ version: LAYOUT_VERSION, id: newId('state') })}\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  try {
    await link(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * store: what is kept on disk, and in which form. The run folders are the truth; the index can be
 * built again from them. This room loses nothing silently and repairs nothing silently, and it
 * knows no policy.
 */
import { constants } from 'node:fs';
import { access, link, lstat, mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve, parse } from 'node:path';
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
  /** `global.json` and `profiles/<name>.json`. */
  readonly hooksDir: string;
  readonly locksDir: string;
  /** What Electron keeps (its userData). */
  readonly appDir: string;
  readonly indexFile: string;
}

export interface StateError {
  readonly code: 'newer' | 'unusable' | 'unsafe';
  /** What happened, what it means, what to do. */
  readonly text: string;
}

const layoutSchema = z.strictObject({ version: z.literal(LAYOUT_VERSION), id: z.string() });
/** All that is asked of a newer layout. */
const anyLayoutSchema = z.object({ version: z.int().min(1) });

/** Where the state folder lies: the argument, `SALLYPORT_HOME`, else the platform's data folder. */
export function stateFolderPath(given: string | null, env: Readonly<Record<string, string | undefined>>): string {
  const named = given ?? env['SALLYPORT_HOME'] ?? '';
  if (named !== '') return resolve(named);
  const base = env['XDG_DATA_HOME'];
  if (base !== undefined && isAbsolute(base)) return join(base, 'sallyport');
  const { data } = envPaths('sallyport', { suffix: '' });
  // An empty HOME would put the state into the folder we stand in, which may be a repository's.
  return isAbsolute(data) ? data : join(userInfo().homedir, '.local', 'share', 'sallyport');
}

/** Opens the state folder, or makes it (0700). A folder of a newer version is refused, never changed. */
export async function openState(dir: string): Promise<Result<StateFolder, StateError>> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const unsafe = await findUnsafe(await realpath(dir));
    if (unsafe !== null) return fail({ code: 'unsafe', text: unsafe });
    const layout = await readOrMakeLayout(dir);
    if (!layout.ok) return layout;
    const state = placesOf(dir, layout.value);
    const folders = [state.runsDir, state.binDir, state.profilesDir, join(state.hooksDir, 'profiles'), state.locksDir];
    for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
    // Asked of the folder itself: a folder that is only read lets its old subfolders be "made" again.
    for (const folder of [dir, ...folders]) await access(folder, constants.W_OK | constants.X_OK);
    return ok(state);
  } catch (error) {
    return fail({
      code: 'unusable',
      text: `The state folder ${dir} cannot be used: ${whatFailed(error)}. Nothing was started. ${remedyOf(error)}, or name another folder with --state-dir or SALLYPORT_HOME.`,
    });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function whatFailed(error: unknown): string {
  const path = error instanceof Error && 'path' in error ? String(error.path) : '';
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `${path} may not be read or written by this user`;
    case 'EROFS':
      return `${path} lies on a file system that cannot be written`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `${path} is, or lies below, something that is not a folder`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `there is no space left for ${path}`;
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

function remedyOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'Make it yours (chown, chmod u+rwX)';
    case 'EROFS':
      return 'Make the file system writable';
    case 'EEXIST':
    case 'ENOTDIR':
      return 'Move what stands there away';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Free some space';
    default:
      return 'Mend that';
  }
}

function placesOf(dir: string, id: string): StateFolder {
  return {
    dir,
    id,
    runsDir: join(dir, 'runs'),
    binDir: join(dir, 'bin'),
    profilesDir: join(dir, 'profiles'),
    hooksDir: join(dir, 'hooks'),
    locksDir: join(dir, 'locks'),
    appDir: join(dir, 'app'),
    indexFile: join(dir, 'index.sqlite'),
  };
}

/**
 * Others must be able neither to put files in (what stands there is policy and launchers) nor to put
 * another folder in its place. `real` has no links left, so its parents are the ones that count.
 */
async function findUnsafe(real: string): Promise<string | null> {
  if (process.platform === 'win32') return null;
  const uid = process.getuid?.() ?? 0;
  const entry = await stat(real);
  if (entry.uid !== uid)
    return `The state folder ${real} belongs to another user (uid ${entry.uid}). Name a folder of your own with --state-dir or SALLYPORT_HOME.`;
  if ((entry.mode & 0o022) !== 0)
    return `Others may write into the state folder ${real}. Close it (chmod 700 ${real}), look at what is in it, and start again.`;
  // Whoever owns the root folder is the administrator, also in a user namespace where that is not uid 0.
  const administrator = (await stat(parse(real).root)).uid;
  for (let child = real, parent = dirname(real); parent !== child; child = parent, parent = dirname(parent)) {
    const above = await stat(parent);
    const sticky = (above.mode & 0o1000) !== 0;
    if ((above.mode & 0o002) !== 0 && !sticky)
      return `Everybody may write into ${parent}, so anybody could put another folder in the place of ${child}. Close it (chmod o-w ${parent}), or name another folder with --state-dir or SALLYPORT_HOME.`;
    if (above.uid !== uid && above.uid !== 0 && above.uid !== administrator)
      return `${parent} belongs to another user (uid ${above.uid}), who could put another folder in the place of ${child}. Name a folder below one of your own with --state-dir or SALLYPORT_HOME.`;
  }
  return null;
}

async function readOrMakeLayout(dir: string): Promise<Result<string, StateError>> {
  const file = join(dir, 'layout.json');
  if (await isAbsent(file)) await makeLayout(dir, file);
  const json = parseJson(await readFile(file, 'utf8'));
  const any = anyLayoutSchema.safeParse(json);
  if (any.success && any.data.version > LAYOUT_VERSION) {
    return fail({
      code: 'newer',
      text: `The state folder ${dir} was written by a newer Sallyport (layout ${any.data.version}, this one knows ${LAYOUT_VERSION}). Nothing was changed. Use the newer version, or name another folder with --state-dir or SALLYPORT_HOME.`,
    });
  }
  const parsed = layoutSchema.safeParse(json);
  if (parsed.success && isId('state', parsed.data.id)) return ok(parsed.data.id);
  return fail({
    code: 'unusable',
    text: `${file} is damaged, so it is not known what the state folder holds. Nothing was changed. Restore the file from a backup, or move the whole folder away to begin anew.`,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Only "there is none" counts as absent: what cannot be looked at must not be made anew. */
async function isAbsent(file: string): Promise<boolean> {
  return lstat(file).then(
    () => false,
    (error: unknown) => (codeOf(error) === 'ENOENT' ? true : Promise.reject(error as Error)),
  );
}

/** A link is made only where nothing stands, so of two processes that begin at once one wins and both read the same id. */
async function makeLayout(dir: string, file: string): Promise<void> {
  const draft = join(dir, `.layout.${newId('state')}.tmp`);
  await writeFile(draft, `${JSON.stringify({ version: LAYOUT_VERSION, id: newId('state') })}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
  try {
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

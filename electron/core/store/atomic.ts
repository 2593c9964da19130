import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file whole or not at all: a new file in the same folder with exactly `mode`, flushed, renamed
 * over the old one, and the folder flushed. A link in the file's place is replaced, never followed.
 * Throws what the system says (disk full, read-only); the file is then the old one or the new one.
 *
 * Own code, since write-file-atomic 6 follows a link in the file's place and does not flush the folder.
 */
export async function writeAtomic(
  path: string,
  data: string | Uint8Array,
  options: { readonly mode: number },
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', options.mode);
    try {
      await file.writeFile(data);
      // The mode of `open` is cut by the umask.
      await file.chmod(options.mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot flush a folder.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems cannot flush a folder; the rename itself has happened.
    if (!isUnsupported(error)) throw error;
  } finally {
    await handle.close();
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EINVAL' || error.code === 'ENOTSUP');
}

/** Opens files that others may have put something else in the place of: a link leads elsewhere, a pipe would hold us for ever. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** Larger is no receipt, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Null where there is none. Throws, in words, for what is no plain file or cannot be opened. */
export async function openPlain(path: string, flags: number): Promise<FileHandle | null> {
  let file: FileHandle;
  try {
    file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP') throw new Error(`${path} is a link, not a plain file`, { cause: error });
    throw error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is not a plain file`);
}

/** The text of one receipt; null where there is none. Throws, in words, like `openPlain`, and for one that is too large. */
export async function readPlainFile(path: string): Promise<string | null> {
  const file = await openPlain(path, constants.O_RDONLY);
  if (file === null) return null;
  try {
    if ((await file.stat()).size > MOST_BYTES) throw new Error(`${path} is too large to be a receipt`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

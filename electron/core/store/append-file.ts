import { open, type FileHandle } from 'node:fs/promises';

/** A file that only grows, written in order; a fault is kept and told once, never thrown at a caller who waits for nothing. */
export interface AppendFile {
  /** Queues bytes; settles when they are written (await it for back-pressure). */
  readonly append: (data: Uint8Array | string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens (makes, 0600) a file for appending. */
export async function openAppendFile(path: string, onFault: (what: string) => void): Promise<AppendFile> {
  const handle: FileHandle = await open(path, 'a', 0o600);
  let queue: Promise<void> = Promise.resolve();
  let broken = false;
  const write = async (data: Uint8Array | string) => {
    if (broken) return;
    try {
      await handle.appendFile(data);
    } catch (error) {
      broken = true;
      onFault(`${path} could not be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return {
    append: (data) => {
      queue = queue.then(() => write(data));
      return queue;
    },
    close: async () => {
      await queue;
      await handle.close();
    },
  };
}

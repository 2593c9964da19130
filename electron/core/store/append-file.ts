import { open } from 'node:fs/promises';

/** A file that only grows, written in order; a fault is kept and told once, never thrown at a caller who waits for nothing. */
export interface AppendFile {
  /** Takes the bytes (do not change them afterwards); settles when there is room for more. Await it where a source can be slowed. */
  readonly append: (data: Uint8Array | string) => Promise<void>;
  /** Settles when all that was handed in so far was written (or could not be). */
  readonly settled: () => Promise<void>;
  /** Writes what waits, flushes and closes. */
  readonly close: () => Promise<void>;
}

/** Bytes that may wait to be written before `append` makes its caller wait. */
const ROOM = 1_048_576;

/**
 * Opens (makes, 0600) a file for appending; throws when it cannot be opened. After a fault nothing more
 * is written to it: a file with a hole in the middle would tell something else than what happened.
 */
export async function openAppendFile(path: string, onFault: (what: string) => void): Promise<AppendFile> {
  const handle = await open(path, 'a', 0o600);
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let broken = false;
  let pump: Promise<void> | null = null;

  const attempt = async (act: () => Promise<unknown>) => {
    try {
      await act();
    } catch (error) {
      if (broken) return;
      broken = true;
      onFault(`${path} could not be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const drain = async () => {
    while (waiting.length > 0) {
      const batch = Buffer.concat(waiting);
      waiting = [];
      if (!broken) await attempt(() => handle.appendFile(batch));
      bytes -= batch.length;
    }
    pump = null;
  };
  return {
    append: async (data) => {
      if (broken) return;
      const chunk = typeof data === 'string' ? Buffer.from(data) : data;
      waiting.push(chunk);
      bytes += chunk.length;
      pump ??= drain();
      if (bytes > ROOM) await pump;
    },
    settled: async () => {
      await pump;
    },
    close: async () => {
      await pump;
      if (!broken) await attempt(() => handle.datasync().catch(ignoreUnsupported));
      await attempt(() => handle.close());
    },
  };
}

/** What cannot be flushed (a pipe, some file systems) is written all the same. */
function ignoreUnsupported(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && (error.code === 'EINVAL' || error.code === 'ENOTSUP')))
    throw error;
}

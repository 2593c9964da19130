/** Folders of a test's own, and how they go. */
import { rmSync } from 'node:fs';

/** Milliseconds in which whoever still writes into a folder has to be gone. */
const GONE_MS = 20_000;

/**
 * Removes a folder into which a process that is just ending may still write: Chromium's helpers outlive a killed
 * app for a moment, and `rmSync` with its own `maxRetries` gives up at the first file that appears meanwhile.
 */
export function removeFolder(path: string): void {
  for (const end = Date.now() + GONE_MS; ;) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : '';
      if ((code !== 'ENOTEMPTY' && code !== 'EBUSY') || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}

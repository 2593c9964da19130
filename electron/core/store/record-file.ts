import type { RunRecord } from '../../../shared/contracts/run.js';
import { writeAtomic } from './atomic.js';

/** A record that is kept on disk while it changes. */
export interface RecordFile {
  /** Settles when this record, or a later one that replaced it, is on disk (or could not be written). */
  readonly save: (record: RunRecord) => Promise<void>;
  readonly settled: () => Promise<void>;
}

/** Of records that come while one is being written only the last is written. A fault is told once and never thrown. */
export function openRecordFile(path: string, onFault: (what: string) => void): RecordFile {
  let next: RunRecord | null = null;
  let writing: Promise<void> | null = null;
  let told = false;
  const write = async () => {
    while (next !== null) {
      const text = `${JSON.stringify(next, null, 2)}\n`;
      next = null;
      try {
        await writeAtomic(path, text, { mode: 0o600 });
      } catch (error) {
        if (!told) onFault(`${path} could not be written: ${error instanceof Error ? error.message : String(error)}`);
        told = true;
      }
    }
    writing = null;
  };
  return {
    save: (record) => {
      next = record;
      writing ??= write();
      return writing;
    },
    settled: async () => {
      await writing;
    },
  };
}

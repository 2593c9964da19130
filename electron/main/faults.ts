/**
 * What goes wrong with nobody waiting for it. Job: write it down where a person finds it, and end the app in
 * order when its state is not known any more. It must not show a dialog, which would hold the gate up.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { AppFolder } from './folder.js';

export interface Faults {
  /** Something went wrong and the app goes on. */
  readonly note: (text: string) => void;
  /** The app cannot go on: what `beforeEnd` names is ended, then the program. */
  readonly fatal: (error: unknown) => void;
  /** What has to be ended before the program may: runs, above all. */
  readonly beforeEnd: (end: () => Promise<void>) => void;
}

/** Milliseconds that ending the runs may take after a crash. The next start ends what is left then. */
const END_MS = 10_000;
/** Bytes after which a new file is begun; one old one is kept. */
const MOST_BYTES = 1_000_000;
const CRASHED = 70;

/** Begins to catch what would otherwise be a dialog of Electron's. */
export function watchFaults({ appDir }: AppFolder): Faults {
  const file = join(appDir, 'faults.log');
  let end: () => Promise<void> = async () => undefined;
  let ending = false;
  const note = (text: string) => {
    process.stderr.write(`sallyport: ${text}\n`);
    keep(file, text);
  };
  const fatal = (error: unknown) => {
    note(`the app cannot go on: ${describe(error)}`);
    if (ending) return;
    ending = true;
    const leave = () => {
      app.exit(CRASHED);
    };
    setTimeout(leave, END_MS);
    // Calls that wait for an answer are denied by the end of their runs.
    end().then(leave, leave);
  };
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', fatal);
  // One answer that was lost is no reason to end a person's runs.
  process.on('unhandledRejection', (error) => {
    note(`something failed with nobody waiting for it: ${describe(error)}`);
  });
  return {
    note,
    fatal,
    beforeEnd: (work) => {
      end = work;
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function keep(file: string, text: string): void {
  try {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MOST_BYTES) renameSync(file, `${file}.1`);
    appendFileSync(file, `${new Date().toISOString()} ${text}\n`, { mode: 0o600 });
  } catch {
    // A full disk must not end the app; it stood on standard error.
  }
}

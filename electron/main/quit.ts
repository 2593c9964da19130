/**
 * The end of the app. Job: ask when runs are live, end them all, then quit. It must not quit while something of a
 * run may still be alive, unless ending it takes longer than any person waits.
 */
import { app, dialog, type BrowserWindow } from 'electron';
import type { RunSummary } from '../../shared/bridge/views.js';
import type { Faults } from './faults.js';

export interface QuitInput {
  readonly live: () => readonly RunSummary[];
  /** Ends all and lets go of everything. */
  readonly end: () => Promise<void>;
  /** The window that a question belongs to, where one can be seen. */
  readonly parent: () => BrowserWindow | null;
  readonly faults: Faults;
}

export interface Quit {
  /** A person wants to quit; asked first when runs are live. Settles to false when they stay. */
  readonly byPerson: () => Promise<boolean>;
}

/** Milliseconds that ending the runs may take. What is left then is ended at the next start. */
const END_MS = 30_000;

export function createQuit({ live, end, parent, faults }: QuitInput): Quit {
  let ended = false;
  let ending: Promise<void> | null = null;
  let asking: Promise<boolean> | null = null;

  const finish = async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        faults.note('the runs could not be ended in time; the next start ends what is left of them');
        resolve();
      }, END_MS);
    });
    await Promise.race([
      end().catch((error: unknown) => faults.note(`not all could be closed: ${String(error)}`)),
      late,
    ]);
    clearTimeout(timer);
    ended = true;
    app.quit();
  };
  const quit = () => (ending ??= finish());

  const ask = async (): Promise<boolean> => {
    const runs = live();
    if (runs.length === 0 || ending !== null) return true;
    const options = {
      type: 'warning' as const,
      title: 'Quit Sallyport?',
      message: runs.length === 1 ? 'A run is live.' : `${runs.length} runs are live.`,
      detail: 'Quitting ends every run, with all that it started, and denies what waits for you.',
      buttons: ['Keep Sallyport', 'End the runs and quit'],
      ...{ defaultId: 0, cancelId: 0, noLink: true },
    };
    const window = parent();
    const { response } = await (window === null
      ? dialog.showMessageBox(options)
      : dialog.showMessageBox(window, options));
    return response === 1;
  };
  const byPerson = async () => {
    // A second wish while the question stands is the same one.
    const yes = await (asking ??= ask().finally(() => (asking = null)));
    if (yes) void quit();
    return yes;
  };

  app.on('before-quit', (event) => {
    if (ended) return;
    event.preventDefault();
    void byPerson();
  });
  // Closing the last window is not the end where there is a tray; whoever closes it decides (shell.ts).
  app.on('window-all-closed', () => undefined);
  // The session ends, or somebody ends the program: there is nobody to ask.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void quit());
  faults.beforeEnd(end);
  return { byPerson };
}

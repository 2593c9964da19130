/**
 * Where the app keeps its things, and that there is one app for one state folder. Job: point Electron's own
 * folders into the state folder and take the lock, before anything touches state. It opens nothing.
 */
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import { stateFolderPath } from '../core/store/layout.js';

export interface AppFolder {
  /** The state folder; not looked at yet. */
  readonly stateDir: string;
  /** What Electron and the app's shell keep, in the state folder. */
  readonly appDir: string;
}

/** Null when another app of this state folder runs already; it was told, and this program is ending. */
export function claimFolder(): AppFolder | null {
  const stateDir = stateFolderPath(null, process.env);
  const appDir = join(stateDir, 'app');
  try {
    mkdirSync(appDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      `sallyport: the state folder ${stateDir} cannot be made (${what}). Nothing was started. Mend that, or name another folder with SALLYPORT_HOME.\n`,
    );
    process.exit(4);
  }
  const before = app.getPath('userData');
  app.setPath('userData', appDir);
  app.setPath('crashDumps', join(appDir, 'crashes'));
  removeIfEmpty(before, appDir);
  if (app.requestSingleInstanceLock()) return { stateDir, appDir };
  process.stdout.write('Sallyport runs already; its window was asked to show itself.\n');
  process.exit(0);
}

/** Electron makes its usual folder before the first line of ours runs. */
function removeIfEmpty(folder: string, ours: string): void {
  if (folder === ours) return;
  try {
    rmdirSync(folder);
  } catch {
    // It was not made, or holds something that is not ours.
  }
}

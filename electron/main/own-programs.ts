/**
 * How programs of ours are started from the app. Job: name them, packaged or not. It starts nothing.
 */
import { fileURLToPath } from 'node:url';
import { app } from 'electron';
import type { SelfProgram } from '../core/runs/request.js';

/**
 * The command with this first word. Packaged, it is the wrapper beside the program. From the source tree it is
 * Electron itself with the app's folder, started as the wrapper does it, since no Node need be installed there.
 */
export function ownProgram(word: 'practice-agent' | 'keychain-helper', stateDir: string): SelfProgram {
  if (app.isPackaged) {
    return { program: `${process.resourcesPath}/bin/sallyport`, args: [word], files: [process.execPath] };
  }
  // As root Chromium refuses to start with its sandbox, which confines pages; this has none.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox', '--no-zygote'] : [];
  return {
    program: process.execPath,
    args: [
      ...asRoot,
      '--ozone-platform=headless',
      '--log-level=3',
      `--user-data-dir=${stateDir}/electron`,
      app.getAppPath(),
      '--',
      word,
    ],
    files: [fileURLToPath(import.meta.url)],
  };
}

#!/usr/bin/env node
/**
 * `npm start`: from a fresh clone to the app on the screen. Job: set up, build, find an Electron and a display, and
 * start the app. It must not decide anything for the app; what it starts with is said in one line each.
 */
import { missingForDisplay, startDisplay } from './display.mjs';
import { buildPrograms, ensureModules, nodeTrouble, ROOT, run } from './setup.mjs';

/** What the app is shown on; null, and said, when there is nothing. */
async function surroundings() {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform !== 'linux' || DISPLAY || WAYLAND_DISPLAY) return { env: {}, end: () => {} };
  const missing = missingForDisplay();
  if (missing.length > 0) {
    console.error(
      `There is no display here, and a virtual one cannot be made (Debian: apt-get install ${missing.join(' ')}).\n` +
        'The same job without a window: npm run practice',
    );
    return null;
  }
  const virtual = await startDisplay();
  console.error(`There is no display here, so the app gets a virtual one that nobody sees (${virtual.env.DISPLAY}).`);
  return virtual;
}

async function start(more) {
  const trouble = nodeTrouble();
  if (trouble) {
    console.error(trouble);
    return 4;
  }
  if ((await ensureModules()) !== 0 || (await buildPrograms()) !== 0) {
    console.error('Setting up failed; what is above says why. Nothing was started.');
    return 4;
  }
  // Not before the packages are there.
  const { resolveElectron } = await import('./electron-runtime.mjs');
  const runtime = await resolveElectron();
  console.error(`runtime: ${runtime.says}`);
  const shown = await surroundings();
  if (shown === null) return 4;
  const asRoot = process.platform === 'linux' && process.getuid() === 0;
  if (asRoot) console.error('As root Chromium only starts without its own sandbox; start it as a user to have it.');
  const virtual = 'DISPLAY' in shown.env;
  const args = [ROOT, ...(asRoot ? ['--no-sandbox'] : []), ...(virtual ? ['--disable-gpu'] : []), ...more];
  const env = { ...process.env, ...shown.env };
  // It would make the program a plain Node.
  delete env.ELECTRON_RUN_AS_NODE;
  console.error('Sallyport is starting; Ctrl-C, or Quit in its tray, ends it.');
  try {
    return await run(runtime.program, args, { env });
  } finally {
    shown.end();
  }
}

process.exitCode = await start(process.argv.slice(2));

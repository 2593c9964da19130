#!/usr/bin/env node
/**
 * `npm start`: from a fresh clone to the app on the screen. Job: set up, build, find an Electron and a display, and
 * start the app. It must not decide anything for the app; what it starts with is said in one line each.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { buildPrograms, ensureModules, nodeTrouble, ROOT, run } from './setup.mjs';

/** Where a program stands on the PATH, or null. */
function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null;
}

/** What to put before the program so that it has a display and a session bus; null with a text when there is none. */
function surroundings() {
  const { DISPLAY, WAYLAND_DISPLAY, DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } = process.env;
  if (process.platform !== 'linux' || DISPLAY || WAYLAND_DISPLAY) return [];
  const xvfb = onPath('xvfb-run');
  if (xvfb === null) {
    console.error(
      'There is no display here, and no xvfb-run to make a virtual one (Debian: apt-get install xvfb xauth).\n' +
        'The same job without a window: npm run practice',
    );
    return null;
  }
  console.error('There is no display here: the app gets a virtual one (xvfb-run), which nobody sees.');
  const hasBus = DBUS_SESSION_BUS_ADDRESS || (XDG_RUNTIME_DIR && existsSync(join(XDG_RUNTIME_DIR, 'bus')));
  const bus = hasBus ? null : onPath('dbus-run-session');
  return [...(bus === null ? [] : [bus, '--']), xvfb, '-a', '-s', '-screen 0 1280x1024x24'];
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
  const before = surroundings();
  if (before === null) return 4;
  const asRoot = process.platform === 'linux' && process.getuid() === 0;
  if (asRoot) console.error('As root Chromium only starts without its own sandbox; start it as a user to have it.');
  const args = [ROOT, ...(asRoot ? ['--no-sandbox'] : []), ...(before.length > 0 ? ['--disable-gpu'] : []), ...more];
  const env = { ...process.env };
  // It would make the program a plain Node.
  delete env.ELECTRON_RUN_AS_NODE;
  const [program, ...rest] = [...before, runtime.program, ...args];
  console.error('Sallyport is starting; Ctrl-C, or Quit in its tray, ends it.');
  return run(program, rest, { env });
}

process.exitCode = await start(process.argv.slice(2));

/**
 * Whether the desktop shows tray icons. Job: ask the session bus who watches for them, within a short bound.
 * It must not start a bus, and an answer that does not come is a no: the window then opens instead.
 */
import { accessSync, constants } from 'node:fs';
import { createSeam } from '../core/spawn/seam.js';
import { busAddress } from './session-bus.js';

const WATCHER = 'org.kde.StatusNotifierWatcher';
/** Milliseconds. A bus answers in single ones; starting the program that asks takes about ten. */
const BOUND_MS = 1_500;

const BUS = ['--session', '--dest=org.freedesktop.DBus'];
/** Programs that ask, by their usual places: the PATH of whoever started the app has no say. */
const ASKERS = [
  [
    '/usr/bin/dbus-send',
    ...BUS,
    '--print-reply',
    '/org/freedesktop/DBus',
    'org.freedesktop.DBus.NameHasOwner',
    `string:${WATCHER}`,
  ],
  [
    '/usr/bin/gdbus',
    'call',
    ...BUS,
    '--object-path=/org/freedesktop/DBus',
    '--method=org.freedesktop.DBus.NameHasOwner',
    WATCHER,
  ],
] as const;

/** Looks for it; null when there is one, else why there is no tray. */
export async function findTrayHost(env: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  const address = busAddress(env);
  if (address === null) {
    return 'there is no session bus, by which a desktop shows tray icons. Sallyport ends when this window is closed.';
  }
  const asker = ASKERS.find(([program]) => isProgram(program));
  if (asker === undefined) {
    return 'whether your desktop shows tray icons could not be asked, since neither dbus-send nor gdbus is installed (Debian: dbus-bin). Sallyport ends when this window is closed.';
  }
  const started = await createSeam({ approvals: () => false }).start({
    purpose: 'helper',
    argv: asker,
    cwd: '/',
    env: { DBUS_SESSION_BUS_ADDRESS: address, LC_ALL: 'C.UTF-8' },
    stdin: 'none',
    timeoutMs: BOUND_MS,
    maxOutputBytes: 65_536,
  });
  if (started.ok) {
    const { stdout, timedOut } = await started.value.done;
    if (/\btrue\b/.test(stdout.toString('utf8'))) return null;
    if (timedOut) return 'the session bus did not answer. Sallyport ends when this window is closed.';
  }
  return 'your desktop shows no tray icons (nothing on the session bus watches for them; GNOME needs the AppIndicator extension). Sallyport ends when this window is closed.';
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

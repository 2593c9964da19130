/**
 * A virtual display, and a session bus, for starting the app on a machine without a screen. Job: start them apart
 * from the terminal, so that Ctrl-C reaches the app alone and it can end its runs while both are still there.
 * The display takes only programs that hold its cookie: others on the machine could press Approve otherwise.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const NEEDED = { Xvfb: 'xvfb', xauth: 'xauth' };

function isOnPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, name)));
}

/** Starts a program in a session of its own; settles with its first line. */
function begin(program, args) {
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const line = new Promise((resolve, reject) => {
    let text = '';
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`${program} ended before it was ready`)));
    child.stdout.setEncoding('utf8').on('data', (more) => {
      text += more;
      if (text.includes('\n')) resolve(text.split('\n')[0]);
    });
  });
  return { line, end: () => child.kill() };
}

/** Debian packages that a virtual display needs and that are not here. */
export function missingForDisplay() {
  return Object.keys(NEEDED).flatMap((program) => (isOnPath(program) ? [] : [NEEDED[program]]));
}

/**
 * Starts a display, and a bus where the environment names none.
 * @returns {Promise<{ env: Record<string, string>, end: () => void }>}
 */
export async function startDisplay() {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-display-'));
  const auth = join(folder, 'cookies');
  const cookie = randomBytes(16).toString('hex');
  const allow = (display) => spawnSync('xauth', ['-q', '-f', auth, 'add', display, '.', cookie], { stdio: 'ignore' });
  // The server takes the cookies of its file whatever display they are for; its number is known later.
  allow(':0');
  const server = begin('Xvfb', [
    ...['-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp', '-auth', auth],
  ]);
  const ends = [() => rmSync(folder, { recursive: true, force: true }), server.end];
  const end = () => {
    for (const work of ends.splice(0).reverse()) work();
  };
  try {
    const display = `:${await server.line}`;
    allow(display);
    const env = { DISPLAY: display, XAUTHORITY: auth };
    if (process.env.DBUS_SESSION_BUS_ADDRESS || !isOnPath('dbus-daemon')) return { env, end };
    const bus = begin('dbus-daemon', ['--session', '--nofork', '--print-address=1']);
    ends.push(bus.end);
    return { env: { ...env, DBUS_SESSION_BUS_ADDRESS: await bus.line }, end };
  } catch (error) {
    end();
    throw error;
  }
}

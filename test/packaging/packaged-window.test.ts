/** The packaged app with its window: pages out of the archive, tray, keychain, and no way in for a debugger. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { newDesktop, type DeskOfUser } from '../support/electron-app.js';

const PROGRAM = join(inject('appFolder'), 'sallyport');
const ROOT_ARGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const eventually: typeof expect.poll = (look) => expect.poll(look, { timeout: 30_000 });

function start(desktop: DeskOfUser, ...more: readonly string[]) {
  const child = spawn(PROGRAM, [...ROOT_ARGS, '--disable-gpu', ...more], {
    env: desktop.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<number | null>((done) => child.on('close', done));
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { ended, said: () => said };
}

/** Titles of the windows on the desktop's display; a page gives its window its own title once it is drawn. */
function titles({ env }: DeskOfUser): string {
  const looked = spawnSync('xwininfo', ['-root', '-tree'], { env: { ...env }, encoding: 'utf8' });
  return looked.stdout;
}

const faultsOf = ({ state }: DeskOfUser): string => {
  const file = join(state, 'app', 'faults.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

it('opens its page out of the archive, stands in the tray, and quits', async () => {
  const desktop = await newDesktop();
  const app = start(desktop);
  await eventually(() => titles(desktop)).toContain('Welcome to Sallyport – Sallyport');
  await eventually(() => desktop.tray?.items()).toBe(1);
  await desktop.tray?.click('Doctor');
  await eventually(() => titles(desktop)).toContain('Doctor – Sallyport');
  expect(faultsOf(desktop)).toBe('');
  await desktop.tray?.click('Quit');
  expect(await app.ended).toBe(0);
});

it.each(['--remote-debugging-port=0', '--remote-debugging-pipe'])('does not start with %s', async (way) => {
  const desktop = await newDesktop({ tray: false });
  const app = start(desktop, way);
  expect(await app.ended).toBe(2);
  expect(app.said()).toContain('would let other programs press Approve');
  expect(existsSync(desktop.state)).toBe(false);
});

/** `npm start` where there is no display: it makes one, and the window gets as far as a practice run with denial and approval. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import type { RunRecord } from '../../shared/contracts/run.js';
import { press } from '../support/app-runs.js';
import { keepPicture } from '../support/electron-app.js';
import { removeFolder } from '../support/folders.js';

const ROOT = resolve(import.meta.dirname, '../..');
const eventually: typeof expect.poll = (look) => expect.poll(look, { timeout: 60_000 });

it('reaches a practice run in the window, and Ctrl-C ends all of it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sallyport-start-'));
  onTestFinished(() => removeFolder(root));
  const state = join(root, 'state');
  const env = {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    ...{ HOME: root, SHELL: '/bin/sh', LANG: 'C.UTF-8', TMPDIR: root, SALLYPORT_HOME: state },
    ...(process.env['SALLYPORT_CACHE'] === undefined
      ? { SALLYPORT_CACHE: join(process.env['HOME'] ?? '', '.cache', 'sallyport') }
      : { SALLYPORT_CACHE: process.env['SALLYPORT_CACHE'] }),
  };
  // A group of its own, as a terminal gives it: Ctrl-C reaches all of it at once.
  const child = spawn('npm', ['start', '--', '--remote-debugging-port=0'], {
    ...{ cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<number | null>((done) => child.on('close', done));
  onTestFinished(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });

  const portFile = join(state, 'app', 'DevToolsActivePort');
  await eventually(() => existsSync(portFile) && readFileSync(portFile, 'utf8').includes('\n')).toBe(true);
  expect(said).toContain('There is no display here, so the app gets a virtual one');
  const [port] = readFileSync(portFile, 'utf8').split('\n');
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port ?? ''}`);
  onTestFinished(() => browser.close());
  const pages = () => browser.contexts().flatMap((context) => context.pages());
  const pageWith = async (heading: string | RegExp): Promise<Page> => {
    const seen = async () => {
      for (const page of pages())
        if (await page.getByRole('heading', { name: heading }).first().isVisible()) return page;
      return null;
    };
    await eventually(async () => (await seen()) !== null).toBe(true);
    const page = await seen();
    if (page === null) throw new Error('the page is gone');
    return page;
  };

  const page = await pageWith('Welcome to Sallyport');
  // On a bare machine nothing keeps secrets and no panel shows a tray: both are said.
  await page.getByText('There is no tray icon').first().waitFor();
  await page
    .getByText(/^Keychain/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Install the starter policy' }).click();
  await page.getByText('Installed', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Prepare a practice run' }).click();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await press(await pageWith(/asks to run/), 'Approve exactly this');
  await press(await pageWith(/asks to use/), 'Approve once');
  await page.getByText('Denied', { exact: true }).first().waitFor();
  await page.getByText('Approved once').first().waitFor();
  await keepPicture(page, 'npm-start');
  const record = () => {
    const [id = ''] = readdirSync(join(state, 'runs'));
    return JSON.parse(readFileSync(join(state, 'runs', id, 'run.json'), 'utf8')) as RunRecord;
  };
  await eventually(() => record().phase).toBe('done');
  expect(record()).toMatchObject({ outcome: 'succeeded', facts: { denials: 1, approvalsGranted: 1 } });

  process.kill(-(child.pid ?? 0), 'SIGINT');
  await ended;
  // Nothing of it lives on: neither the app nor the display that was made for it.
  const left = readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`SALLYPORT_HOME=${state}`);
    } catch {
      return false;
    }
  });
  expect(left).toEqual([]);
  expect(readdirSync(root).filter((name) => name.startsWith('sallyport-display-'))).toEqual([]);
});

/** The app's window, its scheme and its bridge, in the real Electron on a desktop of its own. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { ask, keepPicture, newDesktop, startAgain, startApp, type RunningApp } from '../support/electron-app.js';

const PRELOAD = resolve(import.meta.dirname, '../../dist/preload/preload.cjs');

/** What asking with these values, whatever their types say, comes to. */
const askAnything = (page: Page, name: unknown, request: unknown): Promise<string> =>
  page.evaluate(
    async ([asked, given]) => {
      const { sallyport } = globalThis as unknown as {
        sallyport: { ask: (a: unknown, b: unknown) => Promise<unknown> };
      };
      return sallyport.ask(asked, given).then(
        (answer) => `answered ${JSON.stringify(answer)}`,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    },
    [name, request],
  );

/** Asks main directly, past the preload's own checks, from a window with this address and place. */
const askFromStranger = (started: RunningApp, url: string, partition = ''): Promise<string> =>
  started.app.evaluate(
    async ({ BrowserWindow }, [preload, address, part]) => {
      const window = new BrowserWindow({
        show: false,
        webPreferences: {
          ...{ preload, sandbox: true, partition: part },
          additionalArguments: ['--sallyport-place={"window":"main"}'],
        },
      });
      try {
        await window.loadURL(address);
        return (await window.webContents.executeJavaScript(
          `window.sallyport.ask('runs.list', { limit: 1 }).then((answer) => 'answered ' + JSON.stringify(answer), (error) => error.message)`,
        )) as string;
      } finally {
        window.destroy();
      }
    },
    [PRELOAD, url, partition] as const,
  );

it('opens on a scheme of its own, with the first start, and without a fault', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop);
  const page = await started.main();
  expect(page.url()).toBe('app://sallyport/index.html');
  await page.getByRole('heading', { name: 'Welcome to Sallyport' }).waitFor();
  await page.getByText('Found, measured').waitFor();
  await keepPicture(page, 'first-start');
  await expect
    .poll(() => ask(page, 'app.info', null), { timeout: 30_000 })
    .toMatchObject({ noTray: null, firstStart: true, stateDir: desktop.state, keychain: { state: 'ready' } });
  expect(await page.evaluate(() => [typeof require, typeof process, typeof Buffer])).toEqual(
    Array(3).fill('undefined'),
  );
  expect(await page.evaluate(() => Object.keys((globalThis as unknown as { sallyport: object }).sallyport))).toEqual([
    'ask',
    'on',
    'place',
  ]);
});

it('serves nothing but the pages, each under the strictest content policy', async () => {
  const started = await startApp(await newDesktop());
  await started.main();
  const fetched = await started.app.evaluate(async ({ net }) => {
    const look = async (url: string) => {
      const answer = await net.fetch(url);
      return [answer.status, answer.headers.get('content-type'), answer.headers.get('content-security-policy')];
    };
    return {
      page: await look('app://sallyport/index.html'),
      again: await look('app://sallyport/'),
      outside: await look('app://sallyport/..%2F..%2Fpackage.json'),
      further: await look('app://sallyport/%2e%2e/preload/preload.cjs'),
      absolute: await look('app://sallyport//etc/passwd'),
      other: await net.fetch('app://sallyport.example/index.html').then(
        (answer) => answer.status,
        () => 'refused',
      ),
    };
  });
  const [status, type, policy] = fetched.page;
  expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w+/=]{24}'; /);
  expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(fetched.again[2]).not.toBe(policy);
  for (const wrong of [fetched.outside, fetched.further, fetched.absolute]) expect(wrong[0]).toBe(404);
  expect(fetched.other).not.toBe(200);
});

it('refuses what is not declared, and whoever is not its own page', async () => {
  const started = await startApp(await newDesktop());
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await askAnything(page, 'files.read', { path: '/etc/passwd' })).toContain('no request');
  expect(await askAnything(page, '__proto__', null)).toContain('no request');
  expect(await askAnything(page, 'runs.list', { limit: -1 })).toContain('form');
  expect(await askAnything(page, 'runs.list', { limit: 1, more: 1 })).toContain('form');
  expect(await askAnything(page, 'runs.list', { limit: 1 })).toBe('answered []');
  // The same window form, the same preload, but not a window that the app opened; and another origin.
  expect(await askFromStranger(started, 'app://sallyport/index.html')).toContain('may not ask');
  await expect(askFromStranger(started, 'data:text/html,hello')).rejects.toThrow('ERR_BLOCKED_BY_CLIENT');
  expect(await askFromStranger(started, 'data:text/html,hello', 'not-locked')).toContain('may not ask');
  expect(started.log()).toContain('a request was refused: it came from "data:');
  // The strangers' own pages were refused too, and say so; all of it has come once they are gone.
  await expect.poll(() => started.app.windows().length).toBe(1);
  started.faults.splice(0);
});

it('lets a page go nowhere: no navigation, no window, no network, no permission', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.setHeader('access-control-allow-origin', '*');
    response.end('reached');
  });
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  onTestFinished(() => void server.close());
  const outside = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const started = await startApp(await newDesktop());
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();

  // As text: the page's own language has names that this file's has not.
  const inPage = (code: string) => page.evaluate(code);
  expect(await inPage(`window.open('${outside}') === null`)).toBe(true);
  await inPage(`{
    location.href = '${outside}';
    const link = Object.assign(document.createElement('a'), { href: '${outside}', target: '_blank' });
    document.body.append(link);
    link.click();
    link.remove();
  }`);
  await inPage(`location.href = 'app://sallyport/assets/'`);
  const fetched = await page.evaluate(
    (url) =>
      fetch(url).then(
        () => 'reached',
        () => 'blocked',
      ),
    outside,
  );
  expect(fetched).toBe('blocked');
  // Past the content policy too: the session itself lets nothing out.
  const bySession = await started.app.evaluate(
    ({ session }, url) =>
      session.defaultSession.fetch(url).then(
        () => 'reached',
        (error: unknown) => String(error),
      ),
    outside,
  );
  expect(bySession).toContain('ERR_BLOCKED_BY_CLIENT');
  expect(await inPage('Notification.requestPermission()')).toBe('denied');
  const rights = ['camera', 'microphone', 'geolocation', 'notifications', 'clipboard-read'];
  const states = await inPage(
    `Promise.all(${JSON.stringify(rights)}.map(async (name) => (await navigator.permissions.query({ name })).state))`,
  );
  expect(states).toEqual(rights.map(() => 'denied'));
  expect(page.url()).toBe('app://sallyport/index.html');
  expect(started.app.windows()).toHaveLength(1);
  expect(asked).toBe(0);
  expect(started.faults.splice(0).every((fault) => fault.includes('connect'))).toBe(true);
});

it('is one: a second start shows the window of the first, touches nothing, and ends', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop, '--in-tray');
  await expect.poll(() => desktop.tray?.items()).toBe(1);
  expect(started.pages()).toHaveLength(0);
  const second = await startAgain(desktop);
  expect(second.status).toBe(0);
  expect(second.stdout).toContain('runs already');
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await startAgain(desktop);
  expect(started.app.windows()).toHaveLength(1);
  expect(desktop.tray?.items()).toBe(1);
});

it('opens its window where there is no tray, says why, and ends with it', async () => {
  const desktop = await newDesktop({ tray: false, keyring: 'no-service' });
  const started = await startApp(desktop, '--in-tray');
  const page = await started.main();
  await page.getByText('There is no tray icon: your desktop shows no tray icons').waitFor();
  await page.getByText('Keychain: No program on the session bus keeps secrets').waitFor();
  await keepPicture(page, 'no-tray-no-keychain');
  await started.app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.close();
  });
  expect(await started.ended).toBe(0);
});

it('says what is wrong with a state folder that it cannot use, and starts nothing', async () => {
  const desktop = await newDesktop();
  mkdirSync(desktop.state, { mode: 0o700 });
  writeFileSync(join(desktop.state, 'layout.json'), '{"version":99,"id":"state_x"}');
  const started = await startApp(desktop, '--in-tray');
  await expect.poll(started.log, { timeout: 10_000 }).toContain('written by a newer Sallyport');
  expect(existsSync(join(desktop.state, 'index.sqlite'))).toBe(false);
});

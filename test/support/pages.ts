/**
 * The built pages in a real Chromium (the Electron of the tests), served under the strictest policy that the
 * app uses. A page that violates it, writes an error to the console or throws fails its test.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import axe from 'axe-core';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { resolveElectron } from '../../build/electron-runtime.mjs';
import { buildPages } from '../../build/pages.mjs';
import type { RequestName } from '../../shared/bridge/channels.js';
import { createFakeBridge, type FakeBridge } from './fake-bridge.js';
import { removeFolder } from './folders.js';

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

function policy(nonce: string): string {
  return [
    ...["default-src 'none'", "script-src 'self'", `style-src 'self' 'nonce-${nonce}'`, "img-src 'self' data:"],
    ...["font-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"],
    "require-trusted-types-for 'script'",
  ].join('; ');
}

async function serve(folder: string): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    void (async () => {
      const path = normalize(new URL(request.url ?? '/', 'http://pages').pathname);
      const file = path === '/' ? '/index.html' : path;
      const nonce = randomBytes(16).toString('base64');
      try {
        const bytes = await readFile(join(folder, file));
        const body = file.endsWith('.html') ? bytes.toString('utf8').replace('CSP_NONCE', nonce) : bytes;
        response.writeHead(200, {
          'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
          'content-security-policy': policy(nonce),
        });
        response.end(body);
      } catch {
        response.writeHead(404).end();
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A display of its own; the answer ends it. */
async function startDisplay(): Promise<{ name: string; end: () => void }> {
  const child = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const number = await new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (status) => reject(new Error(`Xvfb ended with status ${String(status)}`)));
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
  });
  return { name: `:${number}`, end: () => child.kill() };
}

/** The browser's own program: it only opens windows, and knows nothing of the product. */
const BROWSER = `import { app, BrowserWindow } from 'electron';
globalThis.open = async (width, height) => {
  await app.whenReady();
  const window = new BrowserWindow({ width, height, useContentSize: true, webPreferences: { sandbox: true } });
  await window.loadURL('about:blank');
};
app.on('window-all-closed', () => {});
`;

/** Runs in each page before its own scripts: the bridge's near end, over a binding of the driver. */
const NEAR_END = `
  // A test of the guard decides itself when its time is over.
  if (new URLSearchParams(location.search).has('holdGuard')) {
    const held = [];
    const { setTimeout } = window;
    window.setTimeout = (work, ms, ...more) => (ms === 800 ? held.push(work) + 1e9 : setTimeout(work, ms, ...more));
    const { clearTimeout } = window;
    window.clearTimeout = (id) => (id > 1e9 ? delete held[id - 1e9 - 1] : clearTimeout(id));
    window.endGuard = () => held.splice(0).forEach((work) => work());
  }
  const prompt = new URLSearchParams(location.search).get('prompt');
  const listeners = [];
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) =>
    window.violations.push(event.violatedDirective + ': ' + event.blockedURI + ' ' + event.sample));
  window.tellPage = ([name, event]) => {
    for (const [wanted, listener] of listeners) if (wanted === name) listener(event);
  };
  window.sallyport = {
    ask: (name, request) => window.askFake(name, request),
    on: (name, listener) => {
      const one = [name, listener];
      listeners.push(one);
      return () => listeners.splice(listeners.indexOf(one), 1);
    },
    place: prompt === null ? { window: 'main' } : { window: 'prompt', promptId: prompt },
  };
`;

export interface OpenPage {
  readonly page: Page;
  readonly bridge: FakeBridge;
}

export interface OpenOptions {
  /** Changes what the pages are answered with. */
  readonly with?: (bridge: FakeBridge) => void;
  /** A prompt's id: the small window of that prompt. */
  readonly prompt?: string;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** The 800 ms in which a yes cannot be given end only when the test calls `endGuard`. */
  readonly holdGuard?: boolean;
}

/** Starts one browser for the tests of a file; what it gives opens a window whose faults fail the test. */
export function pages(): (options?: OpenOptions) => Promise<OpenPage> {
  let browser: ElectronApplication;
  let url = '';
  const bridges = new Map<string, FakeBridge>();
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-pages-'));
    ends.push(() => removeFolder(folder));
    const built = join(folder, 'built');
    await buildPages({ release: true, outDir: built });
    const served = await serve(built);
    url = served.url;
    ends.push(() => served.server.close());
    const display = await startDisplay();
    ends.push(display.end);
    browser = await startBrowser(folder, display.name);
    ends.push(() => browser.close());
    const context = browser.context();
    await context.exposeBinding('askFake', ({ page }, name: RequestName, request: unknown) => {
      const bridge = bridges.get(new URL(page.url()).searchParams.get('bridge') ?? '');
      if (bridge === undefined) throw new Error(`no bridge for ${page.url()}`);
      return bridge.answer(name, request);
    });
    await context.addInitScript({ content: NEAR_END });
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  return async (options = {}) => {
    const bridge = createFakeBridge();
    options.with?.(bridge);
    const id = String(bridges.size);
    bridges.set(id, bridge);
    const query = new URLSearchParams({
      bridge: id,
      ...(options.holdGuard === true ? { holdGuard: '' } : {}),
      ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
    });
    const size = [options.width ?? 1_060, options.height ?? 720] as const;
    const opened = browser.waitForEvent('window');
    await browser.evaluate(
      async (_, [width, height]) =>
        (globalThis as unknown as { open: (width: number, height: number) => Promise<void> }).open(width, height),
      size,
    );
    const page = await opened;
    page.setDefaultTimeout(10_000);
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.emulateMedia({ colorScheme: options.dark === true ? 'dark' : 'light', reducedMotion: 'reduce' });
    bridge.listen(async (name, event) => {
      if (!page.isClosed()) await page.evaluate(`window.tellPage(${JSON.stringify([name, event])})`);
    });
    await page.goto(`${url}/?${query.toString()}`);
    onTestFinished(async () => {
      // A window that closed itself has said all that it had to say.
      const violations = page.isClosed() ? [] : await page.evaluate('window.violations');
      if (!page.isClosed()) await page.close();
      expect([...faults, ...(violations as string[])]).toEqual([]);
    });
    return { page, bridge };
  };
}

async function startBrowser(folder: string, display: string): Promise<ElectronApplication> {
  const { program } = await resolveElectron();
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'pages', version: '1.0.0', type: 'module', main: 'main.mjs' }),
  );
  writeFileSync(join(folder, 'main.mjs'), BROWSER);
  // The warning is about the empty page that a window begins with.
  // Chromium refuses its sandbox to root, and containers have no other user.
  const args = [folder, '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(folder, 'data')}`];
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    DISPLAY: display,
    ELECTRON_DISABLE_SECURITY_WARNINGS: '1',
  };
  return _electron.launch({ executablePath: program, args, env });
}

/** What axe-core finds on a page: rule, and where. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map((node) => id + ' (' + help + '): ' + node.html.slice(0, 160) + ' ' + node.failureSummary)))`);
  return found as string[];
}

/** Keeps a picture of a page in `.cache/shots`, for people to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = new URL('../../.cache/shots/', import.meta.url).pathname;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Ends the time in which a yes cannot be given, of a page that was opened with `holdGuard`. */
export async function endGuard(page: Page): Promise<void> {
  await page.evaluate('window.endGuard()');
}

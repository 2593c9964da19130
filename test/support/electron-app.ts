/**
 * The real app, started from the built programs in an Electron, on a display, a session bus and folders of its
 * own. A page that writes an error to the console, throws, or violates its content policy fails the test.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { resolveElectron } from '../../build/electron-runtime.mjs';
import type { AnswerOf, Bridge, RequestName, RequestOf } from '../../shared/bridge/channels.js';
import { startDisplay, startKeyring, type KeyringKind } from './keyring.js';
import { startTrayHost, type TrayHost } from './tray-host.js';
import { removeFolder } from './folders.js';

const ROOT = resolve(import.meta.dirname, '../..');
/** Pictures of the app's states, to be looked at. */
const PICTURES = process.env['SALLYPORT_SCREENSHOTS'] ?? join(ROOT, '.cache/shots/app');

/** Milliseconds in which a window has to appear. */
const FIND_MS = 30_000;

export interface DeskOfUser {
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  readonly state: string;
  readonly workspace: string;
  readonly tray: TrayHost | null;
}

export interface DesktopOptions {
  readonly keyring?: KeyringKind;
  readonly tray?: boolean;
}

/** A made-up user's desktop: display, bus with a keyring, and (asked for) a panel; ended with the test. */
export async function newDesktop({ keyring = 'open', tray = true }: DesktopOptions = {}): Promise<DeskOfUser> {
  const display = await startDisplay();
  onTestFinished(display.end);
  const ring = await startKeyring(keyring, null, { DISPLAY: display.name });
  onTestFinished(async () => {
    await ring.end();
    ring.remove();
  });
  const root = mkdtempSync(join(tmpdir(), 'sallyport-app-'));
  onTestFinished(() => removeFolder(root));
  const workspace = join(root, 'workspace');
  mkdirSync(workspace);
  const host = tray ? await startTrayHost(ring.env) : null;
  if (host !== null) onTestFinished(host.end);
  const state = join(root, 'state folder');
  const env = {
    ...ring.env,
    PATH: `${process.execPath.replace(/\/[^/]+$/, '')}:/usr/local/bin:/usr/bin:/bin`,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    SALLYPORT_HOME: state,
    TMPDIR: root,
  };
  return { env, home: ring.home, state, workspace, tray: host };
}

export interface RunningApp {
  readonly app: ElectronApplication;
  readonly pid: number;
  /** The main window's page. */
  readonly main: () => Promise<Page>;
  /** The page of a prompt's window, when it is there. */
  readonly prompt: () => Promise<Page>;
  readonly pages: () => readonly Page[];
  /** What pages did wrong so far; a test that provokes it takes it out. */
  readonly faults: string[];
  /** What the app noted of its own troubles. */
  readonly log: () => string;
  /** Settles when the program has ended. */
  readonly ended: Promise<number | null>;
}

/** The arguments that start the app from its built programs. */
export async function appCommand(): Promise<{ program: string; args: readonly string[] }> {
  const { program } = await resolveElectron();
  // Chromium refuses its sandbox to root, and a virtual display has no graphics card.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return { program, args: [ROOT, ...asRoot, '--disable-gpu'] };
}

/** Starts the app; ended with the test. */
export async function startApp(desktop: DeskOfUser, ...more: readonly string[]): Promise<RunningApp> {
  const { program, args } = await appCommand();
  const app = await _electron.launch({ executablePath: program, args: [...args, ...more], env: { ...desktop.env } });
  const child = app.process();
  const faults: string[] = [];
  const ended = new Promise<number | null>((done) => child.on('exit', done));
  await app.context().addInitScript({
    content: `document.addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));`,
  });
  const watch = (page: Page) => {
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
  };
  app.windows().forEach(watch);
  app.on('window', watch);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
    expect(faults).toEqual([]);
  });
  const find = async (wanted: 'main' | 'prompt'): Promise<Page> => {
    for (const end = Date.now() + FIND_MS; Date.now() < end;) {
      for (const page of app.windows()) {
        const place = await page
          .evaluate(() => (globalThis as unknown as Seen).sallyport?.place.window)
          .catch(() => null);
        if (place === wanted) return page;
      }
      await new Promise((again) => setTimeout(again, 50));
    }
    throw new Error(`there is no ${wanted} window`);
  };
  return {
    ...{ app, faults, ended },
    pid: child.pid ?? 0,
    log: () => {
      const file = join(desktop.state, 'app', 'faults.log');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
    main: () => find('main'),
    prompt: () => find('prompt'),
    pages: () => app.windows(),
  };
}

interface Seen {
  readonly sallyport?: Bridge;
}

/** Asks through the page's bridge, as the page does. */
export function ask<N extends RequestName>(page: Page, name: N, request: RequestOf<N>): Promise<AnswerOf<N>> {
  return page.evaluate(
    ([asked, given]) => (globalThis as unknown as Seen).sallyport!.ask(asked as never, given as never),
    [name, request] as const,
  ) as Promise<AnswerOf<N>>;
}

/** Keeps a picture of a page. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Starts the program a second time, as a person does who clicks it again. */
export async function startAgain(desktop: DeskOfUser): Promise<{ status: number | null; stdout: string }> {
  const { program, args } = await appCommand();
  const child = spawn(program, args, { env: desktop.env, stdio: ['ignore', 'pipe', 'ignore'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const status = await new Promise<number | null>((done) => child.on('close', done));
  return { status, stdout };
}

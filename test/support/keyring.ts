/**
 * A real keychain for tests: a session bus of its own with a real gnome-keyring on it, in folders of
 * its own. The user's bus and keyring are never reached: nothing of this process's environment goes in.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import { createSeam, type Seam } from '../../electron/core/spawn/seam.js';
import { createKeychain, type Keychain } from '../../electron/core/approvals/keychain.js';
import { removeFolder } from './folders.js';

/** open: unlocked. locked: a service, not unlocked. no-service: a bus on which nothing keeps secrets. */
export type KeyringKind = 'open' | 'locked' | 'no-service';

export interface Keyring {
  /** What a process needs to reach it, and no more. */
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  /** Locks the login keyring, as a screen lock may. */
  readonly lock: () => void;
  /** Ends bus and keyring; the files stay until `remove`. */
  readonly end: () => Promise<void>;
  readonly remove: () => void;
}

const PATH = '/usr/local/bin:/usr/bin:/bin';
const PASSWORD = 'a-test-password';

/** A bus that can start no service by itself. */
const BARE_BUS = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`;

const START = {
  open: `printf %s ${PASSWORD} | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1`,
  locked: 'gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1',
  'no-service': ':',
} as const;

/** Starts one. `home` of an earlier one brings its keyring files along; `more` is environment, such as a display. */
export async function startKeyring(
  kind: KeyringKind,
  home: string | null = null,
  more: Readonly<Record<string, string>> = {},
): Promise<Keyring> {
  const root = mkdtempSync(path.join(tmpdir(), 'sallyport-keyring-'));
  const own = { HOME: home ?? path.join(root, 'home'), XDG_RUNTIME_DIR: path.join(root, 'run') };
  mkdirSync(own.HOME, { recursive: true });
  mkdirSync(own.XDG_RUNTIME_DIR, { mode: 0o700 });
  const config = path.join(root, 'bus.conf');
  writeFileSync(config, BARE_BUS);
  const bus = kind === 'no-service' ? ['--config-file', config] : [];
  // `cat` lives as long as its input is open, and the bus as long as `cat`.
  const script = `${START[kind]}; echo "bus $DBUS_SESSION_BUS_ADDRESS"; exec cat >/dev/null`;
  const child = spawn('dbus-run-session', [...bus, '--', 'sh', '-c', script], {
    env: { PATH, XDG_CURRENT_DESKTOP: 'GNOME', ...own, ...more },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.on('error', reject);
    child.on('exit', () => reject(new Error('the bus did not start')));
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const found = /^bus (.+)$/m.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const env = { ...own, ...more, DBUS_SESSION_BUS_ADDRESS: address };
  if (kind !== 'no-service') await serviceReady(env);
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  return {
    env,
    home: own.HOME,
    lock: () => {
      const login = 'array:objpath:/org/freedesktop/secrets/collection/login';
      call(env, 'org.freedesktop.secrets', '/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock', login);
    },
    end: async () => {
      child.stdin.end();
      await ended;
    },
    remove: () => removeFolder(root),
  };
}

function call(env: Readonly<Record<string, string>>, dest: string, object: string, ...method: string[]): boolean {
  const args = ['--session', '--print-reply', `--dest=${dest}`, object, ...method];
  return spawnSync('dbus-send', args, { env: { PATH, ...env } }).status === 0;
}

/** The daemon answers on the bus a moment after its command has returned. */
async function serviceReady(env: Readonly<Record<string, string>>): Promise<void> {
  const owned = () =>
    call(
      env,
      'org.freedesktop.secrets',
      '/org/freedesktop/secrets',
      'org.freedesktop.DBus.Properties.Get',
      'string:org.freedesktop.Secret.Service',
      'string:Collections',
    );
  for (let tries = 0; !owned(); tries += 1) {
    if (tries > 200) throw new Error('the keyring did not come up');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** A virtual display, for a keyring that asks for its password in a window. */
export async function startDisplay(): Promise<{ readonly name: string; readonly end: () => void }> {
  const child = spawn('Xvfb', ['-displayfd', '1', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const name = await new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.stdout.once('data', (chunk: Buffer) => resolve(`:${chunk.toString('utf8').trim()}`));
  });
  return { name, end: () => void child.kill() };
}

export interface Helper {
  readonly program: string;
  readonly args: readonly string[];
  readonly remove: () => void;
}

/** The keychain helper, built from the sources where it finds the native package. */
export async function buildHelper(): Promise<Helper> {
  const root = path.resolve(import.meta.dirname, '../..');
  const folder = path.join(root, 'node_modules/.cache', `sallyport-keychain-${process.pid}`);
  await build({
    root,
    logLevel: 'silent',
    configFile: false,
    ssr: { noExternal: true, external: ['keytar'] },
    build: {
      ssr: path.join(root, 'electron/keychain/helper-main.ts'),
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: { external: ['keytar'], output: { entryFileNames: 'helper.mjs' } },
    },
  });
  const remove = () => removeFolder(folder);
  return { program: process.execPath, args: [path.join(folder, 'helper.mjs')], remove };
}

/** A seam that starts no agent and no hook. */
export function helperSeam(): Seam {
  return createSeam({ approvals: () => false });
}

/** The product's client of a keychain in this environment. */
export function keychainOf(
  program: { readonly program: string; readonly args: readonly string[] },
  env: Readonly<Record<string, string | undefined>>,
  more: { readonly prefix?: string; readonly timeoutMs?: number } = {},
): Keychain {
  return createKeychain({
    ...{ seam: helperSeam(), program, env, service: 'sallyport', accountPrefix: more.prefix ?? 'state_test' },
    timeoutMs: more.timeoutMs ?? 20_000,
  });
}

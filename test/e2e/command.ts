/**
 * Drives the built `sallyport` command as a user would: folders of its own for home, state and
 * workspace, a made-up account, only the loopback network, and (for Claude Code) the real program
 * talking to a scripted model. Must not import the product: what is tested is what was built.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunRecord } from '../../shared/contracts/run.js';
import { claudeCodeProgram } from '../support/agents.mjs';
import type { Keyring } from '../support/keyring.js';
import { onLoopback } from '../support/loopback.js';
import { openTerminal, type Terminal } from '../support/pty.js';
import { removeFolder } from '../support/folders.js';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const COMMAND = join(ROOT, 'dist/cli/sallyport.mjs');
const MODEL = join(ROOT, 'test/support/scripted-anthropic.mjs');

/** Folders and variables of one made-up user. */
export interface User {
  readonly home: string;
  readonly state: string;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => void;
  /** Path in the workspace. */
  readonly at: (name: string) => string;
  readonly has: (name: string) => boolean;
  readonly read: (name: string) => string;
  /** Writes a file, making its folders. */
  readonly put: (path: string, text: string, mode?: number) => string;
}

/** A user with Claude Code of this version on the login shell's PATH (or without it). */
export function newUser(version: string | null): User {
  const root = mkdtempSync(join(tmpdir(), 'sallyport-e2e-'));
  const [home, state, workspace, bin] = ['home', 'state folder', 'workspace', 'bin'].map((name) =>
    join(root, name),
  ) as [string, string, string, string];
  for (const folder of [home, workspace, bin]) mkdirSync(folder);
  if (version !== null) symlinkSync(claudeCodeProgram(version), join(bin, 'claude'));
  writeFileSync(join(home, '.profile'), `PATH='${bin}':/usr/local/bin:/usr/bin:/bin\n`);
  const at = (name: string) => join(workspace, name);
  return {
    home,
    state,
    workspace,
    at,
    env: {
      HOME: home,
      SHELL: '/bin/sh',
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      TMPDIR: root,
      SALLYPORT_HOME: state,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_API_KEY: 'made-up-key-0123456789',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
    },
    remove: () => {
      removeFolder(root);
    },
    has: (name) => existsSync(at(name)),
    read: (name) => readFileSync(at(name), 'utf8'),
    put: (path, text, mode = 0o644) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      chmodSync(path, mode);
      return path;
    },
  };
}

/** The same user in a session with this keyring: approvals are kept there, and receipts signed. */
export function inSession<U extends User>(user: U, ring: Keyring): U {
  const { HOME: _, ...way } = ring.env as Record<string, string>;
  return { ...user, env: { ...user.env, ...way } };
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly done: Promise<Ended>;
  readonly pid: number;
  readonly out: () => string;
}

/** Starts a program in the user's folders, without a terminal. */
export function start(user: User, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const [program = '', ...args] = argv;
  // A session of its own: the machine's terminal, if there is one, is not this user's.
  const child = spawn(program, args, {
    cwd: user.workspace,
    env: { ...user.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  const done = new Promise<Ended>((ended, broken) => {
    child.on('error', broken);
    child.on('close', (code) => {
      ended({ code, out, err });
    });
  });
  return { done, pid: child.pid ?? 0, out: () => out };
}

/** `sallyport ARGS`, without a terminal. */
export function sallyport(user: User, ...args: readonly string[]): Promise<Ended> {
  return start(user, [process.execPath, COMMAND, ...args]).done;
}

/** The argv of `sallyport run` with the scripted model beside it, where only loopback exists. */
export function besideModel(user: User, scenario: unknown, args: readonly string[]): readonly string[] {
  const file = user.put(join(user.home, 'scenario.json'), JSON.stringify(scenario));
  const model = [process.execPath, MODEL, '--scenario', file, '--log', join(user.home, 'model.jsonl')];
  return onLoopback([...model, '--', process.execPath, COMMAND, 'run', ...args]);
}

/** The same, where the model outlives its command by some seconds (an owner that is killed leaves its agent behind). */
export function besideLingeringModel(user: User, scenario: unknown, args: readonly string[]): readonly string[] {
  const argv = besideModel(user, scenario, args);
  const at = argv.indexOf('--') + 1;
  return [...argv.slice(0, at), 'sh', '-c', '"$@"; sleep 15', 'sh', ...argv.slice(at)];
}

/** Every digest that a refused run asked for. */
export function askedDigests(text: string): readonly string[] {
  return [...text.matchAll(/--approve (sha256:[0-9a-f]{64})/g)].map((match) => match[1] ?? '');
}

/**
 * Runs as a person without a terminal does: looks at what wants an approval, approves exactly that by
 * its digest, and starts again, until nothing is asked any more.
 */
export async function runApproving(
  user: User,
  make: (approve: readonly string[]) => readonly string[],
): Promise<Ended> {
  const approved = new Set<string>();
  for (;;) {
    const ended = await start(user, make([...approved].flatMap((digest) => ['--approve', digest]))).done;
    const asked = askedDigests(ended.err).filter((digest) => !approved.has(digest));
    if (asked.length === 0) return ended;
    for (const digest of asked) approved.add(digest);
  }
}

/** Starts `sallyport run` on a terminal of its own. */
export function onTerminal(user: User, argv: readonly string[]): Terminal {
  return openTerminal(argv, { cwd: user.workspace, env: user.env });
}

/** The record of the newest run in the user's state folder. */
export function newestRun(user: User): RunRecord & { readonly folder: string } {
  const runs = join(user.state, 'runs');
  const records = readdirSync(runs).map((id) => {
    const folder = join(runs, id);
    return { ...(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunRecord), folder };
  });
  const [newest] = records.sort((a, b) => b.createdAt - a.createdAt);
  if (newest === undefined) throw new Error('no run was recorded');
  return newest;
}

/** Steps of a scripted model that calls one tool after the other, then ends its turn. */
export function calls(...list: readonly { readonly name: string; readonly input: object | string }[]): object[] {
  return [...list.map((one) => ({ calls: [one] })), { text: 'done' }];
}

export const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'scripted' } });
export const write = (path: string, content: string) => ({ name: 'Write', input: { file_path: path, content } });

/** A hook document of session scope. */
export function hook(id: string, point: string, handler: object, more: object = {}): object {
  return { schema_version: 1, id, name: id, point, scope: 'session', mode: 'blocking', handler, ...more };
}

/** A command hook whose handler is this POSIX sh text. */
export const shHook = (id: string, point: string, script: string, more: object = {}) =>
  hook(id, point, { kind: 'command', argv: ['sh', '-c', script] }, more);

export const FORBIDDEN = hook('no-secrets-files', 'file.before_write', { kind: 'builtin', builtin: 'forbidden-path' });

/** Writes the hooks of a run to a file, for `--hook`. */
export function hooksFile(user: User, ...hooks: readonly object[]): string {
  return user.put(join(user.home, 'hooks.json'), JSON.stringify({ schema_version: 1, hooks }));
}

/** A handler's answer as sh text that prints it. */
export const prints = (decision: object) => `printf '%s' '${JSON.stringify({ schema_version: 1, ...decision })}'`;

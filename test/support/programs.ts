/** Small programs of a test's own, as processes: run to their end, or left running; as this user or as nobody. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { bundleProgram, tempFolder } from './processes.js';

export interface OtherUser {
  readonly uid: number;
  readonly gid: number;
}

/** Somebody without rights; null when this process may not become somebody else. */
export function asNobody(): OtherUser | null {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;
}

/** Bundles a program that anybody may read; `core(file)` names a source of the core to import. */
export async function programOf(code: (core: (file: string) => string) => string): Promise<string> {
  const folder = tempFolder();
  chmodSync(folder, 0o755);
  const core = (file: string) => JSON.stringify(path.resolve(import.meta.dirname, '../../electron/core', file));
  return bundleProgram(folder, code(core));
}

export interface Ended {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
  readonly signal: string | null;
}

/** Starts a program of `programOf`; it is ended with the test. `done` settles when it ended by itself. */
export function startProgram(
  program: string,
  args: readonly string[],
  user: OtherUser | null = null,
): { readonly child: ChildProcess; readonly done: Promise<Ended> } {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
    cwd: '/',
    ...user,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const done = new Promise<Ended>((resolve, reject) => {
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ out, err, code, signal });
    });
  });
  return { child, done };
}

/** Runs a program to its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  user: OtherUser | null = null,
): Promise<Ended> {
  return startProgram(program, args, user).done;
}

/**
 * The one place where a process begins. On POSIX by Node itself: measured, execa adds 2 ms to each
 * start, and 40 ms where a high descriptor has to be covered. On Windows by execa, which quotes the
 * arguments of `.cmd` and `.bat` files so that nothing in them is read as a command (not run there yet).
 */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { execa } from 'execa';
import { fail, ok, type Result } from '../../../shared/result.js';
import { coveredDescriptors } from './descriptors.js';
import type { ResolvedProgram } from './programs.js';

export interface Launch {
  readonly program: ResolvedProgram;
  /** Without the program. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: 'pipe' | 'ignore';
}

/** The part of a child process that the seam uses. */
export interface Child {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
}

export interface Launched {
  readonly pid: number;
  readonly child: Child;
}

/**
 * Starts the file behind the name, told the name by which it was found, in a session of its own: one
 * group to end, and no terminal to take over. Not asynchronous, so that the caller can listen before
 * anything happens; only the system's code for a failure, such as `E2BIG`, may have to be waited for.
 */
export function launch(request: Launch): Result<Launched, Promise<string>> {
  return process.platform === 'win32' ? launchByExeca(request) : launchByNode(request);
}

function launchByNode({ program, args, cwd, env, input }: Launch): Result<Launched, Promise<string>> {
  try {
    const child = spawn(program.real, args, {
      argv0: program.found,
      cwd,
      env,
      detached: true,
      stdio: [input, 'pipe', 'pipe', ...coveredDescriptors()],
    });
    const { pid, stdin, stdout, stderr } = child;
    if (pid !== undefined && stdout !== null && stderr !== null) {
      return ok({ pid, child: { stdin, stdout, stderr, once: (event, listener) => child.once(event, listener) } });
    }
    return fail(new Promise((resolve) => child.once('error', (error) => resolve(codeOf(error)))));
  } catch (error) {
    return fail(Promise.resolve(codeOf(error)));
  }
}

function launchByExeca({ program, args, cwd, env, input }: Launch): Result<Launched, Promise<string>> {
  const child = execa(program.real, args, {
    ...{ cwd, env, extendEnv: false, cleanup: false, buffer: false, reject: false },
    ...{ stdin: input, stdout: 'pipe', stderr: 'pipe' },
  });
  if (child.pid !== undefined) return ok({ pid: child.pid, child });
  return fail(child.then((result) => result.code ?? 'unknown'));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

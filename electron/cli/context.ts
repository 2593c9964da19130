import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { fail, ok, type Result } from '../../shared/result.js';
import type { SelfProgram } from '../core/runs/request.js';
import { openState, stateFolderPath, type StateFolder } from '../core/store/layout.js';
import type { Outlet } from './terminal/outlet.js';

/** What the command reads and writes. */
export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a command joins: its code becomes the exit code. */
export type Act = (command: Command, act: (context: CommandContext) => Promise<number>) => Promise<void>;

/** Exit codes of the command, one list. */
export const EXIT = { fine: 0, no: 1, usage: 2, refused: 3, environment: 4, changed: 9, internal: 70 } as const;

/** What every command gets: where to write, and which state folder is meant. */
export interface CommandContext {
  readonly io: CliIo;
  readonly stateDir: string;
  readonly json: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The context of one invocation. */
export function commandContext(
  io: CliIo,
  voice: { readonly out: Outlet; readonly err: Outlet },
  options: { readonly stateDir?: string; readonly json?: boolean },
): CommandContext {
  return {
    io,
    stateDir: stateFolderPath(options.stateDir ?? null, io.env),
    json: options.json ?? false,
    out: voice.out.write,
    err: voice.err.write,
  };
}

/** Opens the state folder; an error has been written and is the exit code. */
export async function stateOf(context: CommandContext): Promise<Result<StateFolder, number>> {
  const state = await openState(context.stateDir);
  if (state.ok) return ok(state.value);
  context.err(`sallyport: ${state.error.text}\n`);
  return fail(EXIT.environment);
}

/**
 * How the built-in practice agent is started from here: its own script on plain Node; in the packaged
 * app (whose program runs no scripts) the command beside it.
 */
export function practiceProgram(): SelfProgram {
  const resources = packagedResources();
  if (resources !== null) {
    return { program: `${resources}/bin/sallyport`, args: ['practice-agent'], files: [process.execPath] };
  }
  const script = fileURLToPath(new URL('../practice/practice-agent.mjs', import.meta.url));
  return { program: process.execPath, args: [script], files: [script] };
}

/** How the keychain helper, a program of ours, is started from here. */
export function keychainProgram(): Pick<SelfProgram, 'program' | 'args'> {
  const resources = packagedResources();
  if (resources !== null) return { program: `${resources}/bin/sallyport`, args: ['keychain-helper'] };
  const script = fileURLToPath(new URL('../keychain/keychain-helper.mjs', import.meta.url));
  return { program: process.execPath, args: [script] };
}

/** The packaged app's resources folder, or null on plain Node. */
function packagedResources(): string | null {
  const resources = (process as { resourcesPath?: string }).resourcesPath;
  return process.versions['electron'] === undefined || resources === undefined ? null : resources;
}

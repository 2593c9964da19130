/**
 * The command inside the packaged program, without a window. Job: run it and end with its exit code, whatever happens.
 * It must not wait for Electron to be ready (no display is needed), and must never let trouble look like a yes.
 */
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { commandWord } from './command-line.js';

/** Exit codes that this file itself answers. An agent reads 2 as a denial; see docs of the command for the others. */
const DENIED = 2;
const INTERNAL = 70;
const STOPPED = 130;

/** The word by which a run starts the practice agent from the packaged app; not for people. */
const PRACTICE_AGENT = 'practice-agent';
/** The word by which the keychain helper is started from the packaged app; not for people. */
const KEYCHAIN_HELPER = 'keychain-helper';

/** Pipes are written asynchronously in this program (measured: Electron 33.2.1), so ending would cut the answer off. */
async function drain(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return;
  await new Promise<void>((resolve) => {
    stream.once('error', () => {
      resolve();
    });
    stream.write('', () => {
      resolve();
    });
  });
}

let ending = false;

/**
 * Ends after all that was written has left. Only the first call counts: when both readers are gone each write is one
 * more error, and errors that lead here again would never let the program end.
 */
async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  await Promise.all([drain(process.stdout), drain(process.stderr)]);
  process.exit(code);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Parts are loaded here, so that one that does not load is an answer like any other trouble. */
async function runCommand(args: readonly string[]): Promise<number> {
  if (args[0] === PRACTICE_AGENT) {
    // This program runs no scripts (its fuse is off), so the built-in agent has no other program to be a process of.
    const { runPracticeAgent } = await import('../practice/practice-agent.js');
    return await runPracticeAgent(args.slice(1));
  }
  if (args[0] === KEYCHAIN_HELPER) {
    const { runKeychainHelper } = await import('../keychain/run-helper.js');
    return await runKeychainHelper();
  }
  const { runCli } = await import('../cli/run-cli.js');
  const { stdin, stdout, stderr, env } = process;
  return await runCli(args, { stdin, stdout, stderr, env });
}

/** Runs the command and ends the process. `args` holds only the command's own arguments. */
export async function runHeadless(args: readonly string[]): Promise<void> {
  const denies = commandWord(args) === 'dispatch';
  const onTrouble = (error: unknown): void => {
    if (ending) return;
    const meaning = denies ? 'The call is denied.' : 'This is a fault of Sallyport.';
    process.stderr.write(`sallyport: ${describe(error)}\n${meaning}\n`);
    void end(denies ? DENIED : INTERNAL);
  };
  // Without these Electron shows a dialog and goes on.
  process.on('uncaughtException', onTrouble);
  process.on('unhandledRejection', onTrouble);
  // A reader that went away is found out when the command writes. A denial must hold and a part of a run ends with
  // its reader; the other commands go on without being read, since a run is recorded to its end.
  const ends = denies || args[0] === PRACTICE_AGENT || args[0] === KEYCHAIN_HELPER;
  process.stdout.on('error', (error) => {
    if (ends) onTrouble(error);
  });
  process.stderr.on('error', () => {
    if (ends) void end(denies ? DENIED : INTERNAL);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A command that stops by itself has a listener of its own; for the others this is the signal's default.
      if (process.listenerCount(signal) > 1) return;
      process.stderr.write(`sallyport: stopped by ${signal} (${constants.signals[signal]}).\n`);
      void end(denies ? DENIED : STOPPED);
    });
  }
  try {
    await end(await runCommand(args));
  } catch (error) {
    onTrouble(error);
  }
}

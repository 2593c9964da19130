/**
 * Follows one started process to its end: input, output, time-out, limits, what it leaves behind.
 * Starts nothing.
 */
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { endTree, killTreeNow, type ProcessTree } from './end-tree.js';
import type { Child } from './launch.js';
import { readOutput, type OutputReader } from './output.js';
import type { ResolvedProgram } from './programs.js';
import type { EndedBy, EndSignal, Running, SpawnRequest, SpawnResult } from './request.js';

/** Milliseconds of silence, after the program ended, until whoever still holds its output is ended. */
const DRAIN_MS = 250;
/** Milliseconds after which even a talkative holder of the output is ended. */
const DRAIN_CAP_MS = 5_000;
/** Milliseconds for which a process that no signal ended is still waited for. */
const GIVE_UP_MS = 1_000;

export interface Supervised {
  readonly child: Child;
  readonly pid: number;
  /** `performance.now()` of the start. */
  readonly began: number;
  readonly program: ResolvedProgram;
  readonly request: SpawnRequest;
  readonly tree: ProcessTree;
  readonly endSignals: readonly EndSignal[];
  readonly graceMs: number;
}

type Outputs = readonly [OutputReader, OutputReader];

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Ends the tree once; whoever asks first is the one who ended it. */
interface Ending {
  readonly end: (by: EndedBy) => Promise<readonly number[]>;
  readonly by: () => EndedBy;
  /** Settles when an ending that was asked for is complete. */
  readonly complete: Promise<readonly number[]>;
  readonly asked: () => boolean;
}

/** Takes over a process that was just started; must be called in the same turn of the event loop. */
export function supervise(started: Supervised): Running {
  const ending = prepareEnding(started);
  const exited = new Promise<Exit>((resolve) => {
    started.child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  writeInput(started.child.stdin, started.request.stdin);
  const done = follow(started, exited, ending);
  // A sink that throws is a bug of the caller, who hears of it through `done`; the tree still ends.
  done.catch(() => void ending.end('request'));
  return {
    pid: started.pid,
    program: started.program,
    input: started.request.stdin === 'open' ? started.child.stdin : null,
    done,
    end: async () => {
      void ending.end('request');
      await done.catch(() => ending.complete);
    },
  };
}

function prepareEnding({ tree, endSignals, graceMs }: Supervised): Ending {
  let by: EndedBy = 'itself';
  let running: Promise<readonly number[]> | null = null;
  let announce: (left: readonly number[]) => void;
  const complete = new Promise<readonly number[]>((resolve) => {
    announce = resolve;
  });
  return {
    end: (reason) => {
      if (running === null) {
        by = reason;
        running = endTree(tree, endSignals, graceMs);
        void running.then((left) => announce(left));
      }
      return running;
    },
    by: () => by,
    complete,
    asked: () => running !== null,
  };
}

async function follow(started: Supervised, exited: Promise<Exit>, ending: Ending): Promise<SpawnResult> {
  const { request, tree } = started;
  const outputs = readOutputs(started, () => void ending.end('output-limit'));
  const timer =
    request.timeoutMs === null ? undefined : setTimeout(() => void ending.end('time-out'), request.timeoutMs);
  unfinished.add(tree);
  watchOwnExit();
  try {
    const exit = await Promise.race([exited, immortal(ending), sinkFailure(outputs)]);
    clearTimeout(timer);
    const outputHeld = await drain(outputs, ending);
    const left = ending.asked() ? await ending.complete : [];
    return {
      exitCode: exit.code,
      signal: exit.signal,
      timedOut: ending.by() === 'time-out',
      truncated: outputs.some((output) => output.truncated()),
      stdout: outputs[0].bytes(),
      stderr: outputs[1].bytes(),
      durationMs: performance.now() - started.began,
      program: started.program.real,
      endedBy: ending.by(),
      outputHeld,
      left,
    };
  } finally {
    clearTimeout(timer);
    unfinished.delete(tree);
  }
}

/** A process that does not read its input, or closes it, is its own affair: the failed write is not ours. */
function writeInput(stdin: Writable | null, bytes: SpawnRequest['stdin']): void {
  if (stdin === null || bytes === 'none') return;
  stdin.on('error', () => undefined);
  if (bytes === 'open') return;
  stdin.end(bytes);
}

function readOutputs({ child, request }: Supervised, onExcess: () => void): Outputs {
  const common = { maxBytes: request.maxOutputBytes, onExcess };
  return [
    readOutput(child.stdout, { ...common, sink: request.onStdout ?? null }),
    readOutput(child.stderr, { ...common, sink: request.onStderr ?? null }),
  ];
}

/** Settles only after an ending that did not reach the process (it may not be signalled, or hangs in the kernel). */
async function immortal(ending: Ending): Promise<Exit> {
  await ending.complete;
  await sleep(GIVE_UP_MS, undefined, { ref: false });
  return { code: null, signal: null };
}

/** Never settles but by the error of a sink. */
function sinkFailure(outputs: Outputs): Promise<never> {
  return new Promise((_, reject) => {
    for (const output of outputs) output.done.catch(reject);
  });
}

/**
 * Waits until both outputs are closed. Something that outlives the program and holds them open gets
 * a short while to finish, then the tree is ended and the outputs are given up. True when it came to that.
 */
async function drain(outputs: Outputs, ending: Ending): Promise<boolean> {
  const closed = Promise.all(outputs.map((output) => output.done)).then(() => true);
  const began = performance.now();
  for (let pause = 5; ; pause = Math.min(pause * 2, 50)) {
    if (await Promise.race([closed, sleep(pause, false)])) return false;
    const now = performance.now();
    const silent = outputs.every((output) => now - Math.max(began, output.lastActivity()) >= DRAIN_MS);
    const busy = outputs.some((output) => output.busy());
    if (!busy && (silent || now - began >= DRAIN_CAP_MS)) break;
  }
  await ending.end('itself');
  for (const output of outputs) output.giveUp();
  await closed;
  return true;
}

/** Trees that must not outlive this process. */
const unfinished = new Set<ProcessTree>();
let watching = false;

function watchOwnExit(): void {
  if (watching) return;
  watching = true;
  process.on('exit', () => {
    for (const tree of unfinished) killTreeNow(tree);
  });
}

/**
 * What may be asked of the seam, and what it answers. Types and texts only; nothing starts here.
 */
import type { Writable } from 'node:stream';
import type { ResolvedProgram } from './programs.js';

/**
 * Why a process is started. `agent` and `hook` need an approval proof; a `probe` asks a program about
 * itself; a `helper` is a program of our own, which is part of what the user started.
 */
export type Purpose = 'agent' | 'hook' | 'probe' | 'helper';

export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

declare const proofBrand: unique symbol;
/** Opaque: only the approval store makes one, and only the store can say whether one holds. */
export interface ApprovalProof {
  readonly [proofBrand]: 'approval proof';
}

/** Exactly what is about to start, as the injected checker sees it. */
export interface IntendedStart {
  readonly purpose: Purpose;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly program: ResolvedProgram;
}

/** A consumer of output; while its promise is open nothing more is read (the process feels it as a full pipe). */
export type OutputSink = (chunk: Buffer) => void | Promise<void>;

export interface SpawnRequest {
  readonly purpose: Purpose;
  /** Program and arguments; never a shell line. The program is a path or a name on the PATH of `env`. */
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment; nothing is inherited. Built by environment.ts. */
  readonly env: Readonly<Record<string, string>>;
  /** Written and then closed; `none` is an empty input; `open` is written to while the process lives (`Running.input`). */
  readonly stdin: Uint8Array | 'none' | 'open';
  /** Milliseconds of wall time until the whole tree is ended; null for no bound. */
  readonly timeoutMs: number | null;
  /** Bytes held in memory per stream; excess ends the tree and marks the result truncated. Unused for a stream with a sink. */
  readonly maxOutputBytes: number;
  /** Sent in this order, with `graceMs` between; SIGKILL always comes last. */
  readonly endSignals?: readonly EndSignal[];
  /** Milliseconds between two end signals: by default 2,000 for hooks, 5,000 for agents, 200 for the others. */
  readonly graceMs?: number;
  /** Which run the process belongs to; required for `agent` and `hook`. */
  readonly marker?: { readonly runId: string } | null;
  readonly proof?: ApprovalProof | null;
  /** Sinks instead of memory; an agent needs both. */
  readonly onStdout?: OutputSink;
  readonly onStderr?: OutputSink;
}

/** Who or what ended the tree before it ended by itself. */
export type EndedBy = 'itself' | 'time-out' | 'output-limit' | 'request';

export interface SpawnResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly truncated: boolean;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly durationMs: number;
  /** Real path of the program that ran. */
  readonly program: string;
  readonly endedBy: EndedBy;
  /** The program ended but something it left behind held its output open, and was ended too. */
  readonly outputHeld: boolean;
  /** Processes of the tree that could not be ended. */
  readonly left: readonly number[];
}

export interface Running {
  readonly pid: number;
  readonly program: ResolvedProgram;
  /** What the process reads, for a request with `stdin: 'open'`; else null. Its errors are the writer's to hear. */
  readonly input: Writable | null;
  /** Settles when the process, its output and (where it had to be ended) its tree are done. Rejects only when a sink threw. */
  readonly done: Promise<SpawnResult>;
  /** Ends the whole tree; settles when it is gone. */
  readonly end: () => Promise<void>;
}

export type SpawnErrorCode =
  | 'invalid-request'
  | 'not-approved'
  | 'program-missing'
  | 'not-executable'
  | 'cwd-missing'
  | 'too-big'
  | 'start-failed';

export interface SpawnError {
  readonly code: SpawnErrorCode;
  /** What happened, what it means, what to do. */
  readonly text: string;
}

/** The one form of a spawn error's text. */
export function spawnError(code: SpawnErrorCode, what: string, means: string, advice: string): SpawnError {
  return { code, text: `${what}. ${means}. ${advice}.` };
}

import { Worker } from 'node:worker_threads';
import { runRecordSchema, type RunRecord } from '../../../shared/contracts/run.js';
import { traceSchema, type Trace } from '../../../shared/contracts/trace.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import {
  TRACE_LIMITS,
  type IndexAnswer,
  type IndexRequest,
  type IndexWorkerData,
  type RebuildReport,
  type RunQuery,
  type TraceLimits,
  type TraceQuery,
} from './index-protocol.js';
import type { StateFolder } from './layout.js';

/**
 * The index of runs and traces. The run folders are the truth: every failure here is a value that a
 * run can shrug at, and nothing is ever thrown. Shared safely by several processes.
 */
export interface IndexClient {
  /** What a person should know so far: set aside, built anew, runs that cannot be read. Grows while it is used. */
  readonly notices: readonly string[];
  /** Keeps a run's record; an older form of a run that is done is not taken. */
  readonly upsertRun: (record: RunRecord) => Promise<Result<null, string>>;
  /** Keeps traces, each once; over the bound the oldest go. */
  readonly addTraces: (traces: readonly Trace[]) => Promise<Result<null, string>>;
  /** Newest first. */
  readonly queryRuns: (query: RunQuery) => Promise<Result<readonly RunRecord[], string>>;
  /** Newest first. */
  readonly queryTraces: (query: TraceQuery) => Promise<Result<readonly Trace[], string>>;
  /** Reads all run folders again. */
  readonly rebuild: () => Promise<Result<RebuildReport, string>>;
  /** Waits for what was asked before, then lets go of the file. */
  readonly close: () => Promise<Result<null, string>>;
}

/** How long a worker may take to end after it closed, in milliseconds. */
const END_MS = 2_000;

/** Opens the index (made, filled or repaired from the run folders as needed). The worker never keeps a process alive by itself. */
export async function openIndex(
  state: StateFolder,
  { workerUrl, limits = TRACE_LIMITS }: { readonly workerUrl: URL; readonly limits?: TraceLimits },
): Promise<Result<IndexClient, string>> {
  const line = startWorker(workerUrl, { state, limits });
  const opened = await line.opened;
  if (!opened.ok) {
    await line.end();
    return fail(opened.error);
  }
  line.notices.unshift(...(opened.value as readonly string[]));
  return ok({
    notices: line.notices,
    upsertRun: (record) => line.ask({ ask: 'upsertRun', record }) as Promise<Result<null, string>>,
    addTraces: (traces) => line.ask({ ask: 'addTraces', traces }) as Promise<Result<null, string>>,
    queryRuns: async (query) => {
      const rows = await line.ask({ ask: 'queryRuns', query });
      return rows.ok ? readRows(rows.value, (row) => runRecordSchema.parse(row)) : rows;
    },
    queryTraces: async (query) => {
      const rows = await line.ask({ ask: 'queryTraces', query });
      return rows.ok ? readRows(rows.value, (row) => traceSchema.parse(row)) : rows;
    },
    rebuild: () => line.ask({ ask: 'rebuild' }) as Promise<Result<RebuildReport, string>>,
    close: async () => {
      const closed = await line.ask({ ask: 'close' });
      await line.end();
      return closed as Result<null, string>;
    },
  });
}

function readRows<T>(rows: unknown, read: (row: unknown) => T): Result<readonly T[], string> {
  try {
    return ok((rows as readonly string[]).map((row) => read(JSON.parse(row))));
  } catch {
    return fail('the index holds a row that this version does not read');
  }
}

interface Line {
  readonly opened: Promise<Result<unknown, string>>;
  readonly notices: string[];
  readonly ask: (request: IndexRequest) => Promise<Result<unknown, string>>;
  readonly end: () => Promise<void>;
}

/** The worker, and who waits for which answer. When it dies everyone is told. */
function startWorker(workerUrl: URL, data: IndexWorkerData): Line {
  const waiting = new Map<number, (result: Result<unknown, string>) => void>();
  const notices: string[] = [];
  let last = 0;
  let dead: string | null = null;
  const worker = new Worker(workerUrl, { workerData: data });
  const wait = (number: number) =>
    new Promise<Result<unknown, string>>((resolve) => {
      waiting.set(number, resolve);
      worker.ref();
    });
  const settle = (number: number, result: Result<unknown, string>) => {
    waiting.get(number)?.(result);
    waiting.delete(number);
    if (waiting.size === 0) worker.unref();
  };
  const die = (why: string) => {
    dead ??= why;
    for (const number of [...waiting.keys()]) settle(number, fail(dead));
  };
  const opened = wait(0);
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      die('the worker of the index has ended');
      resolve();
    });
  });
  worker.on('error', (error) => {
    die(`the worker of the index failed: ${error instanceof Error ? error.message : String(error)}`);
  });
  worker.on('message', ({ number, result, notices: said }: IndexAnswer) => {
    notices.push(...said);
    settle(number, result);
  });
  return {
    opened,
    notices,
    ask: async (request) => {
      if (dead !== null) return fail(dead);
      last += 1;
      const answer = wait(last);
      try {
        worker.postMessage({ number: last, request });
      } catch (error) {
        settle(last, fail(`the index cannot be asked: ${error instanceof Error ? error.message : String(error)}`));
      }
      return answer;
    },
    end: async () => {
      worker.ref();
      const timer = setTimeout(() => void worker.terminate(), END_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

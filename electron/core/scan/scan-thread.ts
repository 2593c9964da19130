import { Worker } from 'node:worker_threads';
import { fail, ok, type Result } from '../../../shared/result.js';
import { ALL_RULES } from '../redaction/rules/find.js';
import type { KnownSecretValue, ScanAnswer, ScanRequest, ScanWorkerData } from './protocol.js';

/** Why there is no answer. `stalled`: one rule or file took too long; the thread was ended and starts anew. */
export type ThreadFault =
  | { readonly what: 'stalled'; readonly rule: number | null }
  | { readonly what: 'broken'; readonly why: string }
  | { readonly what: 'stopped' };

/** The scan's worker from outside: it is ended when it stands still, and never waited for without a bound. */
export interface ScanThread {
  /** `stillMs`: the longest time between two signs of life. */
  readonly ask: <R extends ScanRequest>(
    request: R,
    stillMs: number,
    stop: AbortSignal,
  ) => Promise<Result<Extract<ScanAnswer, { answer: R['ask'] }>, ThreadFault>>;
  readonly close: () => Promise<void>;
}

/** Time between two looks at the pulse, in milliseconds. */
const LOOK_MS = 50;

interface OpenWorker {
  readonly worker: Worker;
  readonly pulse: Int32Array;
  /** Hears the one answer that is waited for, or why there will be none. */
  hear: (result: Result<ScanAnswer, ThreadFault>) => void;
}

/** Starts nothing before the first question. */
export function openScanThread(
  workerUrl: URL,
  input: { readonly key: Uint8Array; readonly known: readonly KnownSecretValue[] },
): ScanThread {
  let open: OpenWorker | null = null;
  const close = async () => {
    const worker = open?.worker;
    open = null;
    await worker?.terminate();
  };
  return {
    close,
    ask: async (request, stillMs, stop) => {
      if (stop.aborted) return fail({ what: 'stopped' });
      open ??= startWorker(workerUrl, input);
      const result = await oneAnswer(open, request, stillMs, stop);
      if (!result.ok) await close();
      return result as Result<never, ThreadFault>;
    },
  };
}

function startWorker(workerUrl: URL, input: Omit<ScanWorkerData, 'pulse'>): OpenWorker {
  const shared = new SharedArrayBuffer(8);
  const data: ScanWorkerData = { pulse: shared, ...input };
  // Its output is nobody's: what a rule prints could hold what it found.
  const worker = new Worker(workerUrl, { workerData: data, stdout: true, stderr: true });
  worker.stdout.resume();
  worker.stderr.resume();
  const open: OpenWorker = { worker, pulse: new Int32Array(shared), hear: () => undefined };
  worker.on('message', (answer: ScanAnswer) => {
    open.hear(ok(answer));
  });
  // Only the kind of the error: its words could quote what was being looked at.
  worker.on('error', (error: unknown) => {
    open.hear(fail({ what: 'broken', why: error instanceof Error ? error.name : 'an error' }));
  });
  worker.on('exit', () => {
    open.hear(fail({ what: 'broken', why: 'its thread ended' }));
  });
  return open;
}

function oneAnswer(
  open: OpenWorker,
  request: ScanRequest,
  stillMs: number,
  stop: AbortSignal,
): Promise<Result<ScanAnswer, ThreadFault>> {
  const { worker, pulse } = open;
  return new Promise((resolve) => {
    let [last, since] = [-1, performance.now()];
    const settle = (result: Result<ScanAnswer, ThreadFault>) => {
      clearInterval(timer);
      open.hear = () => undefined;
      stop.removeEventListener('abort', stopped);
      resolve(result);
    };
    const stopped = () => {
      settle(fail({ what: 'stopped' }));
    };
    const timer = setInterval(() => {
      const steps = Atomics.load(pulse, 0);
      if (steps !== last) [last, since] = [steps, performance.now()];
      if (performance.now() - since < stillMs) return;
      const rule = Atomics.load(pulse, 1);
      settle(fail({ what: 'stalled', rule: rule >= 0 && rule < ALL_RULES.length ? rule : null }));
    }, LOOK_MS);
    stop.addEventListener('abort', stopped, { once: true });
    open.hear = settle;
    worker.postMessage(request);
  });
}

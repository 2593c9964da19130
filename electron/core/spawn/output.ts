/**
 * Reads one output stream of a process: into bounded memory, or to a sink that is waited for.
 */
import type { Readable } from 'node:stream';
import type { OutputSink } from './request.js';

export interface OutputReader {
  /** Settles when the stream ended or was given up; rejects only when the sink threw. */
  readonly done: Promise<void>;
  /** Bytes held in memory. */
  readonly bytes: () => Buffer;
  readonly truncated: () => boolean;
  /** A sink is at work. */
  readonly busy: () => boolean;
  /** `performance.now()` of the last sign of life. */
  readonly lastActivity: () => number;
  readonly giveUp: () => void;
}

export interface OutputOptions {
  readonly sink: OutputSink | null;
  /** Bytes; more than that calls `onExcess` once, and the rest is read and dropped. */
  readonly maxBytes: number;
  readonly onExcess: () => void;
}

/** Starts reading at once. */
export function readOutput(stream: Readable, options: OutputOptions): OutputReader {
  const chunks: Buffer[] = [];
  let held = 0;
  let excess = false;
  let busy = false;
  let last = performance.now();
  let givenUp = false;

  const hold = (chunk: Buffer) => {
    const room = options.maxBytes - held;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (part.length > 0) chunks.push(part);
    held += part.length;
    if (part.length === chunk.length || excess) return;
    excess = true;
    options.onExcess();
  };

  const read = async () => {
    const source = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    for (;;) {
      const next = await nextChunk(source);
      if (next === null || givenUp) return;
      last = performance.now();
      if (options.sink === null) {
        hold(next);
        continue;
      }
      busy = true;
      try {
        await options.sink(next);
      } finally {
        busy = false;
        last = performance.now();
      }
    }
  };

  return {
    done: read(),
    bytes: () => Buffer.concat(chunks),
    truncated: () => excess,
    busy: () => busy,
    lastActivity: () => last,
    giveUp: () => {
      givenUp = true;
      stream.destroy();
    },
  };
}

/** Null at the end; a stream that broke or was destroyed has ended too. */
async function nextChunk(source: AsyncIterator<Buffer>): Promise<Buffer | null> {
  try {
    const next = await source.next();
    return next.done === true ? null : next.value;
  } catch {
    return null;
  }
}

import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { runEventViewSchema } from '../../../shared/bridge/views.js';
import { traceSchema, type Trace } from '../../../shared/contracts/trace.js';
import type { StateFolder } from '../store/layout.js';
import { runFolder } from '../store/run-folder.js';
import { boundedEvent, MOST_EVENTS, type EventView } from './bounded-event.js';

type RunsPlace = Pick<StateFolder, 'runsDir'>;

/** How much of the end of a file is read, in bytes; most traces; most of a raw output at once. */
const MAX_TAIL = 8 * 1024 * 1024;
const MOST_TRACES = 2_000;
const MAX_RAW = 256 * 1024;
/** Characters that are parsed before others get their turn: parsing shares its thread with the gate. */
const PARSED_AT_ONCE = 128 * 1024;

/** The newest entries of a timeline as they are stored; `cut` when older ones, or damaged lines, were left out. */
export async function readEvents(
  state: RunsPlace,
  id: string,
): Promise<{ readonly events: EventView[]; readonly cut: boolean }> {
  const tail = await readTail(state, id, 'events.jsonl');
  const lines = tail.lines.slice(-MOST_EVENTS);
  const events = await parseEach(lines, (value) => {
    const parsed = runEventViewSchema.safeParse(value);
    return parsed.success ? boundedEvent(parsed.data) : null;
  });
  return { events, cut: tail.cut || events.length < tail.lines.length };
}

/** The newest traces of a run, oldest first. */
export async function readNewestTraces(state: RunsPlace, id: string): Promise<Trace[]> {
  const { lines } = await readTail(state, id, 'traces.jsonl');
  return parseEach(lines.slice(-MOST_TRACES), (value) => {
    const parsed = traceSchema.safeParse(value);
    // A trace of another run would be shown where it does not belong.
    return parsed.success && parsed.data.run_id === id ? parsed.data : null;
  });
}

async function parseEach<T>(lines: readonly string[], read: (value: unknown) => T | null): Promise<T[]> {
  const values: T[] = [];
  let parsed = 0;
  for (const line of lines) {
    const value = parseJson(line);
    const one = value === undefined ? null : read(value);
    if (one !== null) values.push(one);
    parsed += line.length;
    if (parsed < PARSED_AT_ONCE) continue;
    parsed = 0;
    await breath();
  }
  return values;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Whole lines from the end of a run's file. */
async function readTail(
  state: RunsPlace,
  id: string,
  name: string,
): Promise<{ readonly lines: readonly string[]; readonly cut: boolean }> {
  const file = await openPlain(join(runFolder(state, id), name));
  if (file === null) return { lines: [], cut: false };
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - MAX_TAIL);
    const bytes = await readAt(file, from, size - from);
    const lines = bytes.toString('utf8').split('\n');
    // What stands before the first line end of a tail is the rest of a line; what stands after the last one is being written.
    if (from > 0) lines.shift();
    lines.pop();
    return { lines, cut: from > 0 };
  } finally {
    await file.close();
  }
}

/** A part of a run's raw output; null where there is no such file. `next` is where to go on, null at the end of what will ever come. */
export async function readRaw(
  state: RunsPlace,
  id: string,
  part: { readonly stream: 'stdout' | 'stderr'; readonly offset: number; readonly ended: boolean },
): Promise<{ readonly text: string; readonly next: number | null } | null> {
  const file = await openPlain(join(runFolder(state, id), `${part.stream}.log`));
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const left = Math.max(0, size - part.offset);
    const bytes = await readAt(file, part.offset, Math.min(left, MAX_RAW));
    const last = part.offset + bytes.length >= size;
    const whole = last && part.ended ? bytes : bytes.subarray(0, wholeCharacters(bytes));
    const next = part.offset + whole.length;
    return { text: whole.toString('utf8'), next: last && part.ended ? null : next };
  } finally {
    await file.close();
  }
}

/** Length without a UTF-8 character that is not complete yet. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < needs ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** A link in its place leads somewhere else, and a pipe would hold us for ever. */
async function openPlain(path: string): Promise<FileHandle | null> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is not a plain file`);
}

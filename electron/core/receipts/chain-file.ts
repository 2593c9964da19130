/**
 * `receipts.jsonl`: the chain of signed envelopes, a line each, which only grows. It outlives the folders of the runs.
 * Nothing is changed in it but one thing: the rest of a line whose writer died is moved aside, and the caller says so.
 */
import { constants } from 'node:fs';
import { open, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { statementSchema, type Statement } from '../../../shared/contracts/receipt-statement.js';
import { envelopeDigest, readEnvelope, type Envelope } from './dsse.js';
import { openPlain } from './plain-file.js';

export const CHAIN_FILE = 'receipts.jsonl';

/** A line of the chain that is a receipt. */
export interface ChainEntry {
  readonly digest: string;
  /** The line as it stands there, its end among it. */
  readonly text: string;
  readonly envelope: Envelope;
  readonly statement: Statement;
  readonly sequence: number;
  readonly previous: string | null;
}

/** Reads one line (with its end); null where it is no receipt with a place in a chain. */
export function readEntry(line: string): ChainEntry | null {
  const read = readEnvelope(line);
  if (!read.ok) return null;
  const statement = statementSchema.safeParse(read.value.statement);
  if (!statement.success) return null;
  const { sequence, previous } = statement.data.predicate.receipt;
  if (sequence === null) return null;
  return {
    digest: envelopeDigest(Buffer.from(line, 'utf8')),
    text: line,
    envelope: read.value.envelope,
    statement: statement.data,
    sequence,
    previous,
  };
}

/** Lines with their ends; what stands after the last end is the last one, without an end. Empty where there is no file. */
export async function readChainLines(path: string): Promise<readonly string[]> {
  const file = await openPlain(path, constants.O_RDONLY);
  if (file === null) return [];
  try {
    const text = await file.readFile('utf8');
    return text.split(/(?<=\n)/).filter((line) => line !== '');
  } finally {
    await file.close();
  }
}

/** The end of the chain file. */
export interface ChainTail {
  readonly exists: boolean;
  /** Null where the file is empty, or its last whole line is no receipt. */
  readonly last: ChainEntry | null;
  /** Whether there is any whole line. */
  readonly lines: boolean;
  /** Bytes after the last line end: a line that was not written to its end. */
  readonly torn: Buffer;
  /** Of the file without them, in bytes. */
  readonly whole: number;
}

/** Bytes that are read from the end at first; more where the last line is longer. */
const FIRST_READ = 64 * 1024;

/** Looks at the end of the chain file only, however long it is. */
export async function readTail(dir: string): Promise<ChainTail> {
  const file = await openPlain(join(dir, CHAIN_FILE), constants.O_RDONLY);
  if (file === null) return { exists: false, last: null, lines: false, torn: Buffer.alloc(0), whole: 0 };
  try {
    const { size } = await file.stat();
    for (let length = Math.min(size, FIRST_READ); ; length = Math.min(size, 2 * length)) {
      const tail = tailIn(await readEnd(file, size, length), size);
      if (tail !== null) return tail;
    }
  } finally {
    await file.close();
  }
}

async function readEnd(file: FileHandle, size: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, size - length + filled);
    if (bytesRead === 0) throw new Error(`${CHAIN_FILE} became shorter while it was read`);
    filled += bytesRead;
  }
  return bytes;
}

/** Null where the last whole line begins before these bytes. */
function tailIn(bytes: Buffer, size: number): ChainTail | null {
  const end = bytes.lastIndexOf(0x0a);
  const begin = end < 1 ? -1 : bytes.lastIndexOf(0x0a, end - 1);
  if (begin === -1 && bytes.length < size) return null;
  const line = bytes.subarray(begin + 1, end + 1);
  const torn = bytes.subarray(end + 1);
  return {
    exists: size > 0,
    last: line.length === 0 ? null : readEntry(line.toString('utf8')),
    lines: line.length > 0,
    torn,
    whole: size - torn.length,
  };
}

/** Puts the torn rest of the file into one of its own and cuts it off; answers the name of that file. Only in the lock. */
export async function moveTornAside(dir: string, { torn, whole }: ChainTail): Promise<string> {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const name = `receipts.torn-${stamp}-${randomBytes(3).toString('hex')}.txt`;
  await writeFile(join(dir, name), torn, { mode: 0o600, flag: 'wx', flush: true });
  const file = await openPlain(join(dir, CHAIN_FILE), constants.O_RDWR);
  if (file === null) throw new Error(`${CHAIN_FILE} is gone`);
  try {
    await file.truncate(whole);
    await file.sync();
  } finally {
    await file.close();
  }
  return name;
}

/** Adds a line (with its end) and waits until it is on disk. `apart`: begins on a line of its own, after one that was cut. Only in the lock. */
export async function appendLine(dir: string, line: string, apart: boolean): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const file = await open(join(dir, CHAIN_FILE), flags, 0o600);
  try {
    await file.appendFile(apart ? `\n${line}` : line);
    await file.sync();
  } finally {
    await file.close();
  }
}

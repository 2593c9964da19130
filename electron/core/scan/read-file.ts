/** Reads one file for the exit scan: bounded, never through a link, decoded where it is text. */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { gunzipSync, inflateSync } from 'node:zlib';
import { fail, ok, type Result } from '../../../shared/result.js';

/** A piece of a file to be looked at. */
export interface Piece {
  readonly bytes: Buffer;
  /** As text; null where it is none and is searched for known values alone. */
  readonly text: string | null;
  /** True where a place in the text is told as line and column, else as offset. */
  readonly lines: boolean;
  /** Of its first byte in the file. */
  readonly offset: number;
}

export interface ReadFile {
  readonly pieces: Iterable<Piece>;
  /** Bytes that are looked at. */
  readonly bytes: number;
  readonly problem: string | null;
  readonly digestOf: Buffer | null;
}

/** Files up to here are looked at as a whole; larger ones in overlapping windows. */
const WHOLE = 67_108_864;
const WINDOW = 16_777_216;
/** Longer than any secret. */
const OVERLAP = 131_072;
/** Bytes at the beginning by which a file is told to be text or not. */
const HEAD = 65_536;

/** Opens and reads; an error is in words and says which file. `maxBytes` bounds what is read and unpacked. */
export function readForScan(path: string, maxBytes: number): Result<ReadFile, string> {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return fail(`${path} cannot be read (${codeOf(error)})`);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return fail(`${path} is no plain file`);
    if (stat.size > maxBytes) return fail(`${path} is larger than what may still be looked at (${stat.size} bytes)`);
    return ok(stat.size > WHOLE ? inWindows(path, stat.size) : decode(path, readAt(fd, 0, stat.size), maxBytes));
  } catch (error) {
    return fail(`${path} cannot be read (${codeOf(error)})`);
  } finally {
    closeSync(fd);
  }
}

/** What the system calls an error; never its words, which may quote a file. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'unknown';
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(fd, bytes, filled, length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

/** One character is one byte here; rules are about ASCII. */
function inWindows(path: string, size: number): ReadFile {
  function* windows(): Generator<Piece> {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      let text: boolean | null = null;
      for (let offset = 0; offset < size; offset += WINDOW) {
        const bytes = readAt(fd, offset, WINDOW + OVERLAP);
        text ??= kindOf(bytes) !== 'binary';
        yield { bytes, text: text ? bytes.toString('latin1') : null, lines: false, offset };
        if (bytes.length < WINDOW + OVERLAP) return;
      }
    } finally {
      closeSync(fd);
    }
  }
  return { pieces: windows(), bytes: size, problem: null, digestOf: null };
}

function decode(path: string, bytes: Buffer, maxBytes: number): ReadFile {
  const one = (piece: Omit<Piece, 'offset'>, problem: string | null = null): ReadFile => ({
    pieces: [{ ...piece, offset: 0 }],
    bytes: bytes.length,
    problem,
    digestOf: bytes,
  });
  switch (kindOf(bytes)) {
    case 'packed': {
      const unpacked = unpack(bytes, maxBytes);
      if (unpacked === null)
        return one({ bytes, text: null, lines: false }, `${path} is packed and cannot be unpacked within the limit`);
      const inner = decode(path, unpacked, 0);
      return { ...inner, bytes: bytes.length + unpacked.length, digestOf: bytes };
    }
    case 'utf-16': {
      const text = fromUtf16(bytes);
      return one({ bytes: Buffer.from(text, 'utf8'), text, lines: true });
    }
    case 'utf-8':
      return one({ bytes, text: bytes.toString('utf8'), lines: true });
    case 'database':
      return one({ bytes, text: bytes.toString('latin1'), lines: false });
    case 'binary':
      return one({ bytes, text: null, lines: false });
    case 'unknown':
      return one(
        { bytes, text: bytes.toString('latin1'), lines: true },
        `${path} is text in an encoding that is not known`,
      );
  }
}

type Kind = 'packed' | 'utf-16' | 'utf-8' | 'database' | 'binary' | 'unknown';

function kindOf(bytes: Buffer): Kind {
  const [first = 0, second = 0] = bytes;
  if (first === 0x1f && second === 0x8b) return 'packed';
  // What zlib packs with its header, such as the loose objects of git.
  if (first === 0x78 && (first * 256 + second) % 31 === 0 && !isUtf8(bytes)) return 'packed';
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'utf-16';
  const head = bytes.subarray(0, HEAD);
  // A database keeps texts as they are; its log beside it too.
  if (
    head.subarray(0, 15).toString('latin1') === 'SQLite format 3' ||
    /^\x37\x7f\x06[\x82\x83]/.test(head.subarray(0, 4).toString('latin1'))
  )
    return 'database';
  if (head.includes(0)) return utf16Order(head) === null ? 'binary' : 'utf-16';
  if (bytes.length > WHOLE || isUtf8(bytes)) return 'utf-8';
  return controls(head) > head.length / 50 ? 'binary' : 'unknown';
}

function controls(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes)
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x1b) count += 1;
  return count;
}

/** Text of mostly Latin letters has a zero in every other byte. */
function utf16Order(head: Buffer): 'le' | 'be' | null {
  if (head.length < 4) return null;
  let [even, odd] = [0, 0];
  for (let at = 0; at < head.length; at += 1) {
    if (head[at] !== 0) continue;
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  const most = head.length / 2;
  if (odd > most * 0.7 && even < most * 0.05) return 'le';
  return even > most * 0.7 && odd < most * 0.05 ? 'be' : null;
}

function fromUtf16(bytes: Buffer): string {
  const marked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const order = marked ? (bytes[0] === 0xff ? 'le' : 'be') : utf16Order(bytes.subarray(0, HEAD));
  const body = Buffer.from(bytes.subarray(marked ? 2 : 0, bytes.length - (bytes.length % 2)));
  return (order === 'be' ? body.swap16() : body).toString('utf16le');
}

function unpack(bytes: Buffer, maxBytes: number): Buffer | null {
  const options = { maxOutputLength: Math.min(WHOLE, maxBytes - bytes.length) };
  if (options.maxOutputLength <= 0) return null;
  try {
    return bytes[0] === 0x1f ? gunzipSync(bytes, options) : inflateSync(bytes, options);
  } catch {
    return null;
  }
}

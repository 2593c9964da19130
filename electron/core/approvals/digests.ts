/**
 * Digests: SHA-256 over exact bytes, over files, over canonical JSON. Says nothing about trust.
 */
import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { canonicalJson } from '../../../shared/canonical-json.js';
import { fail, ok, type Result } from '../../../shared/result.js';

/** `sha256:` + 64 hex digits of the bytes (a text counts as UTF-8). */
export function sha256OfBytes(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Digest of the RFC 8785 form; an error for what that form cannot carry. */
export function canonicalDigest(json: unknown): Result<string, string> {
  const text = canonicalJson(json);
  return text.ok ? ok(sha256OfBytes(text.value)) : text;
}

export interface FileDigest {
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

export interface FileDigestError {
  readonly code: 'missing' | 'not-a-file' | 'too-large' | 'unreadable' | 'changing';
  readonly text: string;
}

interface Stamped extends FileDigest {
  readonly stamp: string;
}

/** Milliseconds: a file changed less than that before it was read could change again within the same stamp. */
const RECENT_MS = 2_000;
const MAX_CACHED = 512;
const CHUNK = 1024 * 1024;
const cache = new Map<string, Stamped>();

/**
 * Digest of a file's bytes, read as a stream. A file whose stamp (device, inode, size, times in
 * nanoseconds) is as before is not read again, unless it was changed only just before it was read.
 * A file that changes while it is read is an error, and so is one over `maxBytes`.
 */
export async function sha256OfFile(
  file: string,
  options: { readonly maxBytes?: number } = {},
): Promise<Result<FileDigest, FileDigestError>> {
  let handle: FileHandle;
  try {
    // A pipe in the file's place must not hang us.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return fail(openFault(file, error));
  }
  try {
    return await digestOf(file, handle, options.maxBytes ?? Number.POSITIVE_INFINITY);
  } catch (error) {
    return fail({ code: 'unreadable', text: `${JSON.stringify(file)} cannot be read (${codeOf(error)})` });
  } finally {
    await handle.close();
  }
}

async function digestOf(
  file: string,
  handle: FileHandle,
  maxBytes: number,
): Promise<Result<FileDigest, FileDigestError>> {
  const before = await handle.stat({ bigint: true });
  const name = JSON.stringify(file);
  if (!before.isFile()) return fail({ code: 'not-a-file', text: `${name} is not a regular file` });
  if (before.size > maxBytes) return fail({ code: 'too-large', text: `${name} has more than ${maxBytes} bytes` });
  const stamp = stampOf(before);
  const known = cache.get(file);
  if (known?.stamp === stamp) return ok({ digest: known.digest, size: known.size });
  cache.delete(file);

  const started = Date.now();
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, Number(before.size) + 1));
  let size = 0;
  // One byte more than the file had is enough to see that it grew.
  for (let bytesRead = -1; bytesRead !== 0 && size <= before.size;) {
    ({ bytesRead } = await handle.read(chunk, 0, chunk.length, size));
    size += bytesRead;
    hash.update(chunk.subarray(0, bytesRead));
  }
  const after = await handle.stat({ bigint: true });
  if (stampOf(after) !== stamp || BigInt(size) !== before.size) {
    return fail({ code: 'changing', text: `${name} changed while it was read` });
  }
  const digest = `sha256:${hash.digest('hex')}`;
  if (!isRecent(after, started)) remember(file, { digest, size, stamp });
  return ok({ digest, size });
}

function stampOf(stat: BigIntStats): string {
  return [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
}

function isRecent(stat: BigIntStats, readAt: number): boolean {
  return Math.max(Number(stat.mtimeMs), Number(stat.ctimeMs)) > readAt - RECENT_MS;
}

function remember(file: string, entry: Stamped): void {
  const oldest = cache.keys().next();
  if (cache.size >= MAX_CACHED && oldest.done !== true) cache.delete(oldest.value);
  cache.set(file, entry);
}

function openFault(file: string, error: unknown): FileDigestError {
  const code = codeOf(error);
  const name = JSON.stringify(file);
  if (code === 'ENOENT' || code === 'ENOTDIR') return { code: 'missing', text: `${name} is not there` };
  return { code: 'unreadable', text: `${name} cannot be read (${code})` };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/**
 * Reads a document file once, bounded, together with the stamp of exactly the file that was read.
 * Synchronous on purpose: a boundary asks for a few stamps, and nothing may change in between.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type BigIntStats } from 'node:fs';
import { DOCUMENT_LIMITS } from '../../../shared/contracts/hook.js';
import { fail, ok, type Result } from '../../../shared/result.js';

/** How old (in ms) a file's last change must be before its stamp alone is proof that nothing changed. */
const SETTLED_AFTER_MS = 2_000;

export interface FileStamp {
  /** dev, ino, size, mtime and ctime in nanoseconds. */
  readonly stamp: string;
  /** False for a change so recent that another could hide behind the same stamp. */
  readonly settled: boolean;
}

export interface ReadBytes extends FileStamp {
  readonly bytes: Uint8Array;
}

/** The stamp of a file; null when there is none. Errors say what kept it from being looked at. */
export function stampOf(file: string): Result<FileStamp | null, string> {
  try {
    return ok(toStamp(statSync(file, { bigint: true })));
  } catch (error) {
    return isMissing(error) ? ok(null) : fail(describe(error));
  }
}

/** The bytes of a regular file, at most one over the limit of a document; null when there is no file. */
export function readDocumentFile(file: string): Result<ReadBytes | null, string> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const read = readOnce(file);
    if (read !== 'changed') return read;
  }
  return fail('changes while it is read; try again when it is complete');
}

function readOnce(file: string): Result<ReadBytes | null, string> | 'changed' {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a named pipe in its place would stop the whole process.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return isMissing(error) ? ok(null) : fail(describe(error));
  }
  try {
    const before = fstatSync(descriptor, { bigint: true });
    if (!before.isFile()) return fail('is not a regular file');
    const bytes = readBounded(descriptor, DOCUMENT_LIMITS.bytes + 1);
    const after = toStamp(fstatSync(descriptor, { bigint: true }));
    return after.stamp === toStamp(before).stamp ? ok({ bytes, ...after }) : 'changed';
  } catch (error) {
    return fail(describe(error));
  } finally {
    closeSync(descriptor);
  }
}

function readBounded(descriptor: number, limit: number): Uint8Array {
  const buffer = new Uint8Array(limit);
  let length = 0;
  while (length < limit) {
    const read = readSync(descriptor, buffer, length, limit - length, null);
    if (read === 0) break;
    length += read;
  }
  return buffer.slice(0, length);
}

function toStamp(stats: BigIntStats): FileStamp {
  const stamp = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
  // The change time cannot be set by hand; one in the future (a clock set back) never settles.
  return { stamp, settled: Date.now() - Number(stats.ctimeMs) > SETTLED_AFTER_MS };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function describe(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return `cannot be read (${code})`;
}

/**
 * The index in its worker thread: the only file that opens the database, so that a write that waits for
 * another process never stalls the loop of the program. It holds nothing that the run folders do not.
 */
import { rename, open as openFile, stat } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import Libsql, { type Database } from 'libsql';
import { fail, ok, type Result } from '../../../shared/result.js';
import { fillFromFolders, followFolders } from './index-fill.js';
import type { IndexAnswer, IndexRequest, IndexWorkerData, RebuildReport } from './index-protocol.js';
import {
  hasTables,
  inTransaction,
  isFilled,
  makeTables,
  putRun,
  putTraces,
  selectRuns,
  selectTraces,
  setFilled,
  versionOf,
} from './index-tables.js';
import { withLock } from './locks.js';

/** How long one statement waits for another process's write, in milliseconds. */
const BUSY_MS = 5_000;

const { state, limits } = workerData as IndexWorkerData;
const port = parentPort;
if (port === null) throw new Error('the index runs in a worker');
let db: Database | null = null;
/** Which file is open: another process may have put a new one in its place. */
let openInode: bigint | null = null;

/**
 * A database that can be used, with tables of this version; what was said about the way there is returned.
 * `damage` is what the open one showed when it was used: opening alone would not meet it again.
 */
async function openDatabase(damage: Error | null = null): Promise<readonly string[]> {
  return withLock(state.dir, 'index', async () => {
    db?.close();
    db = null;
    try {
      if (damage !== null && openInode === (await inodeOfIndex())) throw damage;
      db = await connect();
      return prepareTables(db);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      db?.close();
      const aside = await setAside();
      db = await connect();
      makeTables(db);
      return [
        `the index was damaged (${textOf(error)}); it was set aside as ${aside} and is built anew from the run folders`,
      ];
    }
  });
}

async function inodeOfIndex(): Promise<bigint | null> {
  return stat(state.indexFile, { bigint: true }).then(
    ({ ino }) => ino,
    () => null,
  );
}

async function connect(): Promise<Database> {
  // SQLite gives its side files the mode of this one.
  await (await openFile(state.indexFile, 'a', 0o600)).close();
  openInode = await inodeOfIndex();
  const connection = new Libsql(state.indexFile, { timeout: BUSY_MS });
  try {
    connection.prepare(`PRAGMA busy_timeout = ${BUSY_MS}`).all();
    connection.prepare('PRAGMA journal_mode = WAL').all();
    connection.exec('PRAGMA synchronous = NORMAL');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function prepareTables(connection: Database): readonly string[] {
  if (hasTables(connection)) {
    // Reads a page of the tables, so that damage is met here rather than later.
    isFilled(connection);
    return [];
  }
  const before = versionOf(connection);
  makeTables(connection);
  return before === 0 ? [] : [`the index was of another version (${before}); it is built anew from the run folders`];
}

/** Moves the file away under a name of its own, with its side files, whose content belongs to it. */
async function setAside(): Promise<string> {
  const stamp = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const target = `${state.indexFile}.damaged-${stamp}-${process.pid}`;
  for (const end of ['-wal', '-shm', '']) {
    const there = await stat(state.indexFile + end).then(
      () => true,
      () => false,
    );
    if (there) await rename(state.indexFile + end, target + end);
  }
  return target;
}

function isCorrupt(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(String(error.code));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function connection(): Database {
  if (db === null) throw new Error('the index is closed');
  return db;
}

async function fill(): Promise<RebuildReport> {
  const current = connection();
  return isFilled(current) ? followFolders(current, state, limits) : fillFromFolders(current, state, limits);
}

async function perform(request: IndexRequest): Promise<unknown> {
  const current = connection();
  switch (request.ask) {
    case 'upsertRun':
      inTransaction(current, () => {
        putRun(current, request.record);
      });
      return null;
    case 'addTraces':
      inTransaction(current, () => {
        putTraces(current, request.traces, limits);
      });
      return null;
    case 'queryRuns':
      return selectRuns(current, request.query);
    case 'queryTraces':
      return selectTraces(current, request.query);
    case 'rebuild':
      setFilled(current, false);
      return fill();
    case 'close':
      current.close();
      db = null;
      return null;
  }
}

interface Told<T> {
  readonly result: Result<T, string>;
  readonly notices: readonly string[];
}

/** Does something with the database; damage that shows only now is mended, said, and then it is done once more. */
async function mending<T>(work: () => Promise<T>): Promise<Told<T>> {
  let notices: readonly string[] = [];
  try {
    return { result: ok(await work()), notices };
  } catch (error) {
    if (!isCorrupt(error)) return { result: fail(textOf(error)), notices };
    try {
      notices = await openDatabase(error);
      notices = [...notices, ...(await fill()).notices];
      return { result: ok(await work()), notices };
    } catch (again) {
      return { result: fail(textOf(again)), notices };
    }
  }
}

async function open(): Promise<Told<readonly string[]>> {
  try {
    const opened = await openDatabase();
    const { result, notices } = await mending(fill);
    if (!result.ok) return { result, notices };
    // What was mended has been filled with the same words.
    return { result: ok([...new Set([...opened, ...notices, ...result.value.notices])]), notices: [] };
  } catch (error) {
    return { result: fail(textOf(error)), notices: [] };
  }
}

const say = (message: IndexAnswer) => {
  port.postMessage(message);
};
// One after the other, in the order in which they were asked.
let queue: Promise<void> = open().then((told) => {
  say({ number: 0, ...told });
  if (!told.result.ok) port.close();
});
port.on('message', ({ number, request }: { number: number; request: IndexRequest }) => {
  queue = queue.then(async () => {
    say({ number, ...(await mending(() => perform(request))) });
    if (request.ask === 'close') port.close();
  });
});

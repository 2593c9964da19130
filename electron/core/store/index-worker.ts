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

/** A database that can be used, with tables of this version; what was said about the way there is returned. */
async function openDatabase(): Promise<readonly string[]> {
  return withLock(state.dir, 'index', async () => {
    db?.close();
    db = null;
    const notices: string[] = [];
    try {
      db = await connect();
      notices.push(...prepareTables(db));
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      db?.close();
      const aside = await setAside();
      notices.push(
        `the index was damaged (${textOf(error)}); it was set aside as ${aside} and is built anew from the run folders`,
      );
      db = await connect();
      makeTables(db);
    }
    return notices;
  });
}

async function connect(): Promise<Database> {
  // SQLite gives its side files the mode of this one.
  await (await openFile(state.indexFile, 'a', 0o600)).close();
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

function isCorrupt(error: unknown): boolean {
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

/** One more try after damage that shows only now. */
async function answer(request: IndexRequest): Promise<Result<unknown, string>> {
  try {
    return ok(await perform(request));
  } catch (error) {
    if (!isCorrupt(error)) return fail(textOf(error));
  }
  try {
    await openDatabase();
    await fill();
    return ok(await perform(request));
  } catch (error) {
    return fail(textOf(error));
  }
}

async function open(): Promise<Result<readonly string[], string>> {
  try {
    const notices = await openDatabase();
    const filled = await fill();
    return ok([...notices, ...filled.notices]);
  } catch (error) {
    return fail(textOf(error));
  }
}

const say = (message: IndexAnswer) => {
  port.postMessage(message);
};
// One after the other, in the order in which they were asked.
let queue: Promise<void> = open().then((result) => {
  say({ number: 0, result });
  if (!result.ok) port.close();
});
port.on('message', ({ number, request }: { number: number; request: IndexRequest }) => {
  queue = queue.then(async () => {
    say({ number, result: await answer(request) });
    if (request.ask === 'close') port.close();
  });
});

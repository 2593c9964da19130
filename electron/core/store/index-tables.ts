/** The tables of the index and every statement that is run on them. It opens no file. */
import type { Database } from 'libsql';
import type { RunRecord } from '../../../shared/contracts/run.js';
import type { Trace } from '../../../shared/contracts/trace.js';
import type { RunQuery, TraceLimits, TraceQuery } from './index-protocol.js';

/** Raise it with every change of a table or of what stands in one; an index of another version is built anew. */
export const INDEX_VERSION = 1;

const TABLES = ['runs', 'traces', 'totals'] as const;

// Totals are kept by triggers, since counting 100,000 rows at each write would be too slow.
const SCHEMA = `
  CREATE TABLE runs (
    id TEXT PRIMARY KEY, created REAL NOT NULL, done INTEGER NOT NULL, record TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX runs_created ON runs (created, id);
  CREATE TABLE traces (
    seq INTEGER PRIMARY KEY, trace_id TEXT NOT NULL UNIQUE, run_id TEXT NOT NULL, hook_id TEXT NOT NULL,
    point TEXT NOT NULL, decision TEXT, started REAL NOT NULL, bytes INTEGER NOT NULL, trace TEXT NOT NULL
  );
  CREATE INDEX traces_started ON traces (started, seq);
  CREATE INDEX traces_run ON traces (run_id, started, seq);
  CREATE INDEX traces_hook ON traces (hook_id, started, seq);
  CREATE INDEX traces_point ON traces (point, started, seq);
  CREATE INDEX traces_decision ON traces (decision, started, seq);
  CREATE TABLE totals (one INTEGER PRIMARY KEY CHECK (one = 1), filled INTEGER NOT NULL, traces INTEGER NOT NULL, bytes INTEGER NOT NULL);
  INSERT INTO totals VALUES (1, 0, 0, 0);
  CREATE TRIGGER traces_added AFTER INSERT ON traces BEGIN
    UPDATE totals SET traces = traces + 1, bytes = bytes + new.bytes;
  END;
  CREATE TRIGGER traces_removed AFTER DELETE ON traces BEGIN
    UPDATE totals SET traces = traces - 1, bytes = bytes - old.bytes;
  END;
`;

/** True when the tables of this version are there. */
export function hasTables(db: Database): boolean {
  return versionOf(db) === INDEX_VERSION;
}

/** Version of the tables that are there; 0 for none. */
export function versionOf(db: Database): number {
  const row = db.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}

/** Makes the tables, empty; whatever was there before goes. */
export function makeTables(db: Database): void {
  inTransaction(db, () => {
    for (const table of TABLES) db.exec(`DROP TABLE IF EXISTS ${table}`);
    db.exec(SCHEMA);
    db.exec(`PRAGMA user_version = ${INDEX_VERSION}`);
  });
}

/** All or nothing. Writers of other processes are waited for at the start, so that no half-done work has to be thrown away. */
export function inTransaction(db: Database, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

function rollBack(db: Database): void {
  // After a full disk SQLite has already gone back by itself.
  if (db.inTransaction) db.exec('ROLLBACK');
}

/** True once everything in the run folders has been read. */
export function isFilled(db: Database): boolean {
  const row = db.prepare('SELECT filled FROM totals').get() as { filled: number };
  return row.filled === 1;
}

export function setFilled(db: Database, filled: boolean): void {
  db.prepare('UPDATE totals SET filled = ?').run(filled ? 1 : 0);
}

/** A run's record; one that is done is never replaced by an older form of itself that comes late. */
export function putRun(db: Database, record: RunRecord): void {
  db.prepare(
    `INSERT INTO runs (id, created, done, record) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET created = excluded.created, done = excluded.done, record = excluded.record
     WHERE excluded.done >= runs.done`,
  ).run(record.id, record.createdAt, record.phase === 'done' ? 1 : 0, JSON.stringify(record));
}

/** Adds traces that are not there yet, then removes the oldest while there are too many. */
export function putTraces(db: Database, traces: readonly Trace[], limits: TraceLimits): void {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO traces (trace_id, run_id, hook_id, point, decision, started, bytes, trace)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const trace of traces) {
    const text = JSON.stringify(trace);
    const { trace_id, run_id, hook_id, point, decision, started } = trace;
    insert.run(trace_id, run_id, hook_id, point, decision, started, Buffer.byteLength(text), text);
  }
  removeOldest(db, limits);
}

function removeOldest(db: Database, limits: TraceLimits): void {
  const totals = db.prepare('SELECT traces, bytes FROM totals').get() as { traces: number; bytes: number };
  let tooMany = totals.traces - limits.count;
  let tooLarge = totals.bytes - limits.bytes;
  if (tooMany <= 0 && tooLarge <= 0) return;
  const remove = db.prepare('DELETE FROM traces WHERE seq = ?');
  const oldest = db.prepare('SELECT seq, bytes FROM traces ORDER BY started, seq LIMIT 1000');
  for (;;) {
    for (const { seq, bytes } of oldest.all() as { seq: number; bytes: number }[]) {
      if (tooMany <= 0 && tooLarge <= 0) return;
      remove.run(seq);
      tooMany -= 1;
      tooLarge -= bytes;
    }
  }
}

/** Takes out runs whose folders are gone, with their traces. */
export function removeRuns(db: Database, ids: readonly string[]): void {
  for (const id of ids) {
    db.prepare('DELETE FROM runs WHERE id = ?').run(id);
    db.prepare('DELETE FROM traces WHERE run_id = ?').run(id);
  }
}

/** Which runs are there, and whether they were done. */
export function knownRuns(db: Database): ReadonlyMap<string, boolean> {
  const rows = db.prepare('SELECT id, done FROM runs').all() as { id: string; done: number }[];
  return new Map(rows.map(({ id, done }) => [id, done === 1]));
}

/** Records as JSON texts, newest first. */
export function selectRuns(db: Database, { limit, before }: RunQuery): readonly string[] {
  const rows =
    before === undefined
      ? db.prepare('SELECT record FROM runs ORDER BY created DESC, id DESC LIMIT ?').all(limit)
      : db
          .prepare(
            `SELECT record FROM runs WHERE (created, id) < (SELECT created, id FROM runs WHERE id = ?)
             ORDER BY created DESC, id DESC LIMIT ?`,
          )
          .all(before, limit);
  return (rows as { record: string }[]).map((row) => row.record);
}

const TRACE_FILTERS = [
  ['run', 'run_id = ?'],
  ['hook', 'hook_id = ?'],
  ['decision', 'decision = ?'],
  ['point', 'point = ?'],
  ['since', 'started >= ?'],
] as const;

/** Traces as JSON texts, newest first. */
export function selectTraces(db: Database, query: TraceQuery): readonly string[] {
  const filters = TRACE_FILTERS.filter(([name]) => query[name] !== undefined);
  const where = filters.length === 0 ? '' : `WHERE ${filters.map(([, condition]) => condition).join(' AND ')}`;
  const values = filters.map(([name]) => query[name]);
  const rows = db
    .prepare(`SELECT trace FROM traces ${where} ORDER BY started DESC, seq DESC LIMIT ?`)
    .all(...values, query.limit);
  return (rows as { trace: string }[]).map((row) => row.trace);
}

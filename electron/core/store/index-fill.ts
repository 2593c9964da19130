/** Brings the index up to what the run folders say. It changes no run folder. */
import type { Database } from 'libsql';
import type { RunRecord } from '../../../shared/contracts/run.js';
import type { Trace } from '../../../shared/contracts/trace.js';
import { inTransaction, knownRuns, putRun, putTraces, removeRuns, setFilled } from './index-tables.js';
import type { RebuildReport, TraceLimits } from './index-protocol.js';
import type { StateFolder } from './layout.js';
import { listRunIds, readRun, readTraces } from './run-folder.js';

/** Reads every run folder. Rows of runs that have none any more go. */
export async function fillFromFolders(db: Database, state: StateFolder, limits: TraceLimits): Promise<RebuildReport> {
  const known = knownRuns(db);
  const ids = await listRunIds(state);
  const report = await readFolders(db, state, limits, ids);
  forgetMissing(db, known, ids);
  setFilled(db, true);
  return report;
}

/**
 * Reads the folders of runs that the index does not know, or knows as not done: their owner may have
 * been killed before it could tell the index.
 */
export async function followFolders(db: Database, state: StateFolder, limits: TraceLimits): Promise<RebuildReport> {
  // The index first, the folders second: a run that begins meanwhile must not look like one that was removed.
  const known = knownRuns(db);
  const ids = await listRunIds(state);
  const report = await readFolders(
    db,
    state,
    limits,
    ids.filter((id) => known.get(id) !== true),
  );
  forgetMissing(db, known, ids);
  return report;
}

function forgetMissing(db: Database, known: ReadonlyMap<string, boolean>, ids: readonly string[]): void {
  const present = new Set(ids);
  const gone = [...known.keys()].filter((id) => !present.has(id));
  if (gone.length === 0) return;
  inTransaction(db, () => {
    removeRuns(db, gone);
  });
}

/** Bounds of one transaction: large enough to be quick, small enough that other processes never wait long for their turn. */
const BATCH = { runs: 200, traces: 5_000 };

async function readFolders(
  db: Database,
  state: StateFolder,
  limits: TraceLimits,
  ids: readonly string[],
): Promise<RebuildReport> {
  const notices: string[] = [];
  let [runs, traceCount] = [0, 0];
  let batch: { records: RunRecord[]; traces: Trace[] } = { records: [], traces: [] };
  const put = () => {
    const { records, traces } = batch;
    batch = { records: [], traces: [] };
    if (records.length === 0) return;
    inTransaction(db, () => {
      for (const record of records) putRun(db, record);
      putTraces(db, traces, limits);
    });
    runs += records.length;
    traceCount += traces.length;
  };
  for (const id of ids) {
    const run = await readRun(state, id);
    if (!run.ok) {
      notices.push(`run ${id} is left out of lists (${run.error}); its folder is left as it is`);
      continue;
    }
    const { traces, unreadable } = await readTraces(state, id);
    if (unreadable > 0) notices.push(`${unreadable} line(s) of traces.jsonl of ${id} cannot be read and are left out`);
    batch.records.push(run.value);
    batch.traces = batch.traces.concat(traces);
    if (batch.records.length >= BATCH.runs || batch.traces.length >= BATCH.traces) put();
  }
  put();
  return { runs, traces: traceCount, notices };
}

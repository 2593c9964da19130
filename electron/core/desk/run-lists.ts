import type { RunSummary } from '../../../shared/bridge/views.js';
import type { RunRecord } from '../../../shared/contracts/run.js';
import { endLeftover, isLeftBehind } from '../runs/leftovers.js';
import type { ScanDoor } from '../runs/scan-door.js';
import type { Receipts } from '../receipts/receipts.js';
import type { Seam } from '../spawn/seam.js';
import type { IndexClient } from '../store/index-client.js';
import type { StateFolder } from '../store/layout.js';
import { listRunIds, readRun } from '../store/run-folder.js';
import { summaryOf } from './run-summary.js';

/** Every run of the state folder, whoever owns it. */
export interface RunLists {
  /** Ends what owners that are gone left behind; settles when all folders were looked at. */
  readonly sweep: () => Promise<void>;
  /** Newest first. */
  readonly list: (limit: number) => Promise<RunSummary[]>;
  /** Notes how a run of this app ended. */
  readonly ended: (record: RunRecord) => void;
  /** Runs of other owners that were alive when last looked. */
  readonly liveElsewhere: () => readonly RunSummary[];
}

export interface RunListsInput {
  readonly state: StateFolder;
  readonly seam: Seam;
  readonly exitScan: ScanDoor;
  readonly receipts: Receipts;
  readonly index: IndexClient | null;
  readonly now: () => number;
  /** The summary of a run that this app plays just now; null for any other. */
  readonly own: (id: string) => RunSummary | null;
  readonly changed: (summary: RunSummary) => void;
}

/** Rows that are taken from the index at once: they are checked on the thread that serves the gate. */
const PAGE = 50;
/** Run folders that are read at once. */
const AT_ONCE = 16;

/** Runs that have ended do not change any more, so each is read once; those of other owners are looked at each time. */
export function createRunLists(input: RunListsInput): RunLists {
  const { state, seam, index, now, changed } = input;
  const known = new Map<string, RunSummary>();
  let elsewhere: readonly RunSummary[] = [];
  let filled: Promise<void> | null = null;

  const note = (record: RunRecord): RunSummary => {
    const summary = summaryOf(record, { own: false, waiting: 0 });
    if (record.phase === 'done') known.set(record.id, summary);
    return summary;
  };
  const look = async (id: string): Promise<RunSummary | null> => {
    const run = await readRun(state, id);
    if (!run.ok) return null;
    return isLeftBehind(run.value) ? ((await end(id)) ?? note(run.value)) : note(run.value);
  };
  const end = async (id: string): Promise<RunSummary | null> => {
    const { receipts, exitScan } = input;
    const left = await endLeftover({ state, seam, receipts, exitScan }, id, now());
    if (left === null) return null;
    void index?.upsertRun(left.record);
    const summary = note(left.record);
    changed(summary);
    return summary;
  };
  const ids = async () => (await listRunIds(state)).filter((id) => input.own(id) === null);

  return {
    sweep: async () => {
      filled ??= fillFromIndex(index, note);
      await filled;
      await inTurns(
        (await ids()).filter((id) => !known.has(id)),
        look,
      );
    },
    list: async (limit) => {
      filled ??= fillFromIndex(index, note);
      await filled;
      const there = await ids();
      const present = new Set(there);
      for (const id of known.keys()) if (!present.has(id)) known.delete(id);
      const others = await inTurns(
        there.filter((id) => !known.has(id)),
        look,
      );
      // A run may have begun or ended while the folders were read; what this app itself plays is known best.
      elsewhere = others.filter((one) => one.phase !== 'done' && input.own(one.id) === null);
      const own = (await listRunIds(state)).flatMap((id) => input.own(id) ?? []);
      const all = new Map([...known.values(), ...elsewhere, ...own].map((one) => [one.id, one]));
      return [...all.values()].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)).slice(0, limit);
    },
    ended: note,
    liveElsewhere: () => elsewhere,
  };
}

/** The index knows the runs that have ended without a folder being opened. */
async function fillFromIndex(index: IndexClient | null, note: (record: RunRecord) => void): Promise<void> {
  if (index === null) return;
  let before: string | undefined;
  for (;;) {
    const rows = await index.queryRuns({ limit: PAGE, ...(before === undefined ? {} : { before }) });
    if (!rows.ok) return;
    for (const record of rows.value) if (record.phase === 'done') note(record);
    before = rows.value.at(-1)?.id;
    if (rows.value.length < PAGE || before === undefined) return;
  }
}

async function inTurns<T>(ids: readonly string[], look: (id: string) => Promise<T | null>): Promise<T[]> {
  const found: T[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = await Promise.all(ids.slice(at, at + AT_ONCE).map(look));
    for (const one of some) if (one !== null) found.push(one);
  }
  return found;
}

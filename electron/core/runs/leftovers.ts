import { join } from 'node:path';
import type { RunRecord } from '../../../shared/contracts/run.js';
import { readProcess } from '../spawn/process-table.js';
import { failedScan, scanLeftBehind } from './end-scan.js';
import type { ScanDoor } from './scan-door.js';
import type { FoundReceipt, Receipts } from '../receipts/receipts.js';
import type { Seam } from '../spawn/seam.js';
import { writeAtomic } from '../store/atomic.js';
import type { StateFolder } from '../store/layout.js';
import { listRunIds, readRun, runFolder } from '../store/run-folder.js';

/** What the sweep of leftovers works with. */
export interface LeftoverServices {
  readonly state: StateFolder;
  readonly seam: Pick<Seam, 'endRun'>;
  readonly receipts: Pick<Receipts, 'seal' | 'find'>;
  readonly exitScan: ScanDoor;
}

/** A run whose owner ended without ending it, and what was done about it. */
export interface Leftover {
  readonly record: RunRecord;
  /** Processes that could not be ended. */
  readonly left: readonly number[];
}

/**
 * Finds runs whose owning process is gone (killed, crashed, power cut), ends what still carries their
 * marker, and records them as interrupted. Nobody served their gate since, so every call was denied.
 */
export async function endLeftovers(services: LeftoverServices, now: number): Promise<readonly Leftover[]> {
  const found: Leftover[] = [];
  for (const id of await listRunIds(services.state)) {
    const left = await endLeftover(services, id, now);
    if (left !== null) found.push(left);
  }
  return found;
}

/** The same for one run; null when it is done, cannot be read, or its owner lives. */
export async function endLeftover(services: LeftoverServices, id: string, now: number): Promise<Leftover | null> {
  const { state, seam, receipts } = services;
  const seen = await readRun(state, id);
  if (!seen.ok || !isLeftBehind(seen.value)) return null;
  // Its owner may have written the end between our look at the record and our look at the process.
  const run = await readRun(state, id);
  if (!run.ok || run.value.phase === 'done') return null;
  const left = await seam.endRun(id);
  const made = await receipts.find(id);
  const record = made === null ? await interrupted(run.value, services, now) : receiptStands(run.value, made);
  await writeAtomic(join(runFolder(state, id), 'run.json'), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  return { record, left };
}

/** It died before there was a receipt, so it gets one now. */
async function interrupted(
  run: RunRecord,
  { state, receipts, exitScan }: LeftoverServices,
  now: number,
): Promise<RunRecord> {
  const record: RunRecord = {
    ...run,
    phase: 'done',
    outcome: 'interrupted',
    reason:
      'the process that owned this run ended without ending it; what was left of the run was ended at the next start',
    endedAt: now,
    exitScan: await scanLeftBehind(state, run, exitScan).catch((error: unknown) =>
      failedScan(error instanceof Error ? error.message : String(error)),
    ),
  };
  // Another process may be sweeping too.
  const { receipt, notices } = await receipts.seal(record, { once: true });
  return { ...record, receipt, notices: [...record.notices, ...notices] };
}

/** It died between its receipt and its last word: what was signed is how it ended. */
function receiptStands(run: RunRecord, { receipt, statement }: FoundReceipt): RunRecord {
  const { outcome, reason, times } = statement.predicate;
  const endedAt = times.ended === null ? run.endedAt : Date.parse(times.ended) / 1_000;
  const notice =
    'the process that owned this run ended just after its receipt was made; how it ended is taken from the receipt';
  return { ...run, phase: 'done', outcome, reason, endedAt, receipt, notices: [...run.notices, notice] };
}

type Owned = Pick<RunRecord, 'phase' | 'ownerPid' | 'ownerStart'>;

/** True for a run that is not done and whose owner has ended: nobody serves its gate, so its calls are denied. */
export function isLeftBehind(run: Owned): boolean {
  return run.phase !== 'done' && !ownerLives(run);
}

/** True while the process that owns a run lives. A pid is given out again, so the start of its process counts too where it is known. */
export function ownerLives({ ownerPid, ownerStart }: Omit<Owned, 'phase'>): boolean {
  if (ownerPid === null || !isSignallable(ownerPid)) return false;
  const entry = readProcess(ownerPid);
  // No table of processes here (not Linux): the pid is all there is.
  if (entry === null) return readProcess(process.pid) === null;
  return !entry.zombie && (ownerStart === undefined || ownerStart === null || entry.startTime === ownerStart);
}

function isSignallable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ours to signal, but alive.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

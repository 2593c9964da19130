import type { RunRecord } from '../../../shared/contracts/run.js';
import type { Seam } from '../spawn/seam.js';
import type { StateFolder } from '../store/layout.js';
import { runFolder, listRunIds, readRun } from '../store/run-folder.js';
import { writeAtomic } from '../store/atomic.js';
import { join } from 'node:path';

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
export async function endLeftovers(state: StateFolder, seam: Seam, now: number): Promise<readonly Leftover[]> {
  const found: Leftover[] = [];
  for (const id of await listRunIds(state)) {
    const run = await readRun(state, id);
    if (!run.ok || run.value.phase === 'done' || ownerLives(run.value.ownerPid)) continue;
    const left = await seam.endRun(id);
    const record: RunRecord = {
      ...run.value,
      phase: 'done',
      outcome: 'interrupted',
      reason:
        'the process that owned this run ended without ending it; what was left of the run was ended at the next start',
      endedAt: now,
    };
    await writeAtomic(join(runFolder(state, id), 'run.json'), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    found.push({ record, left });
  }
  return found;
}

/** True while the process that owns a run lives. */
export function ownerLives(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ours to signal, but alive.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

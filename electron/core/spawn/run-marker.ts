/**
 * The variables by which a process is known to belong to a run, also after it left its group.
 * They are labels, not authority: whoever wants to can clear its environment.
 */
import { ancestry, listProcesses, readEnviron } from './process-table.js';

/** Names the run; set on every agent and hook process and inherited by what they start. */
export const RUN_MARKER = 'SALLYPORT_RUN';
/** Names one start of the seam, so that ending one hook's tree does not end its run. */
export const START_MARKER = 'SALLYPORT_START';

/** The environment entry that processes of a run carry. */
export function runMark(runId: string): string {
  return `${RUN_MARKER}=${runId}`;
}

/** Pids of living processes that carry the run's marker, ourselves and those above us never among them. */
export function processesOfRun(runId: string): readonly number[] {
  const above = new Set(ancestry());
  return listProcesses()
    .filter((entry) => !entry.zombie && !above.has(entry.pid) && readEnviron(entry.pid).includes(runMark(runId)))
    .map((entry) => entry.pid);
}

/**
 * The run that this process was started from inside of, or null: looks at our own environment and
 * at that of every process above us (those of other users cannot be read and do not count).
 */
export function surroundingRun(): string | null {
  const own = process.env[RUN_MARKER];
  if (own !== undefined && own !== '') return own;
  for (const pid of ancestry()) {
    const entry = readEnviron(pid).find((text) => text.startsWith(`${RUN_MARKER}=`));
    if (entry !== undefined) return entry.slice(RUN_MARKER.length + 1);
  }
  return null;
}

/** Whether approvals and weakening commands must be refused here, because an agent could be typing them. */
export function isInsideRun(): boolean {
  return surroundingRun() !== null;
}

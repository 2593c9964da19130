import type { RunFacts } from '../../../shared/contracts/run.js';
import type { JudgedCall } from '../gate/session.js';

/** One tool call as the agent's own record tells it. */
export interface SeenCall {
  readonly callId: string;
  readonly toolName: string;
  /** False: refused or invalid, nothing ran. Null: no result was ever reported. */
  readonly executed: boolean | null;
  /** The route gap by which it meets no hook; null for calls that must meet one. */
  readonly gap: string | null;
}

type CoverageFacts = Pick<RunFacts, 'guarded' | 'notExecuted' | 'expectedGap' | 'unguarded' | 'dispatchesWithoutCall'>;

/**
 * Compares the agent's record of its calls with the dispatches that the gate judged, by call id.
 * A call without a dispatch is unguarded unless the agent itself says that it was not executed; one
 * without any result counts as not executed only when the run was cut short. A call by a route gap that was
 * named before the run is an expected gap.
 */
export function compareCoverage(
  seen: readonly SeenCall[],
  judged: ReadonlyMap<string, JudgedCall>,
  cutShort: boolean,
  openGaps: ReadonlySet<string>,
): CoverageFacts {
  const facts = {
    guarded: 0,
    notExecuted: 0,
    expectedGap: 0,
    unguarded: [] as string[],
    dispatchesWithoutCall: [] as string[],
  };
  const ids = new Set<string>();
  for (const call of seen) {
    ids.add(call.callId);
    if (judged.has(call.callId)) facts.guarded += 1;
    else if (call.executed === false || (call.executed === null && cutShort)) facts.notExecuted += 1;
    else if (call.gap !== null && openGaps.has(call.gap)) facts.expectedGap += 1;
    else facts.unguarded.push(`${call.callId} (${call.toolName})`);
  }
  for (const [callId, call] of judged) {
    if (call.inCoverage && !ids.has(callId)) facts.dispatchesWithoutCall.push(`${callId} (${call.toolName})`);
  }
  return facts;
}

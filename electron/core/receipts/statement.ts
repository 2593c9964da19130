/** From the record of a run that has ended to the statement of its receipt. Pure; nothing is signed here. */
import {
  CHAIN_END_PREDICATE,
  RUN_PREDICATE,
  STATEMENT_TYPE,
  type ChainEndStatement,
  type RunPredicate,
  type RunStatement,
  type Subject,
} from '../../../shared/contracts/receipt-statement.js';
import type { RunRecord } from '../../../shared/contracts/run.js';
import type { Trace } from '../../../shared/contracts/trace.js';

/** Where a receipt stands in its chain; null for one that stands in none, since nobody signs it. */
export interface ReceiptPlace {
  readonly sequence: number;
  /** Of the envelope before it; null for the first. */
  readonly previous: string | null;
  readonly key: string;
}

export interface StatementInput {
  /** Redacted, as it is stored. */
  readonly record: RunRecord;
  readonly traces: readonly Trace[];
  readonly unreadableTraces: number;
  readonly subjects: readonly Subject[];
  /** Files that every run writes, and that were gone. */
  readonly gone: readonly string[];
  /** Id of the state folder. */
  readonly installation: string;
  readonly appVersion: string;
}

/** The statement of a run. `standing` is its place, or in words why it has none. */
export function runStatement(input: StatementInput, standing: ReceiptPlace | string): RunStatement {
  const { record } = input;
  const { facts } = record;
  return {
    _type: STATEMENT_TYPE,
    subject: [...input.subjects],
    predicateType: RUN_PREDICATE,
    predicate: {
      schemaVersion: 1,
      receipt: placeOf(input.installation, standing),
      unsignedBecause: typeof standing === 'string' ? standing : null,
      appVersion: input.appVersion,
      runId: record.id,
      times: {
        accepted: timeText(record.createdAt),
        started: record.startedAt === null ? null : timeText(record.startedAt),
        ended: record.endedAt === null ? null : timeText(record.endedAt),
      },
      agent: {
        name: record.agent,
        version: record.agentVersion,
        program: record.agentProgram,
        programDigest: record.agentProgramDigest,
      },
      profile: record.profile,
      workspace: record.workspace,
      backend: { name: record.backend, imageDigest: null },
      bypass: record.bypass,
      launch: record.launch ?? null,
      registryVersions: record.registryVersions,
      gaps: record.gaps,
      notices: record.notices,
      hookDecisions: countDecisions(input.traces),
      unreadableTraces: input.unreadableTraces,
      artifactsGone: [...input.gone],
      calls: {
        total: facts.toolCalls,
        guarded: facts.guarded,
        denied: facts.denials,
        modified: facts.modified,
        notExecuted: facts.notExecuted,
        expectedGap: facts.expectedGap,
        unguarded: facts.unguarded,
        dispatchedWithoutCall: facts.dispatchesWithoutCall,
        executedOtherwise: facts.argsDiffer,
        coverageUnknown: facts.coverageUnknown,
      },
      runtimeApprovals: { granted: facts.approvalsGranted, denied: facts.approvalsDenied },
      failedOpen: facts.failedOpen,
      turnsPassedAfterDenials: facts.turnsPassedAfterDenials,
      handlersChanged: facts.handlersChanged,
      tampering: facts.tampering,
      exit: { code: record.exitCode, signal: record.exitSignal },
      outcome: record.outcome,
      reason: record.reason,
      exitScan: record.exitScan,
    },
  };
}

/** The last entry of a chain: after it nothing is written there. `at` in Unix seconds. */
export function chainEndStatement(
  installation: string,
  place: ReceiptPlace & { readonly previous: string },
  why: { readonly reason: 'key-rotated' | 'retired'; readonly at: number; readonly nextKey: string | null },
): ChainEndStatement {
  const { reason, at, nextKey } = why;
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: `receipt ${place.sequence - 1}`, digest: { sha256: place.previous.replace(/^sha256:/, '') } }],
    predicateType: CHAIN_END_PREDICATE,
    predicate: { schemaVersion: 1, receipt: placeOf(installation, place), reason, at: timeText(at), nextKey },
  };
}

function placeOf(installation: string, standing: ReceiptPlace | string): RunPredicate['receipt'] {
  if (typeof standing === 'string') return { installation, sequence: null, previous: null, key: null };
  const { sequence, previous, key } = standing;
  return { installation, sequence, previous, key };
}

/** Unix seconds as RFC 3339, to the millisecond. */
function timeText(at: number): string {
  return new Date(at * 1_000).toISOString();
}

/** How often each hook point heard each decision, in the order of their names. */
export function countDecisions(
  traces: readonly Pick<Trace, 'point' | 'decision' | 'status'>[],
): RunPredicate['hookDecisions'] {
  const counts = new Map<string, { point: string; decision: string; count: number }>();
  for (const { point, decision, status } of traces) {
    const said = decision ?? status;
    const entry = counts.get(`${point} ${said}`) ?? { point, decision: said, count: 0 };
    entry.count += 1;
    counts.set(`${point} ${said}`, entry);
  }
  return [...counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

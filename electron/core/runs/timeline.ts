import { EMPTY_FACTS, type RunFacts } from '../../../shared/contracts/run.js';
import type { StreamEvent } from '../agents/contract.js';
import type { GateReport } from '../gate/ports.js';
import type { SeenCall } from './coverage.js';

/** One entry of a run's timeline, as it is shown live and kept in `events.jsonl`. */
export type RunEvent = { readonly at: number } & (
  | { readonly kind: 'phase'; readonly phase: string; readonly reason: string | null }
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'warning'; readonly text: string }
  | { readonly kind: 'gate'; readonly report: GateReport }
  | { readonly kind: 'agent'; readonly event: StreamEvent }
  | { readonly kind: 'unparsed'; readonly text: string }
);

/** Where the agent's stream and the gate's dispatches meet, keyed by the call id. */
export interface Timeline {
  readonly fromGate: (report: GateReport) => void;
  readonly fromAgent: (event: StreamEvent) => void;
  readonly unparsed: (text: string) => void;
  readonly seenCalls: () => readonly SeenCall[];
  /** What the gate last said to the end of a turn; null when it was never asked. */
  readonly lastTurn: () => 'allow' | 'block' | null;
  /** The agent's own session id, as its stream told it. */
  readonly sessionId: () => string | null;
  readonly result: () => Extract<StreamEvent, { kind: 'result' }> | null;
  /** Counts so far; coverage and engine counts are added when the run ends. */
  readonly facts: () => RunFacts;
}

/** Most of an unparsed line that an event carries, in characters; the raw output has it all. */
const UNPARSED_SHOWN = 500;

/** A new run's timeline; `emit` gets each entry once, in order. */
export function createTimeline(emit: (event: RunEvent) => void, now: () => number): Timeline {
  const calls = new Map<string, SeenCall>();
  let result: Extract<StreamEvent, { kind: 'result' }> | null = null;
  const counts = { denials: 0, modified: 0, approvalsGranted: 0, approvalsDenied: 0, unparsedLines: 0 };
  const argsDiffer: string[] = [];
  let lastTurn: 'allow' | 'block' | null = null;
  let sessionId: string | null = null;

  const countReport = (report: GateReport) => {
    switch (report.kind) {
      case 'judged':
        if (report.verdict === 'deny') counts.denials += 1;
        if (report.verdict === 'modify') counts.modified += 1;
        return;
      case 'turn':
        lastTurn = report.verdict;
        return;
      case 'executed':
        if (!report.asJudged) argsDiffer.push(`${report.callId} (${report.toolName})`);
        return;
      case 'answer':
        if (report.answer.answer === 'deny') counts.approvalsDenied += 1;
        else counts.approvalsGranted += 1;
        return;
      case 'trouble':
        counts.denials += 1;
        return;
      default:
        return;
    }
  };
  return {
    fromGate: (report) => {
      countReport(report);
      emit({ at: now(), kind: 'gate', report });
    },
    fromAgent: (event) => {
      if (event.kind === 'tool.call')
        calls.set(event.callId, {
          callId: event.callId,
          toolName: event.toolName,
          executed: null,
          gap: event.gap ?? null,
        });
      if (event.kind === 'init') sessionId = event.sessionId ?? sessionId;
      if (event.kind === 'tool.result') noteResult(calls, event.callId, event.executed);
      if (event.kind === 'result') result = event;
      emit({ at: now(), kind: 'agent', event });
    },
    unparsed: (text) => {
      counts.unparsedLines += 1;
      emit({ at: now(), kind: 'unparsed', text: text.slice(0, UNPARSED_SHOWN) });
    },
    seenCalls: () => [...calls.values()],
    lastTurn: () => lastTurn,
    sessionId: () => sessionId,
    result: () => result,
    facts: () => ({
      ...EMPTY_FACTS,
      ...counts,
      argsDiffer: [...argsDiffer],
      toolCalls: calls.size,
    }),
  };
}

function noteResult(calls: Map<string, SeenCall>, callId: string, executed: boolean): void {
  const call = calls.get(callId);
  if (call !== undefined) calls.set(callId, { ...call, executed });
}

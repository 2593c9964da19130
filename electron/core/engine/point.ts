import type { HookEvent } from '../../../shared/contracts/event.js';
import type { Point } from '../../../shared/contracts/points.js';
import { newId } from '../../../shared/ids.js';
import type { JsonObject } from '../../../shared/json.js';
import { attemptHook } from './attempt.js';
import type { ApprovalAsk, EngineInput } from './ports.js';

/** What the engine makes of a boundary that is no tool call. */
export interface PointJudgement {
  readonly verdict: 'allow' | 'deny' | 'ask';
  readonly reason: string | null;
  readonly deniedBy: string | null;
  readonly asks: readonly ApprovalAsk[];
}

/** Judges one event at a blocking point that modifies nothing (`run.before`, `turn.stopping`, …). */
export async function judgePoint(input: EngineInput, point: Point, data: JsonObject): Promise<PointJudgement> {
  const event = pointEvent(input, point, data);
  const asks: ApprovalAsk[] = [];
  for (const { hook, matches } of input.snapshot.atPoint(point)) {
    if (hook.mode !== 'blocking' || !matches(pointFacts(input, data)).matches) continue;
    const result = await attemptHook({
      ...input,
      hook,
      event,
      classification: null,
      callId: null,
      refuse: (decision) => (decision.action === 'modify' ? `nothing may be modified at ${point}` : null),
    });
    if (result.kind === 'denied') return { verdict: 'deny', reason: result.reason, deniedBy: hook.id, asks };
    if (result.kind === 'passed') continue;
    const { action, reason } = result.decision;
    if (action === 'deny') {
      return { verdict: 'deny', reason: reason ?? `denied by hook ${hook.scope}:${hook.id}`, deniedBy: hook.id, asks };
    }
    if (action === 'request_approval') asks.push({ hookId: hook.id, scope: hook.scope, reason: reason ?? '' });
  }
  return { verdict: asks.length > 0 ? 'ask' : 'allow', reason: null, deniedBy: null, asks };
}

/** Denials of one turn after which further ones are recorded and let pass: no endless loop. */
export const MAX_TURN_DENIALS = 3;

/** Judges `turn.stopping`: a denial sends the agent back to work, at most three times a turn. */
export async function judgeTurnStopping(
  input: EngineInput,
  turn: { readonly lastMessage: string | null; readonly alreadyDenied: boolean },
): Promise<PointJudgement> {
  const { session, services } = input;
  if (!turn.alreadyDenied) session.turnDenials = 0;
  const judgement = await judgePoint(input, 'turn.stopping', {
    last_message: turn.lastMessage,
    already_denied: turn.alreadyDenied,
  });
  if (judgement.verdict !== 'deny') return judgement;
  if (session.turnDenials >= MAX_TURN_DENIALS) {
    session.turnsPassedAfterDenials += 1;
    services.warn(`the turn was sent back ${MAX_TURN_DENIALS} times and is now let end: ${judgement.reason ?? ''}`);
    return { verdict: 'allow', reason: null, deniedBy: null, asks: [] };
  }
  session.turnDenials += 1;
  return judgement;
}

/** A canonical event of a point that is no tool call. */
export function pointEvent({ envelope, services }: EngineInput, point: Point, data: JsonObject): HookEvent {
  return {
    schema_version: 1,
    event_id: newId('hookevt'),
    timestamp: services.now(),
    point,
    session_id: envelope.sessionId,
    run_id: envelope.runId,
    trace_id: newId('trace'),
    workspace: envelope.workspace,
    depth: envelope.depth,
    data,
  };
}

/** Filter facts of an event without a tool call; `tool.after` events bring their tool's name. */
export function pointFacts({ envelope }: EngineInput, data: JsonObject) {
  return {
    toolName: typeof data['tool_name'] === 'string' ? data['tool_name'] : null,
    operation: null,
    category: null,
    paths: [],
    sessionId: envelope.sessionId,
    data,
  };
}

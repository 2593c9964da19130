import type { Decision } from '../../../shared/contracts/decision.js';
import type { Classification, HookEvent } from '../../../shared/contracts/event.js';
import { pointRow } from '../../../shared/contracts/points.js';
import type { Trace } from '../../../shared/contracts/trace.js';
import type { FailurePolicy } from '../../../shared/contracts/vocabulary.js';
import { newId } from '../../../shared/ids.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import type { EngineInput, HandlerOutcome } from './ports.js';
import { CIRCUIT_LIMIT, countFailure, countSuccess, hookForm } from './session.js';

/** Depth over which a handler that leads to another hook event is refused. */
export const MAX_DEPTH = 3;

/** What one attempt means for the boundary. */
export type AttemptResult =
  | { readonly kind: 'decided'; readonly decision: Decision }
  /** Failed, inert or silent, and without effect on the answer. */
  | { readonly kind: 'passed' }
  /** Failed under policy `deny`. */
  | { readonly kind: 'denied'; readonly reason: string };

export interface AttemptInput extends EngineInput {
  readonly hook: ResolvedHook;
  readonly event: HookEvent;
  readonly classification: Classification | null;
  readonly callId: string | null;
  /** Says why a decision may not stand (refused mutation, second look), or null when it may. */
  readonly refuse: (decision: Decision) => string | null;
}

/** Runs one hook once: circuit, depth, handler, legality of its answer, failure policy, trace. */
export async function attemptHook(input: AttemptInput): Promise<AttemptResult> {
  const { hook, session, services } = input;
  if (session.disabled.has(hookForm(hook))) return { kind: 'passed' };
  const started = services.now();
  const outcome = await reachOutcome(input);
  if (outcome.kind === 'inert') {
    if (!session.inertTraced.has(hookForm(hook))) {
      session.inertTraced.add(hookForm(hook));
      record(input, started, outcome);
      services.warn(`hook ${hook.scope}:${hook.id} is left out: ${outcome.why}`);
    }
    return { kind: 'passed' };
  }
  record(input, started, outcome);
  if (outcome.kind === 'failed') return applyFailurePolicy(input, outcome.error);
  countSuccess(session, hookForm(hook));
  return outcome.kind === 'silent' ? { kind: 'passed' } : { kind: 'decided', decision: outcome.decision };
}

async function reachOutcome(input: AttemptInput): Promise<HandlerOutcome> {
  const { hook, session, event, services } = input;
  if (session.openCircuits.has(hookForm(hook))) {
    return failed(`its circuit is open after ${CIRCUIT_LIMIT} failures in a row; mend the hook, then start a new run`);
  }
  if (event.depth > MAX_DEPTH) return failed(`recursion: hook depth ${event.depth} is over ${MAX_DEPTH}`);
  let outcome: HandlerOutcome;
  try {
    outcome = await services.runHandler({ hook, event, classification: input.classification, session });
  } catch (error) {
    return failed(`the handler threw: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (outcome.kind === 'silent' && hook.mode === 'blocking') {
    return { ...failed('it wrote no decision'), exitStatus: outcome.exitStatus };
  }
  if (outcome.kind !== 'decision') return outcome;
  const illegal = illegalDecision(input, outcome.decision);
  return illegal === null ? outcome : { ...failed(illegal), exitStatus: outcome.exitStatus };
}

function illegalDecision({ hook, refuse }: AttemptInput, decision: Decision): string | null {
  if (hook.mode === 'observational') {
    return decision.action === 'allow' ? null : `an observational hook may not answer "${decision.action}"`;
  }
  if (!pointRow(hook.point).blocking.includes(decision.action)) {
    return `"${decision.action}" is no answer at ${hook.point}`;
  }
  if (!hook.needs.decisions.includes(decision.action)) {
    return `it answered "${decision.action}", which its "needs.decisions" does not declare (${hook.needs.decisions.join(', ')})`;
  }
  return refuse(decision);
}

function failed(error: string): Extract<HandlerOutcome, { kind: 'failed' }> {
  return { kind: 'failed', error, exitStatus: null, timedOut: false, truncated: false };
}

function applyFailurePolicy({ hook, session, services }: AttemptInput, error: string): AttemptResult {
  const name = `hook ${hook.scope}:${hook.id}`;
  if (countFailure(session, hookForm(hook))) {
    services.warn(`${name} failed ${CIRCUIT_LIMIT} times in a row and is not run again in this session: ${error}`);
  }
  const policy: FailurePolicy = hook.failurePolicy;
  if (policy === 'deny') return { kind: 'denied', reason: `${name} failed, and a failing guard denies: ${error}` };
  if (policy === 'disable') session.disabled.add(hookForm(hook));
  if (policy !== 'continue') services.warn(`${name} failed and was let pass (${policy}): ${error}`);
  if (hook.mode === 'blocking') session.failedOpen += 1;
  return { kind: 'passed' };
}

function record(input: AttemptInput, started: number, outcome: HandlerOutcome): void {
  const { hook, event, services, snapshot } = input;
  const decision = outcome.kind === 'decision' ? outcome.decision : null;
  const trace: Trace = {
    schema_version: 1,
    trace_id: event.trace_id,
    event_id: event.event_id,
    execution_id: newId('exec'),
    run_id: event.run_id,
    session_id: event.session_id,
    hook_id: hook.id,
    scope: hook.scope,
    point: event.point,
    call_id: input.callId,
    started,
    duration_ms: Math.max(0, (services.now() - started) * 1_000),
    decision: decision?.action ?? null,
    reason: decision?.reason ?? null,
    status: outcome.kind === 'failed' ? 'failed' : outcome.kind === 'inert' ? 'inert' : 'ran',
    exit_status: outcome.kind === 'inert' ? null : 'exitStatus' in outcome ? outcome.exitStatus : null,
    timed_out: outcome.kind === 'failed' && outcome.timedOut,
    truncated: outcome.kind === 'failed' && outcome.truncated,
    error: outcome.kind === 'failed' ? outcome.error : outcome.kind === 'inert' ? outcome.why : null,
    snapshot: snapshot.version,
  };
  services.trace(trace);
}

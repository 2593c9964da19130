import type { Classification, HookEvent } from '../../../shared/contracts/event.js';
import type { Decision } from '../../../shared/contracts/decision.js';
import type { Point } from '../../../shared/contracts/points.js';
import { sameJson } from '../../../shared/canonical-json.js';
import { newId } from '../../../shared/ids.js';
import type { JsonObject } from '../../../shared/json.js';
import type { FilterFacts } from '../../../shared/policy/filters.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import { attemptHook } from './attempt.js';
import { mutatedArgs } from './mutation.js';
import type { ApprovalAsk, EngineInput, EngineServices, PreparedHook, ToolCall } from './ports.js';

/** What the engine makes of one tool call. */
export interface ToolJudgement {
  /** `ask`: no guard objects, and somebody wants a person asked about exactly `args`. */
  readonly verdict: 'allow' | 'deny' | 'ask';
  readonly reason: string | null;
  /** Who denied. */
  readonly deniedBy: { readonly hookId: string; readonly point: Point } | null;
  /** The final arguments; nothing may change them after this. */
  readonly args: JsonObject;
  readonly changed: boolean;
  readonly classification: Classification;
  readonly asks: readonly ApprovalAsk[];
}

interface Progress {
  args: JsonObject;
  classification: Classification;
  /** Grows with each change, so that it is known which hook has judged which form. */
  version: number;
  /** The version that each hook has judged (or made). By the hook itself: two forms of one hook may be in force. */
  readonly seen: Map<ResolvedHook, number>;
  readonly asks: Map<string, ApprovalAsk>;
  readonly traceId: string;
  readonly eventIds: Map<Point, string>;
}

/**
 * Judges a call at all its boundaries: `tool.before`, then `file.before_write` and/or
 * `command.before`, classified anew from the arguments as they now are. Blocking hooks run
 * serially, a denial stops at once, asks are collected. When arguments were changed, the guards
 * that have not judged their final form look once more (second look) and may then deny or ask.
 */
export async function judgeToolCall(input: EngineInput, call: ToolCall): Promise<ToolJudgement> {
  const progress: Progress = {
    args: call.args,
    classification: call.classify(call.args),
    version: 0,
    seen: new Map(),
    asks: new Map(),
    traceId: newId('trace'),
    eventIds: new Map(),
  };
  const denial = (await firstLook(input, call, progress)) ?? (await secondLook(input, call, progress));
  const base = {
    args: progress.args,
    changed: progress.version > 0,
    classification: progress.classification,
    asks: [...progress.asks.values()],
  };
  if (denial !== null) return { ...base, verdict: 'deny', reason: denial.reason, deniedBy: denial.by };
  return { ...base, verdict: base.asks.length > 0 ? 'ask' : 'allow', reason: null, deniedBy: null };
}

interface Denial {
  readonly reason: string;
  readonly by: { readonly hookId: string; readonly point: Point };
}

async function firstLook(input: EngineInput, call: ToolCall, progress: Progress): Promise<Denial | null> {
  const before = await lookAtPoint(input, call, progress, 'tool.before', 'first');
  if (before !== null) return before;
  // Not taken from a list made beforehand: a change at one point decides whether the next is met at all.
  if (isWrite(progress.classification)) {
    const denial = await lookAtPoint(input, call, progress, 'file.before_write', 'first');
    if (denial !== null) return denial;
  }
  return isCommand(progress.classification) ? lookAtPoint(input, call, progress, 'command.before', 'first') : null;
}

async function secondLook(input: EngineInput, call: ToolCall, progress: Progress): Promise<Denial | null> {
  if (progress.version === 0) return null;
  for (const point of pointsOf(progress.classification)) {
    const denial = await lookAtPoint(input, call, progress, point, 'second');
    if (denial !== null) return denial;
  }
  return null;
}

async function lookAtPoint(
  input: EngineInput,
  call: ToolCall,
  progress: Progress,
  point: Point,
  look: 'first' | 'second',
): Promise<Denial | null> {
  for (const prepared of input.snapshot.atPoint(point)) {
    if (prepared.hook.mode !== 'blocking') continue;
    if (look === 'second' && progress.seen.get(prepared.hook) === progress.version) continue;
    if (!(await matches(input, call, progress, point, prepared))) continue;
    const denial = await runGuard(input, call, progress, point, prepared, look);
    if (denial !== null) return denial;
    progress.seen.set(prepared.hook, progress.version);
  }
  return null;
}

async function runGuard(
  input: EngineInput,
  call: ToolCall,
  progress: Progress,
  point: Point,
  { hook }: PreparedHook,
  look: 'first' | 'second',
): Promise<Denial | null> {
  const result = await attemptHook({
    ...input,
    hook,
    event: toolEvent(input, call, progress, point),
    classification: progress.classification,
    callId: call.callId,
    refuse: (decision) => refuseDecision(decision, point, call, progress, look),
  });
  const by = { hookId: hook.id, point };
  if (result.kind === 'denied') return { reason: result.reason, by };
  if (result.kind === 'passed') return null;
  const { decision } = result;
  switch (decision.action) {
    case 'deny':
      return { reason: decision.reason ?? `denied by hook ${hook.scope}:${hook.id}`, by };
    case 'request_approval':
      progress.asks.set(hook.key, { hookId: hook.id, scope: hook.scope, reason: decision.reason ?? '' });
      return null;
    case 'modify':
      applyChange(decision, point, call, progress);
      return null;
    case 'allow':
      return null;
  }
}

function refuseDecision(
  decision: Decision,
  point: Point,
  call: ToolCall,
  progress: Progress,
  look: 'first' | 'second',
): string | null {
  if (decision.action !== 'modify') return null;
  const after = mutatedArgs(decision, point, progress.args, call.protectedArgs);
  if (!after.ok) return after.error;
  // A guard that would write again what already stands there has no objection to it.
  if (look === 'second' && !sameJson(after.value, progress.args)) {
    return 'it wants to change the arguments again after they were final; in a second look a hook may only allow, deny or ask';
  }
  return null;
}

function applyChange(decision: Decision, point: Point, call: ToolCall, progress: Progress): void {
  const after = mutatedArgs(decision, point, progress.args, call.protectedArgs);
  if (!after.ok || sameJson(after.value, progress.args)) return;
  progress.args = after.value;
  progress.classification = call.classify(after.value);
  progress.version += 1;
}

async function matches(
  { services, envelope }: EngineInput,
  call: ToolCall,
  progress: Progress,
  point: Point,
  prepared: PreparedHook,
): Promise<boolean> {
  const facts = toolFacts(
    call.toolName,
    progress.classification,
    envelope.sessionId,
    toolEventData(call, progress, point),
  );
  return matchesWithPaths(prepared, facts, services, progress.classification.paths, envelope.workspace);
}

/** Filter facts of a tool call without its paths, which only hooks that filter on them need folded. */
export function toolFacts(
  toolName: string,
  classification: Classification,
  sessionId: string | null,
  data: JsonObject,
): FilterFacts {
  const { operation, category } = classification;
  return { toolName, operation, category, paths: [], sessionId, data };
}

/** Asks a hook's filters, folding the paths (links, `..`) only where the hook looks at them. */
export async function matchesWithPaths(
  { hook, matches: ask }: PreparedHook,
  facts: FilterFacts,
  services: EngineServices,
  paths: readonly string[],
  workspace: string,
): Promise<boolean> {
  const needed = hook.filters.paths !== undefined && paths.length > 0;
  return ask(needed ? { ...facts, paths: await services.foldPaths(paths, workspace) } : facts).matches;
}

function toolEvent({ envelope, services }: EngineInput, call: ToolCall, progress: Progress, point: Point): HookEvent {
  const eventId = progress.eventIds.get(point) ?? newId('hookevt');
  progress.eventIds.set(point, eventId);
  return {
    schema_version: 1,
    event_id: eventId,
    timestamp: services.now(),
    point,
    session_id: envelope.sessionId,
    run_id: envelope.runId,
    trace_id: progress.traceId,
    workspace: envelope.workspace,
    depth: envelope.depth,
    data: toolEventData(call, progress, point),
  };
}

/** The `data` of a tool call's event at one of its points, for these arguments. */
export function toolEventData(
  call: Pick<ToolCall, 'callId' | 'toolName'>,
  { args, classification }: { readonly args: JsonObject; readonly classification: Classification },
  point: Point,
): JsonObject {
  const data = {
    call_id: call.callId,
    tool_name: call.toolName,
    args,
    operation: classification.operation,
    category: classification.category,
    reversible: classification.reversible,
  };
  if (point === 'file.before_write') return { ...data, paths: classification.writePaths };
  if (point === 'command.before') return { ...data, command: classification.command };
  return data;
}

/** True for a call that modifies a file, by its tool or by a literal target of its command. */
export function isWrite(classification: Classification): boolean {
  return classification.operation === 'modify_file' || classification.writePaths.length > 0;
}

/** True for a call that runs a command. */
export function isCommand(classification: Classification): boolean {
  return classification.operation === 'run_command' || classification.command !== null;
}

/** The points that a call with this classification meets, in order. */
export function pointsOf(classification: Classification): readonly Point[] {
  const points: Point[] = ['tool.before'];
  if (isWrite(classification)) points.push('file.before_write');
  if (isCommand(classification)) points.push('command.before');
  return points;
}

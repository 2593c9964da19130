import { canonicalJson } from '../../../shared/canonical-json.js';
import type { JsonObject } from '../../../shared/json.js';
import { newEngineSession, type EngineSession } from '../engine/session.js';
import { createObservers, type Observers } from '../engine/observers.js';

/** A call as it was judged: what it may be executed as, and whether it may be executed at all. */
export interface JudgedCall {
  readonly toolName: string;
  /** The arguments that the agent asked with. */
  readonly asked: JsonObject;
  /** The arguments as they were judged in the end. */
  readonly args: JsonObject;
  readonly allowed: boolean;
  /** False where the coverage source has no item for it. */
  readonly inCoverage: boolean;
}

/** What the gate remembers of one run. Held by the process that owns the run, and gone with it. */
export interface GateSession {
  readonly runId: string;
  readonly workspace: string;
  readonly depth: number;
  readonly engine: EngineSession;
  readonly observers: Observers;
  readonly judged: Map<string, JudgedCall>;
  /** Yes for this run: exactly this tool with exactly these canonical arguments. */
  readonly grantedForRun: Set<string>;
  /** A person's yes that the agent's own permission request for the same call has not used yet: key -> count. */
  readonly grantedOnce: Map<string, number>;
}

/** The memory of a new run. */
export function newGateSession(runId: string, workspace: string, depth: number): GateSession {
  return {
    runId,
    workspace,
    depth,
    engine: newEngineSession(),
    observers: createObservers(),
    judged: new Map(),
    grantedForRun: new Set(),
    grantedOnce: new Map(),
  };
}

/** The identity of "this tool with these arguments"; null for arguments that have no canonical form. */
export function callKey(toolName: string, args: JsonObject): string | null {
  const text = canonicalJson(args);
  return text.ok ? `${toolName}\n${text.value}` : null;
}

/** Notes a yes that the agent's own permission request may use once. */
export function noteGrant(session: GateSession, key: string): void {
  session.grantedOnce.set(key, (session.grantedOnce.get(key) ?? 0) + 1);
}

/** Uses up one noted yes; false when there is none. */
export function takeGrant(session: GateSession, key: string): boolean {
  const count = session.grantedOnce.get(key) ?? 0;
  if (count === 0) return false;
  if (count === 1) session.grantedOnce.delete(key);
  else session.grantedOnce.set(key, count - 1);
  return true;
}

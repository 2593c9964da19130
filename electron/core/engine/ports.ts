/**
 * engine: one hook event in, one judgement out. It orders nothing on its own (the snapshot did),
 * starts nothing on its own (handlers go through the seam), asks no person (it says who wants one
 * asked), and fails closed: every error at a blocking boundary is a denial with a reason.
 */
import type { Decision } from '../../../shared/contracts/decision.js';
import type { Classification, HookEvent } from '../../../shared/contracts/event.js';
import type { Point } from '../../../shared/contracts/points.js';
import type { Trace } from '../../../shared/contracts/trace.js';
import type { JsonObject } from '../../../shared/json.js';
import type { FilterFacts, FilterResult } from '../../../shared/policy/filters.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import type { EngineSession } from './session.js';

/** A hook that is in force at its point, with its filters compiled when the registry was read. */
export interface PreparedHook {
  readonly hook: ResolvedHook;
  readonly matches: (facts: FilterFacts) => FilterResult;
}

/** What the engine needs of a registry snapshot. */
export interface EngineSnapshot {
  readonly version: string;
  readonly atPoint: (point: Point) => readonly PreparedHook[];
}

/** What one attempt at a handler came to. */
export type HandlerOutcome =
  | { readonly kind: 'decision'; readonly decision: Decision; readonly exitStatus: number | null }
  /** Only an observational handler may stay silent. */
  | { readonly kind: 'silent'; readonly exitStatus: number | null }
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly exitStatus: number | null;
      readonly timedOut: boolean;
      readonly truncated: boolean;
    }
  /** Never approved: left out, without effect on the answer. */
  | { readonly kind: 'inert'; readonly why: string };

export interface HandlerCall {
  readonly hook: ResolvedHook;
  readonly event: HookEvent;
  /** Null at points that are no tool call. */
  readonly classification: Classification | null;
  readonly session: EngineSession;
}

/** The ports of the engine; the composition root fills them. */
export interface EngineServices {
  readonly runHandler: (call: HandlerCall) => Promise<HandlerOutcome>;
  /** Folds paths for filters: relative to the workspace with `/`, or absolute when outside. */
  readonly foldPaths: (paths: readonly string[], workspace: string) => Promise<readonly string[]>;
  readonly trace: (trace: Trace) => void;
  /** A diagnostic that a person should see (failure policy `warn`, circuits, refused answers). */
  readonly warn: (text: string) => void;
  /** Unix seconds, fractional. */
  readonly now: () => number;
}

/** The envelope that all events of one dispatch share. */
export interface Envelope {
  readonly runId: string;
  readonly sessionId: string | null;
  readonly workspace: string;
  readonly depth: number;
}

/** One tool call as the adapter parsed it, and how to classify it again after a change. */
export interface ToolCall {
  readonly callId: string;
  readonly toolName: string;
  readonly args: JsonObject;
  readonly classify: (args: JsonObject) => Classification;
  /** Argument names that no hook may change, add or remove. */
  readonly protectedArgs: readonly string[];
}

/** A hook that wants a person asked. */
export interface ApprovalAsk {
  readonly hookId: string;
  readonly scope: string;
  readonly reason: string;
}

export interface EngineInput {
  readonly snapshot: EngineSnapshot;
  readonly session: EngineSession;
  readonly services: EngineServices;
  readonly envelope: Envelope;
}

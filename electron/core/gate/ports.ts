/**
 * gate: the door between an agent and the engine. It parses through the adapter, has the engine
 * judge, has a person asked where the engine says so, and answers in the agent's form. It never
 * answers with nothing: whatever goes wrong at a blocking boundary is a denial with a reason.
 */
import type { JsonObject } from '../../../shared/json.js';
import type { AgentAdapter } from '../agents/contract.js';
import type { EngineServices, EngineSnapshot } from '../engine/ports.js';
import type { GateSession } from './session.js';

/** What a person is asked while the agent's call is held. */
export interface Question {
  readonly id: string;
  readonly toolName: string;
  /** The final arguments; nothing may change them after the answer. */
  readonly args: JsonObject;
  /** Everyone who wants a person asked, and why. */
  readonly askedBy: readonly { readonly who: string; readonly reason: string }[];
}

export type PersonAnswer =
  | { readonly answer: 'once' }
  /** Exactly this tool with exactly these arguments, for the rest of the run. */
  | { readonly answer: 'run' }
  /** `message` is for the agent; absent when nobody wrote one. `why` says how the no came about. */
  | { readonly answer: 'deny'; readonly why: string };

/** What the gate tells the timeline of the run. */
export type GateReport =
  | {
      readonly kind: 'judged';
      readonly callId: string;
      readonly toolName: string;
      readonly args: JsonObject;
      readonly verdict: 'allow' | 'deny' | 'modify';
      readonly reason: string | null;
      /** Hook and point of a denial; null when nobody's hook denied (a person, an error). */
      readonly by: string | null;
      readonly inCoverage: boolean;
    }
  | {
      readonly kind: 'executed';
      readonly callId: string;
      readonly toolName: string;
      readonly ok: boolean;
      readonly asJudged: boolean;
    }
  | { readonly kind: 'question'; readonly question: Question }
  | { readonly kind: 'answer'; readonly questionId: string; readonly answer: PersonAnswer }
  | { readonly kind: 'turn'; readonly verdict: 'allow' | 'block'; readonly reason: string | null }
  | { readonly kind: 'session'; readonly what: 'start' | 'end'; readonly sessionId: string | null }
  | { readonly kind: 'tampering'; readonly what: string }
  /** Something could not be judged and was denied for it. */
  | { readonly kind: 'trouble'; readonly event: string; readonly reason: string }
  | { readonly kind: 'unknown'; readonly event: string };

export interface GatePorts {
  readonly adapter: AgentAdapter;
  readonly session: GateSession;
  /** The registry as it now is; asked again at each boundary. */
  readonly snapshot: () => Promise<EngineSnapshot>;
  readonly services: EngineServices;
  /** Asks a person; always answers (time-out, nobody there and withdrawal are denials). */
  readonly ask: (question: Question, withdrawn: AbortSignal) => Promise<PersonAnswer>;
  readonly report: (report: GateReport) => void;
  /** Milliseconds from an event's arrival after which it is denied whatever is under way; below the agent's own time-out. */
  readonly deadlineMs: number;
}

import type { JsonObject } from '../json.js';
import type { Point } from './points.js';
import type { Category, Operation } from './vocabulary.js';

/** The canonical event that a handler gets on standard input as one JSON line. */
export interface HookEvent {
  readonly schema_version: 1;
  readonly event_id: string;
  /** Unix seconds, fractional. */
  readonly timestamp: number;
  readonly point: Point;
  /** The agent's own session id; null before it has one. */
  readonly session_id: string | null;
  readonly run_id: string;
  readonly trace_id: string;
  /** Canonical path of the workspace. */
  readonly workspace: string;
  readonly depth: number;
  readonly data: JsonObject;
}

/** What an adapter says about one tool call, whatever the agent calls it. */
export interface Classification {
  readonly operation: Operation | null;
  readonly category: Category;
  /** False unless the call only reads. */
  readonly reversible: boolean;
  /** Every path that the arguments name for writing, as the agent gave them; also from shell commands with literal targets. */
  readonly writePaths: readonly string[];
  /** Every path that any argument names, for filters. */
  readonly paths: readonly string[];
  /** The command line, when the call runs one. */
  readonly command: string | null;
}

/** What the index is asked and what it answers; spoken between index-client.ts and its worker. */
import type { RunRecord } from '../../../shared/contracts/run.js';
import type { Trace } from '../../../shared/contracts/trace.js';
import type { Result } from '../../../shared/result.js';
import type { StateFolder } from './layout.js';

export interface RunQuery {
  /** Most runs that are wanted. */
  readonly limit: number;
  /** Id of a run: only older ones. */
  readonly before?: string | undefined;
}

/** All that are given must fit. */
export interface TraceQuery {
  readonly hook?: string | undefined;
  readonly point?: string | undefined;
  readonly run?: string | undefined;
  readonly decision?: string | undefined;
  /** Unix seconds: started then or later. */
  readonly since?: number | undefined;
  /** Most traces that are wanted. */
  readonly limit: number;
}

/** What was read from the run folders. */
export interface RebuildReport {
  readonly runs: number;
  readonly traces: number;
  /** What could not be read and is missing from the index, in words. */
  readonly notices: readonly string[];
}

export type IndexRequest =
  | { readonly ask: 'upsertRun'; readonly record: RunRecord }
  | { readonly ask: 'addTraces'; readonly traces: readonly Trace[] }
  | { readonly ask: 'queryRuns'; readonly query: RunQuery }
  | { readonly ask: 'queryTraces'; readonly query: TraceQuery }
  | { readonly ask: 'rebuild' }
  | { readonly ask: 'close' };

/** The first message of the worker has number 0: it is open, or why not. */
export interface IndexAnswer {
  readonly number: number;
  readonly result: Result<unknown, string>;
  /** What a person should know of how it came about. */
  readonly notices: readonly string[];
}

export interface IndexWorkerData {
  readonly state: StateFolder;
  readonly limits: TraceLimits;
}

/** Bounds of the stored traces; over one of them the oldest go. */
export interface TraceLimits {
  readonly count: number;
  readonly bytes: number;
}

export const TRACE_LIMITS: TraceLimits = { count: 100_000, bytes: 128 * 1024 * 1024 };

import type { Action } from './vocabulary.js';

/** One row per hook point, schema version 1: the data that everything else about points is derived from. */
export interface PointRow {
  /** What a blocking hook may answer; empty where only observational hooks are possible. */
  readonly blocking: readonly Action[];
  /** The one field of `data` that `modify` may change, or null. */
  readonly modifies: 'args' | null;
  /** Who raises it: an adapter from the agent's own events, or the app itself. */
  readonly raisedBy: 'agent' | 'app';
}

const NONE: PointRow = { blocking: [], modifies: null, raisedBy: 'agent' };
const TOOL: PointRow = {
  blocking: ['allow', 'deny', 'modify', 'request_approval'],
  modifies: 'args',
  raisedBy: 'agent',
};

export const POINTS = {
  'run.before': { blocking: ['allow', 'deny', 'request_approval'], modifies: null, raisedBy: 'app' },
  'session.start': NONE,
  'prompt.before': { blocking: ['allow', 'deny'], modifies: null, raisedBy: 'agent' },
  'tool.before': TOOL,
  'file.before_write': TOOL,
  'command.before': TOOL,
  'approval.requested': { ...NONE, raisedBy: 'app' },
  'tool.after': NONE,
  'file.after_write': NONE,
  'command.after': NONE,
  'turn.stopping': { blocking: ['allow', 'deny'], modifies: null, raisedBy: 'agent' },
  'compact.before': NONE,
  'subagent.start': NONE,
  'subagent.stop': NONE,
  notification: NONE,
  'session.end': NONE,
  'integration.before': { blocking: ['allow', 'deny', 'request_approval'], modifies: null, raisedBy: 'app' },
  'run.after': { ...NONE, raisedBy: 'app' },
} as const satisfies Record<string, PointRow>;

export type Point = keyof typeof POINTS;
export const POINT_NAMES = Object.keys(POINTS) as readonly Point[] as readonly [Point, ...Point[]];

/** The row of a point, widened so that callers can ask `includes` of it. */
export function pointRow(point: Point): PointRow {
  return POINTS[point];
}

/**
 * Points that nothing raises yet. A hook there is named as a gap before a launch, never left
 * silently green; the list shrinks as the rooms that raise them come.
 */
export const UNRAISED_APP_POINTS: readonly Point[] = ['approval.requested', 'integration.before', 'run.after'];

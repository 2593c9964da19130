/**
 * A run's timeline as rows for people. Job: bring together what belongs to one tool call (the agent's
 * own report, the gate's decision, the result) and leave nothing out. Pure; entries are read
 * defensively, since they come from files that an older version may have written.
 */
import type { EventOf } from '../../shared/bridge/channels.js';
import { isJsonObject, type JsonObject } from '../../shared/json.js';

export type TimelineEvent = EventOf<'runs.events'>['events'][number];

export interface CallRow {
  readonly kind: 'call';
  readonly key: string;
  readonly at: number;
  readonly tool: string;
  readonly args: JsonObject | null;
  /** What the gate said; null while it said nothing. */
  readonly decision: 'allow' | 'deny' | 'modify' | null;
  readonly reason: string | null;
  /** Hook and point of a denial. */
  readonly by: string | null;
  readonly result: { readonly ok: boolean; readonly executed: boolean; readonly text: string } | null;
  /** It was executed with other arguments than were judged. */
  readonly differs: boolean;
}

export interface AskRow {
  readonly kind: 'ask';
  readonly key: string;
  readonly at: number;
  readonly tool: string;
  readonly askedBy: readonly { readonly who: string; readonly reason: string }[];
  readonly answer: 'waiting' | 'once' | 'run' | 'deny';
  readonly why: string | null;
}

export interface TextRow {
  readonly kind: 'say' | 'note' | 'warning' | 'state' | 'output' | 'denied' | 'tampering' | 'sent-on' | 'end';
  readonly key: string;
  readonly at: number;
  readonly text: string;
  /** For `end`: what the agent reports of itself. */
  readonly ok: boolean | null;
}

export type TimelineRow = CallRow | AskRow | TextRow;

/** The rows of a timeline in the order in which each began. */
export function timelineRows(events: readonly TimelineEvent[]): readonly TimelineRow[] {
  const rows = new Map<string, TimelineRow>();
  let last: TimelineRow | null = null;
  for (const [index, event] of events.entries()) {
    const row = rowOf(event, { rows, at: event.at, key: `e${index}` });
    if (row === null || saysAgain(row, last)) continue;
    rows.set(row.key, row);
    last = row;
  }
  return [...rows.values()];
}

/** A state that is told twice in a row is one state. */
function saysAgain(row: TimelineRow, last: TimelineRow | null): boolean {
  return row.kind === 'state' && last?.kind === 'state' && row.text === last.text;
}

interface Place {
  readonly rows: ReadonlyMap<string, TimelineRow>;
  readonly at: number;
  /** The key of a row that belongs to no call and to no question. */
  readonly key: string;
}

/** The row that an entry makes, or the changed one that it adds to; null for what has nothing to say. */
function rowOf(event: TimelineEvent, place: Place): TimelineRow | null {
  switch (event.kind) {
    case 'phase': {
      const reason = textIn(event, 'reason');
      const phase = textIn(event, 'phase').replaceAll('_', ' ');
      return textRow(place, 'state', reason === '' ? phase : `${phase}: ${reason}`);
    }
    case 'notice':
      return textRow(place, 'note', textIn(event, 'text'));
    case 'warning':
      return textRow(place, 'warning', textIn(event, 'text'));
    case 'unparsed':
      return textRow(place, 'output', textIn(event, 'text'));
    case 'gate':
      return rowOfReport(objectIn(event, 'report'), place);
    case 'agent':
      return rowOfAgent(objectIn(event, 'event'), place);
    default:
      return textRow(place, 'note', `an entry of a kind that this version does not know: ${event.kind}`);
  }
}

function rowOfReport(report: JsonObject, place: Place): TimelineRow | null {
  switch (report['kind']) {
    case 'judged': {
      const verdict = report['verdict'];
      return callRow(place, textIn(report, 'callId'), {
        tool: textIn(report, 'toolName'),
        args: isJsonObject(report['args']) ? report['args'] : null,
        decision: verdict === 'deny' || verdict === 'modify' ? verdict : 'allow',
        reason: orNull(report['reason']),
        by: orNull(report['by']),
      });
    }
    case 'executed':
      return report['asJudged'] === false ? callRow(place, textIn(report, 'callId'), { differs: true }) : null;
    case 'question':
      return askRow(objectIn(report, 'question'), place.at);
    case 'answer':
      return answeredRow(report, place);
    case 'turn':
      return report['verdict'] === 'block' ? textRow(place, 'sent-on', textIn(report, 'reason')) : null;
    case 'tampering':
      return textRow(place, 'tampering', textIn(report, 'what'));
    case 'trouble':
      return textRow(place, 'denied', `${textIn(report, 'event')}: ${textIn(report, 'reason')}`);
    case 'session':
      return textRow(place, 'state', `the agent's session ${report['what'] === 'end' ? 'ended' : 'started'}`);
    case 'unknown':
      return textRow(place, 'note', `the gate was told of an event that it does not know: ${textIn(report, 'event')}`);
    default:
      return textRow(place, 'note', 'a report of the gate that this version does not know');
  }
}

function rowOfAgent(event: JsonObject, place: Place): TimelineRow | null {
  switch (event['kind']) {
    case 'message':
      return textRow(place, 'say', textIn(event, 'text').trim());
    case 'notice':
      return textRow(place, 'note', textIn(event, 'text'));
    case 'init':
      return textRow(place, 'state', initText(event));
    case 'tool.call':
      return callRow(place, textIn(event, 'callId'), {
        tool: textIn(event, 'toolName'),
        ...(isJsonObject(event['args']) ? { reported: event['args'] } : {}),
      });
    case 'tool.result':
      return callRow(place, textIn(event, 'callId'), {
        result: { ok: event['ok'] === true, executed: event['executed'] === true, text: textIn(event, 'text') },
      });
    case 'result': {
      const said = [textIn(event, 'reason'), textIn(event, 'text')].filter((text) => text !== '');
      return textRow(place, 'end', said.join(': ') || 'ended', event['ok'] === true);
    }
    default:
      return textRow(place, 'note', 'a report of the agent that this version does not know');
  }
}

function textRow({ at, key }: Place, kind: TextRow['kind'], text: string, ok: boolean | null = null): TextRow | null {
  return text.trim() === '' ? null : { kind, key, at, text, ok };
}

function initText(event: JsonObject): string {
  const parts = [textIn(event, 'version'), textIn(event, 'model')].filter((part) => part !== '');
  return parts.length === 0 ? 'the agent started' : `the agent started (${parts.join(', ')})`;
}

type CallPart = Partial<Omit<CallRow, 'kind' | 'key' | 'at'>> & { readonly reported?: JsonObject };

const NEW_CALL = {
  tool: '',
  args: null,
  decision: null,
  reason: null,
  by: null,
  result: null,
  differs: false,
} as const;

/** The judged arguments are what counts; those that the agent reports stand in only until then. */
function callRow({ rows, at }: Place, callId: string, { reported, ...known }: CallPart): CallRow {
  const key = `call:${callId}`;
  const before = rows.get(key);
  const row: CallRow = before?.kind === 'call' ? before : { kind: 'call', key, at, ...NEW_CALL };
  const standIn = reported !== undefined && row.args === null ? { args: reported } : {};
  return { ...row, ...standIn, ...known };
}

function askRow(question: JsonObject, at: number): AskRow {
  const asked = Array.isArray(question['askedBy']) ? question['askedBy'].filter(isJsonObject) : [];
  return {
    kind: 'ask',
    key: `ask:${textIn(question, 'id')}`,
    at,
    tool: textIn(question, 'toolName'),
    askedBy: asked.map((one) => ({ who: textIn(one, 'who'), reason: textIn(one, 'reason') })),
    answer: 'waiting',
    why: null,
  };
}

function answeredRow(report: JsonObject, { rows }: Place): AskRow | null {
  const row = rows.get(`ask:${textIn(report, 'questionId')}`);
  if (row?.kind !== 'ask') return null;
  const given = objectIn(report, 'answer');
  const answer = given['answer'] === 'once' || given['answer'] === 'run' ? given['answer'] : 'deny';
  return { ...row, answer, why: orNull(given['why']) };
}

function textIn(data: Readonly<Record<string, unknown>>, name: string): string {
  const value = data[name];
  return typeof value === 'string' ? value : '';
}

function objectIn(data: Readonly<Record<string, unknown>>, name: string): JsonObject {
  const value = data[name];
  return isJsonObject(value) ? value : {};
}

function orNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Counts of a timeline so far, for a run whose own counts are made when it ends. */
export function liveCounts(rows: readonly TimelineRow[]): {
  readonly calls: number;
  readonly denied: number;
  readonly asked: number;
} {
  const calls = rows.filter((row) => row.kind === 'call');
  return {
    calls: calls.length,
    denied: calls.filter((row) => row.decision === 'deny').length + rows.filter((row) => row.kind === 'denied').length,
    asked: rows.filter((row) => row.kind === 'ask').length,
  };
}

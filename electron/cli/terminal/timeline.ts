import type { RunEvent } from '../../core/runs/timeline.js';
import { visibleText } from '../../../shared/visible-text.js';
import { isJsonObject } from '../../../shared/json.js';
import { liveLine } from './live.js';

/** An event of `events.jsonl`, or null for a line that is none. */
export function parseEvent(line: string): RunEvent | null {
  try {
    const event: unknown = JSON.parse(line);
    if (!isJsonObject(event) || typeof event['at'] !== 'number' || typeof event['kind'] !== 'string') return null;
    // An older or damaged form may lack what a line needs: then it is none.
    const shown: unknown = lineOf(event as unknown as RunEvent);
    return shown === null || typeof shown === 'string' ? (event as unknown as RunEvent) : null;
  } catch {
    return null;
  }
}

/** What a past event looks like in a list, with its time; empty for what a person need not see, null for a line that is no event. */
export function eventLines(line: string): readonly string[] | null {
  const event = parseEvent(line);
  if (event === null) return null;
  const text = lineOf(event);
  if (text === null) return [];
  const time = new Date(event.at * 1_000).toTimeString().slice(0, '00:00:00'.length);
  return text.split('\n').map((part, index) => `${index === 0 ? time : ' '.repeat(time.length)}  ${part}`);
}

function lineOf(event: RunEvent): string | null {
  return event.kind === 'phase' ? phaseLine(event) : liveLine(event);
}

function phaseLine({ phase, reason }: Extract<RunEvent, { kind: 'phase' }>): string {
  const state = phase.replaceAll('_', ' ');
  return `state    ${visibleText(reason === null ? state : `${state}: ${reason}`).text}`;
}

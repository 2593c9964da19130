/**
 * The agent's `--json` output, one line at a time -> canonical events. Its items carry no call ids and a denied call
 * has none (measured), so calls are read from the rollout (rollout.ts); here are the session, what it says, and how it ends.
 */
import { isJsonObject, type Json } from '../../../../shared/json.js';
import type { StreamEvent } from '../contract.js';

/** Canonical events of a line: none for lines that say nothing of interest, null for a line that is no event. */
export function readStreamLine(line: string): readonly StreamEvent[] | null {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isJsonObject(event) || typeof event['type'] !== 'string') return null;
  switch (event['type']) {
    case 'thread.started':
      return [{ kind: 'init', sessionId: text(event['thread_id']), model: null, version: null }];
    case 'item.completed':
      return itemEvents(event['item']);
    case 'turn.completed':
      return [{ kind: 'result', ok: true, reason: 'completed', text: '' }];
    case 'turn.failed':
      return [{ kind: 'result', ok: false, reason: messageOf(event['error']), text: '' }];
    case 'error':
      return notice(text(event['message']));
    default:
      return [];
  }
}

function itemEvents(item: Json | undefined): readonly StreamEvent[] {
  if (!isJsonObject(item)) return [];
  switch (item['type']) {
    case 'agent_message': {
      const said = text(item['text']);
      return said === null || said === '' ? [] : [{ kind: 'message', text: said }];
    }
    // A warning, not a failure (measured).
    case 'error':
      return notice(text(item['message']));
    case 'web_search':
      return notice(`hosted web search: ${text(item['query']) ?? ''}`);
    default:
      return [];
  }
}

function notice(content: string | null): readonly StreamEvent[] {
  return content === null || content === '' ? [] : [{ kind: 'notice', text: content }];
}

function messageOf(error: Json | undefined): string {
  const message: string | null = isJsonObject(error) ? text(error['message']) : null;
  return message ?? 'the turn failed';
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

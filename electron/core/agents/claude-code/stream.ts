/**
 * The agent's stream-json output, one line at a time -> canonical events. The call ids in it are the
 * key by which the stream is compared with the dispatches. Sub-agents' calls are in it (measured);
 * those of a Workflow's sub-agents are not.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../shared/json.js';
import type { StreamEvent } from '../contract.js';

/** Canonical events of a line: none for lines that say nothing of interest, null for a line that is no event. */
export function readStreamLine(line: string): readonly StreamEvent[] | null {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isJsonObject(event)) return null;
  switch (event['type']) {
    case 'system':
      return systemEvents(event);
    case 'assistant':
      return blocksOf(event).flatMap(assistantEvents);
    case 'user':
      return blocksOf(event).flatMap((block) => resultEvents(event, block));
    case 'result':
      return [resultEvent(event)];
    default:
      return typeof event['type'] === 'string' ? [] : null;
  }
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

function systemEvents(event: JsonObject): readonly StreamEvent[] {
  switch (event['subtype']) {
    case 'init':
      return [
        {
          kind: 'init',
          sessionId: text(event['session_id']),
          model: text(event['model']),
          version: text(event['claude_code_version']),
        },
      ];
    case 'informational':
      return notice(text(event['content']));
    case 'permission_denied':
      return notice(
        `the agent's own permission check refused ${text(event['tool_name']) ?? 'a call'}: ${text(event['message']) ?? ''}`,
      );
    case 'api_retry':
      return notice('the model server failed; the agent tries again');
    case 'compact_boundary':
      return notice('the agent compacted its context');
    default:
      return [];
  }
}

function notice(content: string | null): readonly StreamEvent[] {
  return content === null || content === '' ? [] : [{ kind: 'notice', text: content }];
}

function blocksOf(event: JsonObject): readonly JsonObject[] {
  const message = event['message'];
  return isJsonObject(message) ? objects(message['content']) : [];
}

function assistantEvents(block: JsonObject): readonly StreamEvent[] {
  const { type, id, name, input } = block;
  if (type === 'text') {
    const said = text(block['text']);
    return said === null || said === '' ? [] : [{ kind: 'message', text: said }];
  }
  if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return [];
  return [{ kind: 'tool.call', callId: id, toolName: name, args: isJsonObject(input) ? input : {} }];
}

function resultEvents(event: JsonObject, block: JsonObject): readonly StreamEvent[] {
  const callId = block['tool_use_id'];
  if (block['type'] !== 'tool_result' || typeof callId !== 'string') return [];
  const said = contentText(block['content']);
  const failed = block['is_error'] === true;
  const meta = objects(event['tool_result_meta']).find((entry) => entry['id'] === callId);
  const executed = meta === undefined ? !(failed && isInvalidCall(event, said)) : wasExecuted(meta);
  return [{ kind: 'tool.result', callId, ok: !failed, executed, text: said }];
}

/** The agent's own word on a call (2.1.332): refused calls carry a kind of non-execution or a rejection. */
function wasExecuted(meta: JsonObject): boolean {
  const decision = meta['permission_decision'];
  const rejected = isJsonObject(decision) && decision['decision'] === 'reject';
  return !rejected && typeof meta['non_execution_kind'] !== 'string';
}

/**
 * Calls that fail validation meet no hook and carry no word of the agent's; their text is wrapped in
 * `<tool_use_error>` on both versions. On 2.1.197, which gives no word at all, anything else counts as executed.
 */
function isInvalidCall(event: JsonObject, said: string): boolean {
  const wrapped = said.startsWith('<tool_use_error>') && said.endsWith('</tool_use_error>');
  return wrapped && /^(Error: |InputValidationError: )/.test(text(event['tool_use_result']) ?? '');
}

function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return objects(content)
    .map((part) => text(part['text']) ?? `[${text(part['type']) ?? 'data'}]`)
    .join('\n');
}

/**
 * The end of a run. The exit status does not tell it (0 after SIGINT and after hook stops, measured):
 * success is `is_error: false` with subtype `success`, and no end that a hook or a cap forced.
 */
function resultEvent(event: JsonObject): StreamEvent {
  const subtype = text(event['subtype']) ?? 'unknown';
  const ended = text(event['terminal_reason']);
  // 2.1.197 gives no terminal_reason for some ends; an absent one says nothing against success.
  const natural = ended === null || ended === 'completed';
  const succeeded = event['is_error'] === false && subtype === 'success' && natural;
  const reason = natural || ended === subtype ? subtype : `${subtype} (${ended})`;
  return { kind: 'result', ok: succeeded, reason, text: text(event['result']) ?? '' };
}

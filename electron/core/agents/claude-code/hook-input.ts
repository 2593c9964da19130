/**
 * Native hook payloads -> canonical events. Unknown fields are tolerated, unknown events shown;
 * a payload that lacks what a judgement needs is an error, which the gate turns into a denial.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../shared/json.js';
import { fail, ok, type Result } from '../../../../shared/result.js';
import type { NativeEvent } from '../contract.js';

/** Sub-agents that a Workflow script starts: their calls meet hooks but are not in the stream (measured on both versions). */
const NOT_STREAMED = 'workflow-subagent';

/** The native event as a canonical one; `event` is the name that the compiled hook was registered under. */
export function parseHookInput(event: string, payload: unknown): Result<NativeEvent, string> {
  if (!isJsonObject(payload)) return fail('the payload is not a JSON object');
  const named = payload['hook_event_name'];
  if (named !== event) return fail(`the payload says it is ${JSON.stringify(named ?? null)}, not "${event}"`);
  const base = { event, sessionId: text(payload['session_id']), cwd: text(payload['cwd']) };
  switch (event) {
    case 'PreToolUse':
    case 'PreSkillShellCommand':
      return toolBefore(base, event, payload);
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return toolAfter(base, event, payload);
    case 'PermissionRequest': {
      const tool = toolOf(payload);
      return tool.ok ? ok({ ...base, kind: 'permission', ...tool.value }) : tool;
    }
    case 'Stop': {
      const active = payload['stop_hook_active'];
      if (typeof active !== 'boolean') return fail('"stop_hook_active" is not true or false');
      const lastMessage = text(payload['last_assistant_message']);
      return ok({ ...base, kind: 'turn.stopping', lastMessage, alreadyDenied: active });
    }
    case 'SessionStart':
      return ok({ ...base, kind: 'session.start', source: text(payload['source']), model: text(payload['model']) });
    case 'SessionEnd':
      return ok({ ...base, kind: 'session.end', reason: text(payload['reason']) });
    case 'ConfigChange': {
      const what = [text(payload['source']), text(payload['file_path'])].filter((part) => part !== null).join(': ');
      return ok({ ...base, kind: 'config.change', what: what === '' ? 'settings' : what });
    }
    default:
      return ok({ ...base, kind: 'unknown' });
  }
}

type Base = Pick<NativeEvent, 'event' | 'sessionId' | 'cwd'>;

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function toolOf(payload: JsonObject): Result<{ readonly toolName: string; readonly args: JsonObject }, string> {
  const toolName = payload['tool_name'];
  const args = payload['tool_input'];
  if (typeof toolName !== 'string' || toolName === '') return fail('"tool_name" is missing');
  if (!isJsonObject(args)) return fail('"tool_input" is not a JSON object');
  return ok({ toolName, args });
}

function toolCall(
  payload: JsonObject,
): Result<{ readonly callId: string; readonly toolName: string; readonly args: JsonObject }, string> {
  const tool = toolOf(payload);
  if (!tool.ok) return tool;
  const callId = payload['tool_use_id'];
  if (typeof callId !== 'string' || callId === '') return fail('"tool_use_id" is missing');
  return ok({ callId, ...tool.value });
}

function toolBefore(base: Base, event: string, payload: JsonObject): Result<NativeEvent, string> {
  const call = toolCall(payload);
  if (!call.ok) return call;
  const inCoverage = event === 'PreToolUse' && payload['agent_type'] !== NOT_STREAMED;
  return ok({ ...base, kind: 'tool.before', ...call.value, inCoverage });
}

function toolAfter(base: Base, event: string, payload: JsonObject): Result<NativeEvent, string> {
  const call = toolCall(payload);
  if (!call.ok) return call;
  const worked = event === 'PostToolUse';
  const result = (worked ? payload['tool_response'] : payload['error']) ?? null;
  return ok({ ...base, kind: 'tool.after', ...call.value, ok: worked, result });
}

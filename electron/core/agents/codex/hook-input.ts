/**
 * Native hook payloads -> canonical events. Unknown fields are tolerated, unknown events shown;
 * a payload that lacks what a judgement needs is an error, which the gate turns into a denial.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../shared/json.js';
import { fail, ok, type Result } from '../../../../shared/result.js';
import type { NativeEvent } from '../contract.js';

/** Ids of calls out of a script (code mode): the rollout names such a call only once it was executed (measured on gpt-5.6-sol). */
const SCRIPT_CALL = 'exec-';

/** The native event as a canonical one; `event` is the name that the compiled hook was registered under. */
export function parseHookInput(event: string, payload: unknown): Result<NativeEvent, string> {
  if (!isJsonObject(payload)) return fail('the payload is not a JSON object');
  const named = payload['hook_event_name'];
  if (named !== event) return fail(`the payload says it is ${JSON.stringify(named ?? null)}, not "${event}"`);
  // `cwd` is the working folder of the call where it names one, else the session's (measured).
  const base = { event, sessionId: text(payload['session_id']), cwd: text(payload['cwd']) };
  switch (event) {
    case 'PreToolUse': {
      const call = callOf(payload);
      if (!call.ok) return call;
      const inCoverage = !call.value.callId.startsWith(SCRIPT_CALL);
      return ok({ ...base, kind: 'tool.before', ...call.value, inCoverage });
    }
    case 'PostToolUse': {
      const call = callOf(payload);
      if (!call.ok) return call;
      // The event says nothing of success: a shell call's response is its plain output, whatever its status (measured).
      return ok({ ...base, kind: 'tool.after', ...call.value, ok: true, result: payload['tool_response'] ?? null });
    }
    case 'PermissionRequest': {
      const tool = toolOf(payload);
      return tool.ok ? ok({ ...base, kind: 'permission', ...tool.value }) : tool;
    }
    case 'Stop': {
      const active = payload['stop_hook_active'];
      if (typeof active !== 'boolean') return fail('"stop_hook_active" is not true or false');
      return ok({
        ...base,
        kind: 'turn.stopping',
        lastMessage: text(payload['last_assistant_message']),
        alreadyDenied: active,
      });
    }
    case 'SessionStart':
      return ok({ ...base, kind: 'session.start', source: text(payload['source']), model: text(payload['model']) });
    case 'SessionEnd':
      return ok({ ...base, kind: 'session.end', reason: text(payload['reason']) });
    default:
      return ok({ ...base, kind: 'unknown' });
  }
}

interface Tool {
  readonly toolName: string;
  readonly args: JsonObject;
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function toolOf(payload: JsonObject): Result<Tool, string> {
  const toolName = payload['tool_name'];
  const args = payload['tool_input'];
  if (typeof toolName !== 'string' || toolName === '') return fail('"tool_name" is missing');
  if (!isJsonObject(args)) return fail('"tool_input" is not a JSON object');
  return ok({ toolName, args });
}

function callOf(payload: JsonObject): Result<Tool & { readonly callId: string }, string> {
  const tool = toolOf(payload);
  if (!tool.ok) return tool;
  const callId = payload['tool_use_id'];
  if (typeof callId !== 'string' || callId === '') return fail('"tool_use_id" is missing');
  return ok({ callId, ...tool.value });
}

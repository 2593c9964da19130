/**
 * The rollout, the agent's own record of a session: which calls the model made and what became of them. It is what
 * the gate's dispatches are compared with, by call id. Pure: says which files and reads single lines.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../../shared/json.js';
import type { PreflightReader, StreamEvent, TranscriptSession } from '../contract.js';

/**
 * Answers that the agent gives when a call never reached a tool: unknown names and arguments that it cannot read meet no hook
 * (measured). Anything else counts as executed.
 */
const NEVER_RAN = [
  /^unsupported call: /,
  /^failed to parse function arguments: /,
  /^Command blocked by PreToolUse hook: /,
  /^aborted$/,
];

/** Most of a session file's beginning that is read to learn whose it is; its first line was 22 kB long (measured). Characters. */
const HEAD = 262_144;

const DAY_SECONDS = 86_400;

/** The session's rollout and those of its sub-agents, which name the session in their first line (measured). */
export function rolloutFiles(reader: PreflightReader, session: TranscriptSession): readonly string[] {
  const folders = dayFolders(session).map((day) => `${reader.configDir}/sessions/${day}`);
  return folders.flatMap((folder) =>
    reader
      .list(folder)
      .filter((name) => name.startsWith('rollout-') && name.endsWith('.jsonl'))
      .map((name) => `${folder}/${name}`)
      .filter((path) => path.endsWith(`${session.sessionId}.jsonl`) || sessionOf(reader, path) === session.sessionId),
  );
}

/** Folders are named by local days; which zone the agent thinks it is in is not known here, so a day more on either side. */
function dayFolders({ from, to }: TranscriptSession): readonly string[] {
  const days = new Set<string>();
  for (let at = from - DAY_SECONDS; at < to + 2 * DAY_SECONDS; at += DAY_SECONDS) {
    days.add(new Date(Math.min(at, to + DAY_SECONDS) * 1_000).toISOString().slice(0, 10).replaceAll('-', '/'));
  }
  return [...days];
}

function sessionOf(reader: PreflightReader, path: string): string | null {
  const [first = ''] = (reader.readHead(path, HEAD) ?? '').split('\n');
  const record = recordOf(first);
  const payload = record === null ? null : payloadOf(record);
  return payload === null ? null : text(payload['session_id']);
}

/**
 * A reader of one rollout: one line in, canonical events out; null for a line that is no record or before which one is missing
 * (they are numbered from 0 without a gap: measured). It remembers which calls ran.
 */
export function newRolloutReader(): (line: string) => readonly StreamEvent[] | null {
  const ran = new Set<string>();
  const asked = new Set<string>();
  let next = 0;
  const note = (call: Call): readonly StreamEvent[] => {
    asked.add(call.callId);
    return [call];
  };
  return (line) => {
    const record = recordOf(line);
    const payload = record === null ? null : payloadOf(record);
    if (record === null || payload === null) return null;
    const { ordinal } = record;
    const missing = typeof ordinal === 'number' && ordinal !== next;
    next = (typeof ordinal === 'number' ? ordinal : next) + 1;
    if (missing) return null;
    const callId = text(payload['call_id']);
    switch (payload['type']) {
      case 'function_call':
        return callId === null ? null : note(functionCall(callId, payload));
      case 'custom_tool_call':
        return callId === null ? null : note(customCall(callId, payload));
      case 'web_search_call':
        return hostedSearch(payload);
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (callId === null) return null;
        return ran.has(callId) ? [] : [output(callId, payload['output'])];
      case 'item_completed': {
        const done = itemOf(payload['item']);
        if (done === null) return [];
        ran.add(done.result.callId);
        // A call out of a script (code mode) has no line of its own, only this one (measured).
        return asked.has(done.result.callId) ? [done.result] : [...note(done.call), done.result];
      }
      default:
        return [];
    }
  };
}

type Call = Extract<StreamEvent, { kind: 'tool.call' }>;
type Result = Extract<StreamEvent, { kind: 'tool.result' }>;

function recordOf(line: string): JsonObject | null {
  try {
    const record: unknown = JSON.parse(line);
    return isJsonObject(record) ? record : null;
  } catch {
    return null;
  }
}

function payloadOf({ payload }: JsonObject): JsonObject | null {
  return isJsonObject(payload) ? payload : null;
}

function functionCall(callId: string, payload: JsonObject): Call {
  const name = text(payload['name']) ?? 'unknown';
  const space = text(payload['namespace']);
  const args = parsed(text(payload['arguments']) ?? '');
  const call = { kind: 'tool.call', callId, toolName: space === null ? name : `${space}__${name}`, args } as const;
  // A poll of a shell that still runs types nothing into it; text does, and no hook is shown it (measured).
  const polls = name === 'write_stdin' && space === null && (args['chars'] ?? '') === '';
  return polls ? { ...call, gap: 'write-stdin' } : call;
}

function customCall(callId: string, payload: JsonObject): Call {
  const toolName = text(payload['name']) ?? 'unknown';
  const call = { kind: 'tool.call', callId, toolName, args: { input: text(payload['input']) ?? '' } } as const;
  // In code mode the script itself meets no hook, each tool that it calls does (measured on gpt-5.6-sol).
  return toolName === 'exec' ? { ...call, gap: 'code-mode' } : call;
}

/** It ran on the model's side; there is nothing between the call and its result. */
function hostedSearch(payload: JsonObject): readonly StreamEvent[] {
  const action = payload['action'];
  const callId = text(payload['id']) ?? 'web_search';
  const args = isJsonObject(action) ? action : {};
  return [
    { kind: 'tool.call', callId, toolName: 'web_search', args, gap: 'web-search' },
    { kind: 'tool.result', callId, ok: true, executed: true, text: '' },
  ];
}

/** What the model is told of a call for which the agent names nothing done. */
function output(callId: string, value: Json | undefined): Result {
  const said = outputText(value);
  const executed = !NEVER_RAN.some((pattern) => pattern.test(said));
  return { kind: 'tool.result', callId, ok: executed, executed, text: said };
}

/** The hooks' names of what the agent says it did. */
const ITEM_TOOLS: Readonly<Record<string, string>> = {
  CommandExecution: 'Bash',
  FileChange: 'apply_patch',
  McpToolCall: 'mcp',
  ImageView: 'view_image',
};

/** What the agent says it did, under the id of the call: proof of execution, whatever the output says. */
function itemOf(item: Json | undefined): { readonly call: Call; readonly result: Result } | null {
  if (!isJsonObject(item)) return null;
  const callId = text(item['id']);
  const type = text(item['type']) ?? '';
  const toolName = Object.hasOwn(ITEM_TOOLS, type) ? ITEM_TOOLS[type] : undefined;
  const status = text(item['status']);
  if (toolName === undefined || callId === null || status === 'declined' || status === 'in_progress') return null;
  const said = text(item['aggregated_output']) ?? text(item['stdout']) ?? '';
  return {
    call: { kind: 'tool.call', callId, toolName, args: {} },
    result: { kind: 'tool.result', callId, ok: status !== 'failed', executed: true, text: said },
  };
}

function outputText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return (value as readonly Json[])
    .map((part) => (isJsonObject(part) ? (text(part['text']) ?? `[${text(part['type']) ?? 'data'}]`) : ''))
    .join('\n');
}

function parsed(args: string): JsonObject {
  try {
    const value: unknown = JSON.parse(args);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

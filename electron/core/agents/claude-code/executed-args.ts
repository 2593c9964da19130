/**
 * Whether the arguments that the agent reports after a call are those that were judged.
 * Measured on both versions with every tool that can be scripted: PreToolUse and PostToolUse show
 * the same input, since the agent fills in defaults, makes paths absolute and trims before the first of
 * them, with one exception (SendMessage). After a rewrite of ours 2.1.332 does this filling-in later.
 */
import { sameJson } from '../../../../shared/canonical-json.js';
import type { Json, JsonObject } from '../../../../shared/json.js';

/** Arguments that the agent derives for the hook and leaves out of the report (measured on 2.1.332). */
const DERIVED: Readonly<Record<string, readonly string[]>> = {
  SendMessage: ['type', 'recipient', 'recipient_kind', 'content'],
};

/** Defaults that the agent adds to arguments that a hook has rewritten (measured). */
const DEFAULTS: Readonly<Record<string, JsonObject>> = {
  Edit: { replace_all: false },
  Monitor: { timeout_ms: 300_000 },
  ToolSearch: { max_results: 5 },
};

const PATH_ARGS = ['file_path', 'notebook_path'];

export function executedArgsMatch(toolName: string, judged: JsonObject, executed: JsonObject): boolean {
  if (sameJson(judged, executed)) return true;
  const derived = Object.hasOwn(DERIVED, toolName) ? (DERIVED[toolName] ?? []) : [];
  const defaults = Object.hasOwn(DEFAULTS, toolName) ? (DEFAULTS[toolName] ?? {}) : {};
  const names = new Set([...Object.keys(judged), ...Object.keys(executed)]);
  return [...names].every((name) => {
    const before = judged[name];
    const after = executed[name];
    if (after === undefined) return derived.includes(name);
    if (before === undefined) return sameJson(defaults[name], after);
    return (
      sameJson(before, after) || sameScalar(before, after) || (PATH_ARGS.includes(name) && madeAbsolute(before, after))
    );
  });
}

/** `"1000"` in a rewrite is run as `1000`. */
function sameScalar(before: Json, after: Json): boolean {
  return (
    typeof before === 'string' && (typeof after === 'number' || typeof after === 'boolean') && before === String(after)
  );
}

/** A relative path in a rewrite is run from the session's folder; which folder that is, is not known here. */
function madeAbsolute(before: Json, after: Json): boolean {
  if (typeof before !== 'string' || typeof after !== 'string' || before.startsWith('/')) return false;
  const tail = before.replace(/^(\.{1,2}\/|~\/)+/, '');
  return tail !== '' && !tail.split('/').includes('..') && after.startsWith('/') && after.endsWith(`/${tail}`);
}

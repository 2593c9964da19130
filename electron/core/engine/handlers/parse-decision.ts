/**
 * Reads what a handler wrote: exactly one decision and nothing around it. Its texts never repeat what
 * the handler wrote, because that may be the event, and the event may hold secrets. Pure.
 */
import { decisionSchema, type Decision } from '../../../../shared/contracts/decision.js';
import { DOCUMENT_LIMITS } from '../../../../shared/contracts/hook.js';
import { pointRow } from '../../../../shared/contracts/points.js';
import { ACTIONS } from '../../../../shared/contracts/vocabulary.js';
import { isJsonObject } from '../../../../shared/json.js';
import type { ResolvedHook } from '../../../../shared/policy/resolve-hook.js';
import { fail, ok, type Result } from '../../../../shared/result.js';
import { parseStrictJson } from '../../../../shared/strict-json.js';
import { decodeUtf8 } from '../../../../shared/utf8.js';

const FORM = 'write exactly one JSON object such as {"schema_version":1,"action":"allow"} and nothing else';

/** The decision in the bytes; null when there is none at all. The error says what is wrong, without quoting. */
export function parseDecision(bytes: Uint8Array): Result<Decision | null, string> {
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) return fail(`its output ${decoded.error}`);
  const text = decoded.value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  if (text === '') return ok(null);
  if (!text.startsWith('{')) return fail(`its output begins with something other than the decision; ${FORM}`);
  const parsed = parseStrictJson(text, { depth: DOCUMENT_LIMITS.depth });
  if (!parsed.ok) return fail(syntaxFault(text, parsed.error[0]));
  const decision = decisionSchema.safeParse(parsed.value);
  return decision.success ? ok(decision.data) : fail(schemaFault(parsed.value));
}

function syntaxFault(text: string, fault: { readonly line: number; readonly column: number } | undefined): string {
  const where = fault === undefined ? '' : ` (line ${fault.line}, column ${fault.column})`;
  if (isJson(text)) {
    return `its output has a key twice, or a key, number or text that is refused, or is nested too deep${where}`;
  }
  if (firstObjectEnds(text)) return `its output has more after the decision${where}; ${FORM}`;
  return `its output is no JSON${where}; ${FORM}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether some closing brace before the end completes an object: then something follows it. */
function firstObjectEnds(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === '{') depth += 1;
    else if (!quoted && character === '}' && (depth -= 1) === 0) return at < text.length - 1;
  }
  return false;
}

const FIELDS = ['schema_version', 'action', 'reason', 'mutations', 'output'];

/** Names the first fault in words of ours; only field names of the schema are repeated. */
function schemaFault(value: unknown): string {
  if (!isJsonObject(value)) return `its output is no object; ${FORM}`;
  if (value['schema_version'] !== 1) return 'its decision needs "schema_version": 1';
  if (!ACTIONS.some((action) => action === value['action'])) {
    return `its decision has an unknown action; allowed: ${ACTIONS.join(', ')}`;
  }
  if (Object.keys(value).some((name) => !FIELDS.includes(name))) {
    return `its decision has an unknown field; allowed: ${FIELDS.join(', ')}`;
  }
  const issue = decisionSchema.safeParse(value).error?.issues[0];
  const field = String(issue?.path[0] ?? 'form');
  if (field === 'mutations' && (value['action'] === 'modify') !== (value['mutations'] !== undefined)) {
    return 'its decision must have "mutations" with action "modify", and only then';
  }
  return `its decision has a wrong "${FIELDS.includes(field) ? field : 'form'}" (wrong type or too long)`;
}

/** Why this hook may not give this decision at its point, or null when it may. */
export function refuseDecision(
  hook: Pick<ResolvedHook, 'mode' | 'point' | 'needs'>,
  { action }: Decision,
): string | null {
  if (hook.mode === 'observational') {
    return action === 'allow' ? null : `an observational hook may not answer "${action}"`;
  }
  const legal = pointRow(hook.point).blocking;
  if (!legal.includes(action)) return `"${action}" is no answer at ${hook.point}; allowed: ${legal.join(', ')}`;
  if (!hook.needs.decisions.includes(action)) {
    return `it answered "${action}", which its needs.decisions do not declare (${hook.needs.decisions.join(', ')})`;
  }
  return null;
}

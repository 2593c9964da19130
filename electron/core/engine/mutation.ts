import type { Decision } from '../../../shared/contracts/decision.js';
import type { Point } from '../../../shared/contracts/points.js';
import { pointRow } from '../../../shared/contracts/points.js';
import { canonicalJson, sameJson } from '../../../shared/canonical-json.js';
import { isJsonObject, type JsonObject } from '../../../shared/json.js';
import { fail, ok, type Result } from '../../../shared/result.js';

/** Size over which changed arguments are refused, in bytes of JSON text. */
export const MAX_MUTATION_BYTES = 1_048_576;

/**
 * The changed arguments of a `modify`, or why they are refused: only the field that the point
 * names, types as they were, at most 1 MiB, and none of the protected arguments touched.
 */
export function mutatedArgs(
  decision: Decision,
  point: Point,
  before: JsonObject,
  protectedArgs: readonly string[],
): Result<JsonObject, string> {
  const field = pointRow(point).modifies;
  const mutations = decision.mutations ?? {};
  const names = Object.keys(mutations);
  if (field === null) return fail(`nothing may be modified at ${point}`);
  if (names.length !== 1 || names[0] !== field) {
    return fail(
      `only "${field}" may be modified at ${point}; the answer changes ${names.map((n) => `"${n}"`).join(', ') || 'nothing'}`,
    );
  }
  const after = mutations[field];
  if (!isJsonObject(after)) return fail(`mutations.${field} must be an object with the whole new arguments`);
  const text = canonicalJson(after);
  if (!text.ok) return fail(`mutations.${field} is not plain JSON: ${text.error}`);
  if (new TextEncoder().encode(text.value).length > MAX_MUTATION_BYTES) return fail(`mutations.${field} is over 1 MiB`);
  const fault = changedProtected(before, after, protectedArgs) ?? changedType(before, after);
  return fault === null ? ok(after) : fail(fault);
}

function changedProtected(before: JsonObject, after: JsonObject, protectedArgs: readonly string[]): string | null {
  for (const name of protectedArgs) {
    if (!sameJson(before[name], after[name]))
      return `the argument "${name}" chooses what the call may do and cannot be changed by a hook`;
  }
  return null;
}

/** The adapter's tool schemas are not known to us in full, so an argument keeps the kind of value that it had. */
function changedType(before: JsonObject, after: JsonObject): string | null {
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (old !== undefined && kindOf(old) !== kindOf(value)) {
      return `the argument "${name}" was ${kindOf(old)} and may not become ${kindOf(value)}`;
    }
  }
  return null;
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

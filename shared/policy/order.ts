/**
 * Which hooks are in force and in which order they run: pure, so that dispatch, dry run and the
 * editor can only agree. It knows nothing of filters, approvals or circuits.
 */
import { SCOPES, type Scope } from '../contracts/vocabulary.js';
import type { Point } from '../contracts/points.js';
import type { ResolvedHook } from './resolve-hook.js';

/** Place of each scope from least to most specific. */
const PRECEDENCE: Readonly<Record<Scope, number>> = Object.fromEntries(
  SCOPES.map((scope, place) => [scope, place]),
) as Record<Scope, number>;

/** What becomes of a hook in the merge; `off` is a winner that is not enabled. */
export type MergeState =
  { readonly state: 'active' } | { readonly state: 'off' } | { readonly state: 'shadowed'; readonly by: ResolvedHook };

/** The same id in a more specific scope replaces the less specific one whole, also when it is disabled. */
export function mergeScopes(hooks: readonly ResolvedHook[]): ReadonlyMap<ResolvedHook, MergeState> {
  const winners = new Map<string, ResolvedHook>();
  for (const hook of hooks) {
    const winner = winners.get(hook.id);
    if (winner === undefined || PRECEDENCE[hook.scope] > PRECEDENCE[winner.scope]) winners.set(hook.id, hook);
  }
  const states = new Map<ResolvedHook, MergeState>();
  for (const hook of hooks) {
    const winner = winners.get(hook.id);
    // Two of one scope (they can only differ in their scope key) do not replace one another.
    const beaten = winner !== undefined && PRECEDENCE[winner.scope] > PRECEDENCE[hook.scope];
    states.set(hook, beaten ? { state: 'shadowed', by: winner } : { state: hook.enabled ? 'active' : 'off' });
  }
  return states;
}

/** By `order`, then scope precedence, then id, then scope key; text compares by code unit. */
export function compareHooks(a: ResolvedHook, b: ResolvedHook): number {
  return (
    a.order - b.order ||
    PRECEDENCE[a.scope] - PRECEDENCE[b.scope] ||
    compareCodeUnits(a.id, b.id) ||
    compareCodeUnits(a.scopeKey ?? '', b.scopeKey ?? '')
  );
}

function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The hooks that are in force at a point, in the order in which they run. */
export function effectiveOrder(hooks: readonly ResolvedHook[], point: Point): readonly ResolvedHook[] {
  const states = mergeScopes(hooks);
  return hooks.filter((hook) => hook.point === point && states.get(hook)?.state === 'active').sort(compareHooks);
}

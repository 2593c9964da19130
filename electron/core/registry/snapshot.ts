/**
 * The registry at one moment: every hook with its state, a content-addressed version, and the hooks
 * in force at each point with compiled filters, prepared so that an event only looks them up.
 * It reads no file and never changes once it is made.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../shared/canonical-json.js';
import { POINT_NAMES, type Point } from '../../../shared/contracts/points.js';
import { compileFilters, type FilterMatcher } from '../../../shared/policy/filters.js';
import { compareHooks, mergeScopes } from '../../../shared/policy/order.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import type { DocumentFault } from './document.js';

/** A hook in force at its point. */
export interface PreparedHook {
  readonly hook: ResolvedHook;
  readonly matches: FilterMatcher;
}

/** A hook and what became of it in the merge; the reason is for a person. */
export interface ListedHook {
  readonly hook: ResolvedHook;
  readonly state: 'active' | 'shadowed' | 'off';
  readonly reason: string;
}

export interface Snapshot {
  /** `reg-` and the first 16 hex digits of the SHA-256 of the canonical form of all hooks. */
  readonly version: string;
  /** Every hook, sorted by key. */
  readonly hooks: readonly ResolvedHook[];
  /** The hooks in force at a point, in the order in which they run. */
  readonly atPoint: (point: Point) => readonly PreparedHook[];
  /** Every hook with its state, in the order of the points and then of execution. */
  readonly listing: readonly ListedHook[];
  /** All that is wrong with the files as they are now. */
  readonly faults: readonly DocumentFault[];
  /** Files that are broken and were never whole, so that nothing of them is in force: a launch refuses. */
  readonly broken: readonly string[];
}

export interface SnapshotParts {
  readonly hooks: readonly ResolvedHook[];
  readonly faults: readonly DocumentFault[];
  readonly broken: readonly string[];
  /** True on Windows and macOS. */
  readonly ignoreCase: boolean;
}

export function createSnapshot(parts: SnapshotParts): Snapshot {
  const hooks = parts.hooks.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const listing = listHooks(hooks);
  const points = new Map<Point, readonly PreparedHook[]>();
  for (const point of POINT_NAMES) {
    const active = listing.filter((row) => row.state === 'active' && row.hook.point === point);
    points.set(
      point,
      active.map((row) => prepare(row.hook, parts.ignoreCase)),
    );
  }
  return {
    version: versionOf(hooks),
    hooks,
    atPoint: (point) => points.get(point) ?? [],
    listing,
    faults: parts.faults,
    broken: parts.broken,
  };
}

function prepare(hook: ResolvedHook, ignoreCase: boolean): PreparedHook {
  const compiled = compileFilters(hook.filters, { ignoreCase });
  if (!compiled.ok) throw new Error(`hook ${hook.key} was loaded with filters that cannot be compiled`);
  return { hook, matches: compiled.value };
}

function listHooks(hooks: readonly ResolvedHook[]): readonly ListedHook[] {
  const states = mergeScopes(hooks);
  const place = new Map(POINT_NAMES.map((point, index) => [point, index]));
  return hooks
    .toSorted((a, b) => (place.get(a.point) ?? 0) - (place.get(b.point) ?? 0) || compareHooks(a, b))
    .map((hook) => {
      const state = states.get(hook);
      if (state?.state === 'shadowed') {
        const off = state.by.enabled ? '' : ', which is switched off';
        return { hook, state: 'shadowed', reason: `replaced by the ${state.by.scope} hook of the same id${off}` };
      }
      return hook.enabled
        ? { hook, state: 'active', reason: '' }
        : { hook, state: 'off', reason: 'its document says "enabled": false' };
    });
}

function versionOf(hooks: readonly ResolvedHook[]): string {
  const canonical = canonicalJson(hooks.map((hook) => [hook.key, hook.document]));
  if (!canonical.ok) throw new Error(`the registry has no canonical form: ${canonical.error}`);
  return `reg-${createHash('sha256').update(canonical.value).digest('hex').slice(0, 16)}`;
}

import { sameJson } from '../../../shared/canonical-json.js';
import { POINT_NAMES, type Point } from '../../../shared/contracts/points.js';
import type { EngineSnapshot, PreparedHook } from '../engine/ports.js';

/** The registry in force during a run, and what was held back. */
export interface HeldSnapshot extends EngineSnapshot {
  /** Hooks of the launch that the registry no longer has in this form, and that stay in force. */
  readonly heldBack: readonly string[];
}

/**
 * While a run lives nothing may weaken its gate from outside: a blocking hook of the launch that was
 * removed, disabled or changed stays in force beside what is there now. Additions take
 * effect at the next boundary. (Who changed the file cannot be known: an agent has a shell.)
 */
export function holdSnapshot(launch: EngineSnapshot, now: EngineSnapshot): HeldSnapshot {
  if (launch.version === now.version) return { ...now, heldBack: [] };
  const held = new Map<Point, readonly PreparedHook[]>();
  const heldBack: string[] = [];
  for (const point of POINT_NAMES) {
    const present = now.atPoint(point);
    const missing = launch
      .atPoint(point)
      .filter((old) => old.hook.mode === 'blocking' && !present.some((one) => same(one, old)));
    held.set(point, [...missing, ...present]);
    heldBack.push(...missing.map((one) => `${one.hook.scope}:${one.hook.id}`));
  }
  return { version: now.version, atPoint: (point) => held.get(point) ?? [], heldBack };
}

function same(a: PreparedHook, b: PreparedHook): boolean {
  return a.hook.key === b.hook.key && sameJson(a.hook.document, b.hook.document);
}

/** The same registry without hooks that this agent cannot serve; they were named before the launch. */
export function leaveOut(snapshot: EngineSnapshot, keys: ReadonlySet<string | null>): EngineSnapshot {
  if (keys.size === 0) return snapshot;
  return {
    version: snapshot.version,
    atPoint: (point) => snapshot.atPoint(point).filter((one) => !keys.has(one.hook.key)),
  };
}

import type { Classification } from '../../../shared/contracts/event.js';
import type { Point } from '../../../shared/contracts/points.js';
import type { JsonObject } from '../../../shared/json.js';
import { attemptHook } from './attempt.js';
import { pointEvent, pointFacts } from './point.js';
import type { EngineInput, PreparedHook } from './ports.js';
import { matchesWithPaths, toolFacts } from './tool-call.js';

/** Time that outstanding observers get at the end of a session, in milliseconds. */
export const DRAIN_MS = 5_000;

/** Runs observational hooks off the answer's path, and waits for them, bounded, at the end. */
export interface Observers {
  /** Schedules the observational hooks of a point; returns at once. Call it after the answer was sent. */
  readonly observe: (input: EngineInput, seen: Observation) => void;
  /** Waits for what is outstanding, at most `DRAIN_MS`; returns how many had not ended. */
  readonly drain: () => Promise<number>;
}

/** One event as it finally was. */
export interface Observation {
  readonly point: Point;
  readonly data: JsonObject;
  /** The tool call that the event belongs to, if any. */
  readonly call: { readonly callId: string; readonly toolName: string; readonly classification: Classification } | null;
}

/** Observers of one session. */
export function createObservers(): Observers {
  const outstanding = new Set<Promise<void>>();
  return {
    observe: (input, seen) => {
      for (const prepared of input.snapshot.atPoint(seen.point)) {
        if (prepared.hook.mode !== 'observational') continue;
        const work: Promise<void> = observeOne(input, prepared, seen)
          .catch((error: unknown) => {
            input.services.warn(`observer ${prepared.hook.scope}:${prepared.hook.id} broke: ${String(error)}`);
          })
          .finally(() => outstanding.delete(work));
        outstanding.add(work);
      }
    },
    drain: async () => {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, DRAIN_MS);
      });
      await Promise.race([Promise.allSettled(outstanding), limit]);
      clearTimeout(timer);
      return outstanding.size;
    },
  };
}

async function observeOne(
  input: EngineInput,
  prepared: PreparedHook,
  { point, data, call }: Observation,
): Promise<void> {
  const { envelope, services } = input;
  const facts =
    call === null ? pointFacts(input, data) : toolFacts(call.toolName, call.classification, envelope.sessionId, data);
  const paths = call?.classification.paths ?? [];
  if (!(await matchesWithPaths(prepared, facts, services, paths, envelope.workspace))) return;
  await attemptHook({
    ...input,
    hook: prepared.hook,
    event: pointEvent(input, point, data),
    classification: call?.classification ?? null,
    callId: call?.callId ?? null,
    refuse: () => null,
  });
}

/**
 * At most so many executions of one hook in one session at a time; the others wait in order.
 * Sessions never wait for one another, because each has lanes of its own.
 */

export interface Concurrency {
  /**
   * Waits for a place in a lane, first come first served. Null when none was free within `waitMs`
   * milliseconds; else the function that gives the place back (calling it twice does nothing more).
   */
  readonly enter: (lane: string, places: number, waitMs: number) => Promise<(() => void) | null>;
}

interface Lane {
  taken: number;
  readonly waiting: Set<() => void>;
}

/** Names the lane of a hook in a session. */
export function laneOf(sessionId: string, hookKey: string): string {
  return `${sessionId}\0${hookKey}`;
}

export function createConcurrency(): Concurrency {
  const lanes = new Map<string, Lane>();

  const leave = (name: string, lane: Lane) => {
    const [next] = lane.waiting;
    if (next !== undefined) {
      // The place passes on; nobody who comes later can take it in between.
      lane.waiting.delete(next);
      next();
      return;
    }
    lane.taken -= 1;
    if (lane.taken === 0) lanes.delete(name);
  };
  const place = (name: string, lane: Lane) => {
    let held = true;
    return () => {
      if (held) leave(name, lane);
      held = false;
    };
  };

  return {
    enter: (name, places, waitMs) => {
      const lane = lanes.get(name) ?? { taken: 0, waiting: new Set() };
      lanes.set(name, lane);
      if (lane.taken < places) {
        lane.taken += 1;
        return Promise.resolve(place(name, lane));
      }
      return new Promise((resolve) => {
        const go = () => {
          clearTimeout(timer);
          resolve(place(name, lane));
        };
        const timer = setTimeout(
          () => {
            lane.waiting.delete(go);
            resolve(null);
          },
          Math.max(0, waitMs),
        );
        lane.waiting.add(go);
      });
    },
  };
}

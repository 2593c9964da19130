import { describe, expect, it } from 'vitest';
import { createConcurrency, laneOf } from '../../../../electron/core/engine/handlers/concurrency.js';

/** Long enough that it never passes in a test. */
const LONG = 600_000;

describe('places of a lane', () => {
  it('are given in order, and never more than there are', async () => {
    const { enter } = createConcurrency();
    const order: number[] = [];
    let inside = 0;
    let most = 0;
    const visit = async (n: number) => {
      const leave = await enter('a', 2, LONG);
      order.push(n);
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      leave?.();
    };
    await Promise.all(Array.from({ length: 9 }, (_, n) => visit(n)));
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('do not queue one lane behind another', async () => {
    const { enter } = createConcurrency();
    expect(laneOf('s1', 'h')).not.toBe(laneOf('s2', 'h'));
    await enter(laneOf('s1', 'h'), 1, LONG);
    expect(await enter(laneOf('s2', 'h'), 1, 0)).not.toBeNull();
    expect(await enter(laneOf('s1', 'other'), 1, 0)).not.toBeNull();
  });

  it('are given up after the wait, without losing the place for those behind', async () => {
    const { enter } = createConcurrency();
    const leave = await enter('a', 1, LONG);
    const impatient = enter('a', 1, 1);
    const patient = enter('a', 1, LONG);
    expect(await impatient).toBeNull();
    leave?.();
    expect(await patient).not.toBeNull();
  });

  it('come back once, however often they are given back', async () => {
    const { enter } = createConcurrency();
    const leave = await enter('a', 1, LONG);
    leave?.();
    leave?.();
    expect(await enter('a', 1, 0)).not.toBeNull();
    expect(await enter('a', 1, 0)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { holdSnapshot, leaveOut } from '../../../electron/core/runs/held-snapshot.js';
import { bench, decides } from '../engine/bench.js';

function registry(version: string, ...hooks: [string, object?][]) {
  const { input, add } = bench();
  for (const [id, more] of hooks) add(id, 'tool.before', decides('allow'), { ...more });
  return { version, atPoint: input.snapshot.atPoint };
}
const ids = (snapshot: ReturnType<typeof registry>) => snapshot.atPoint('tool.before').map((one) => one.hook.id);

describe('the registry of a live run', () => {
  const launch = registry('reg-1', ['a'], ['b'], ['o', { mode: 'observational', needs: { decisions: ['allow'] } }]);

  it('an addition takes effect', () => {
    const now = holdSnapshot(launch, registry('reg-2', ['a'], ['b'], ['c']));
    expect(ids(now)).toEqual(['a', 'b', 'c']);
    expect(now.heldBack).toEqual([]);
  });

  it('a guard that was removed stays in force and is named; an observer may go', () => {
    const now = holdSnapshot(launch, registry('reg-2', ['a']));
    expect(ids(now)).toEqual(['b', 'a']);
    expect(now.heldBack).toEqual(['global:b']);
  });

  it.each([
    { filters: { tools: ['Nothing'] } },
    { order: 900 },
    { failure_policy: 'continue' },
    { timeout_seconds: 0.1 },
  ])('a guard that was changed (%o) is in force in both forms', (change) => {
    const now = holdSnapshot(launch, registry('reg-2', ['a', change], ['b']));
    expect(ids(now)).toEqual(['a', 'a', 'b']);
    expect(now.heldBack).toEqual(['global:a']);
  });

  it('hooks that the agent cannot serve are left out', () => {
    expect(ids({ ...leaveOut(launch, new Set(['global::a'])) })).toEqual(['b', 'o']);
  });
});

import { describe, expect, it } from 'vitest';
import { KNOWN_AGENTS } from '../../../electron/core/agents/known-agents.js';
import { practice } from '../../../electron/core/agents/practice.js';
import { findGaps, findRouteGaps } from '../../../electron/core/compiler/gaps.js';
import { timeoutsFor } from '../../../electron/core/compiler/timeouts.js';
import { POINT_NAMES, pointRow } from '../../../shared/contracts/points.js';
import { bench, decides } from '../engine/bench.js';

function hooks(...all: [string, Parameters<ReturnType<typeof bench>['add']>[1], object][]) {
  const { input, add } = bench();
  for (const [id, point, more] of all) add(id, point, decides('allow'), { ...more });
  return POINT_NAMES.flatMap((point) => input.snapshot.atPoint(point).map((one) => one.hook));
}
const observing = { mode: 'observational', needs: { decisions: ['allow'] } };

describe('gaps', () => {
  it('nothing asked, nothing missing', () => {
    expect(findGaps(hooks(['g', 'tool.before', {}]), practice)).toEqual([]);
  });

  it('a blocking hook at a point without an event needs an explicit yes; an observer is left out', () => {
    const gaps = findGaps(
      hooks(['b', 'prompt.before', { needs: { decisions: ['deny'] } }], ['o', 'notification', observing]),
      practice,
    );
    expect(gaps.map((gap) => [gap.kind, gap.effect])).toEqual([
      ['point', 'accept'],
      ['point', 'left_out'],
    ]);
  });

  it('points that nothing raises yet are gaps on every agent', () => {
    for (const adapter of KNOWN_AGENTS) {
      const gaps = findGaps(hooks(['i', 'integration.before', { needs: { decisions: ['deny'] } }]), adapter);
      expect(gaps.map((gap) => gap.effect)).toEqual(['accept']);
    }
  });

  it('a missing signal leaves the hook out: left in, it could never fail', () => {
    const gaps = findGaps(
      hooks(['s', 'turn.stopping', { needs: { decisions: ['deny'], signals: ['goal_status'] } }]),
      practice,
    );
    expect(gaps[0]).toMatchObject({ kind: 'signal', effect: 'left_out', hookKey: 'global::s' });
  });

  it('operations that the agent has no tool for make a hook partly or wholly blind', () => {
    const need = (operations: string[]) => ({ needs: { decisions: ['deny'], operations } });
    const gaps = findGaps(
      hooks(['p', 'tool.before', need(['search_code', 'read_file'])], ['w', 'tool.before', need(['search_code'])]),
      practice,
    );
    expect(gaps.map((gap) => gap.what)).toEqual(['hook global:p is partly blind', 'hook global:w is wholly blind']);
  });

  it('an answer that the agent does not honour is refused', () => {
    const deaf = {
      ...practice,
      points: { ...practice.points, 'tool.before': { events: ['call.asked'], verdicts: ['deny'] as const } },
    };
    expect(findGaps(hooks(['m', 'tool.before', {}]), deaf)[0]).toMatchObject({ kind: 'verdict', effect: 'refused' });
  });
});

describe('route gaps', () => {
  const leaky = {
    ...practice,
    routeGaps: () => [
      { id: 'search', what: 's', measured: 'm', closable: true as const },
      { id: 'stdin', what: 'i', measured: 'm' },
    ],
  };

  it('are named, without those that the compiled form closes for this run', () => {
    expect(findRouteGaps(leaky, null, false).map((gap) => gap.what)).toEqual(['s', 'i']);
    expect(findRouteGaps(leaky, null, true).map((gap) => gap.what)).toEqual(['i']);
  });
});

describe('every adapter', () => {
  it.each(KNOWN_AGENTS.map((adapter) => [adapter.name, adapter] as const))(
    '%s serves or names a gap for each row of the points table',
    (_name, adapter) => {
      for (const point of POINT_NAMES) {
        if (pointRow(point).raisedBy === 'app') continue;
        const support = adapter.points[point as keyof typeof adapter.points];
        expect('gap' in support ? support.gap !== '' : support.events.length > 0).toBe(true);
      }
    },
  );
});

describe('the clocks', () => {
  it('person < gate < launcher < agent, with the slowest boundary twice in between', () => {
    const slow = hooks(
      ['a', 'tool.before', { timeout_seconds: 20 }],
      ['b', 'command.before', { timeout_seconds: 7.5 }],
    );
    const clocks = timeoutsFor(slow, 600);
    expect(clocks).toEqual({ approval: 600, native: 671, launcher: 666, gate: 661 });
  });

  it('holds without any hook', () => {
    const clocks = timeoutsFor([], 1);
    expect(clocks.approval < clocks.gate && clocks.gate < clocks.launcher && clocks.launcher < clocks.native).toBe(
      true,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { compareCoverage } from '../../../electron/core/runs/coverage.js';
import { judgeEnd, judgeTurn } from '../../../electron/core/runs/outcome.js';
import type { JudgedCall } from '../../../electron/core/gate/session.js';

const result = (ok: boolean) => ({ kind: 'result', ok, reason: ok ? 'finished' : 'api_error', text: '' }) as const;

describe('what a run came to', () => {
  it.each([
    ['success needs a result and status 0', result(true), 0, null, 'succeeded'],
    ['a result that is no success', result(false), 0, null, 'failed'],
    ['status 0 without a result', null, 0, null, 'failed'],
    ['success with another status', result(true), 1, null, 'failed'],
    ['a signal', null, null, 'SIGKILL', 'failed'],
    ['a signal after a success', result(true), null, 'SIGSEGV', 'failed'],
  ] as const)('%s', (_name, said, exitCode, signal, outcome) => {
    expect(judgeEnd({ result: said, exitCode, signal }).outcome).toBe(outcome);
  });
});

describe('a turn that a guard had to let end', () => {
  const success = judgeEnd({ result: result(true), exitCode: 0, signal: null });

  it.each([
    ['let end by it', 'allow', true, 'succeeded'],
    ['sent back, and ended all the same', 'block', true, 'failed'],
    ['never put to it', null, true, 'failed'],
    ['without a guard there', null, false, 'succeeded'],
  ] as const)('%s', (_name, lastTurn, guarded, outcome) => {
    expect(judgeTurn(success, lastTurn, guarded).outcome).toBe(outcome);
  });

  it('a failure keeps its own reason', () => {
    const failed = judgeEnd({ result: result(false), exitCode: 0, signal: null });
    expect(judgeTurn(failed, null, true)).toEqual(failed);
  });
});

describe('coverage', () => {
  const judged = (inCoverage = true): JudgedCall => ({ toolName: 'T', asked: {}, args: {}, allowed: true, inCoverage });
  const seen = (callId: string, executed: boolean | null) => ({
    callId,
    toolName: 'T',
    executed,
    gap: null,
  });

  it('tells guarded, not executed, unguarded and a dispatch without a call apart', () => {
    const facts = compareCoverage(
      [seen('a', true), seen('b', false), seen('c', true), seen('d', null)],
      new Map([
        ['a', judged()],
        ['x', judged()],
        ['y', judged(false)],
      ]),
      false,
      new Set(),
    );
    expect(facts).toEqual({
      guarded: 1,
      notExecuted: 1,
      expectedGap: 0,
      unguarded: ['c (T)', 'd (T)'],
      dispatchesWithoutCall: ['x (T)'],
    });
  });

  it('a call by a route gap that was named is expected, by any other it is unguarded', () => {
    const by = (callId: string, gap: string) => ({ callId, toolName: 'T', executed: true, gap });
    const facts = compareCoverage([by('a', 'search'), by('b', 'stdin')], new Map(), false, new Set(['search']));
    expect(facts).toMatchObject({ expectedGap: 1, unguarded: ['b (T)'] });
  });

  it('a call without any result counts as not executed only when the run was cut short', () => {
    expect(compareCoverage([seen('d', null)], new Map(), true, new Set())).toMatchObject({
      notExecuted: 1,
      unguarded: [],
    });
  });
});

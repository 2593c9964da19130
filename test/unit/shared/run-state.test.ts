import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advanceRun, NEW_RUN, type RunState, type RunStep } from '../../../shared/run-state.js';

function play(steps: readonly RunStep[], from: RunState = NEW_RUN): RunState {
  let state = from;
  for (const step of steps) {
    const next = advanceRun(state, step);
    if (!next.ok) throw new Error(next.error);
    state = next.value;
  }
  return state;
}

const LIVE: RunStep[] = [{ step: 'preflight' }, { step: 'start' }, { step: 'running' }];

describe('the run reducer', () => {
  it('plays a whole life', () => {
    const end = play([
      { step: 'preflight' },
      { step: 'await_approval' },
      { step: 'start' },
      { step: 'running' },
      { step: 'question_opened' },
      { step: 'question_opened' },
      { step: 'question_answered' },
      { step: 'question_answered' },
      { step: 'ended', outcome: 'succeeded', reason: 'done' },
      { step: 'scanned' },
    ]);
    expect(end).toEqual({ phase: 'done', outcome: 'succeeded', reason: 'done', waiting: 0 });
  });

  it('keeps the first reason to stop: a success that comes after it does not soften it', () => {
    const end = play([
      ...LIVE,
      { step: 'stop', outcome: 'timed_out', reason: 'too long' },
      { step: 'stop', outcome: 'killed', reason: 'again' },
      { step: 'ended', outcome: 'succeeded', reason: 'fine' },
    ]);
    expect(end).toMatchObject({ outcome: 'timed_out', reason: 'too long', phase: 'scanning' });
  });

  it('refuses before the start end as denied', () => {
    expect(play([{ step: 'preflight' }, { step: 'refused', outcome: 'denied', reason: 'no' }])).toMatchObject({
      outcome: 'denied',
      phase: 'scanning',
    });
  });

  it('says which step did not fit which phase', () => {
    const next = advanceRun(NEW_RUN, { step: 'running' });
    expect(next).toEqual({ ok: false, error: 'a run that is "draft" cannot take the step "running"' });
  });

  it('never leaves done, never loses an outcome, never counts below zero', () => {
    const step: fc.Arbitrary<RunStep> = fc.oneof(
      fc.constantFrom<RunStep>(
        { step: 'preflight' },
        { step: 'await_approval' },
        { step: 'queue' },
        { step: 'start' },
        { step: 'running' },
        { step: 'question_opened' },
        { step: 'question_answered' },
        { step: 'scanned' },
      ),
      fc.record({
        step: fc.constantFrom('stop', 'ended'),
        outcome: fc.constantFrom('failed', 'succeeded'),
        reason: fc.string(),
      }) as fc.Arbitrary<RunStep>,
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let state = NEW_RUN;
        for (const one of steps) {
          const next = advanceRun(state, one);
          if (!next.ok) continue;
          if (state.outcome !== null) expect(next.value.outcome).toBe(state.outcome);
          expect(next.value.waiting).toBeGreaterThanOrEqual(0);
          expect(state.phase).not.toBe('done');
          state = next.value;
        }
      }),
    );
  });
});

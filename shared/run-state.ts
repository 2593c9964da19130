import type { Outcome, RunPhase } from './contracts/run.js';
import { fail, ok, type Result } from './result.js';

/** Where a run stands: its phase, and its outcome as soon as that is known. */
export interface RunState {
  readonly phase: RunPhase;
  readonly outcome: Outcome | null;
  readonly reason: string | null;
  /** Questions that a person has not answered yet. */
  readonly waiting: number;
}

export type RunStep =
  | { readonly step: 'preflight' }
  | { readonly step: 'await_approval' }
  | { readonly step: 'queue' }
  | { readonly step: 'start' }
  | { readonly step: 'running' }
  | { readonly step: 'question_opened' }
  | { readonly step: 'question_answered' }
  /** The run is to end with this outcome; the first such decision stands, later ones cannot soften it. */
  | { readonly step: 'stop'; readonly outcome: Outcome; readonly reason: string }
  /** The agent's process has ended; `outcome` is what its own result says. */
  | { readonly step: 'ended'; readonly outcome: Outcome; readonly reason: string }
  /** Refused before the agent started. */
  | { readonly step: 'refused'; readonly outcome: 'denied' | 'failed' | 'killed'; readonly reason: string }
  | { readonly step: 'scanned' };

export const NEW_RUN: RunState = { phase: 'draft', outcome: null, reason: null, waiting: 0 };

/** Phases in which each step is legal; an event that does not fit is an error, not a shrug. */
const LEGAL: Readonly<Record<RunStep['step'], readonly RunPhase[]>> = {
  preflight: ['draft'],
  await_approval: ['preflight'],
  queue: ['preflight', 'awaiting_approval'],
  start: ['preflight', 'awaiting_approval', 'queued'],
  running: ['starting'],
  question_opened: ['running', 'waiting_for_approval'],
  question_answered: ['waiting_for_approval', 'stopping'],
  stop: ['starting', 'running', 'waiting_for_approval', 'stopping'],
  ended: ['starting', 'running', 'waiting_for_approval', 'stopping'],
  refused: ['preflight', 'awaiting_approval', 'queued', 'starting'],
  scanned: ['scanning'],
};

/** The one machine of a run's life. Pure; an illegal step is an error that names both sides. */
export function advanceRun(state: RunState, step: RunStep): Result<RunState, string> {
  if (!LEGAL[step.step].includes(state.phase)) {
    return fail(`a run that is "${state.phase}" cannot take the step "${step.step}"`);
  }
  switch (step.step) {
    case 'preflight':
      return ok({ ...state, phase: 'preflight' });
    case 'await_approval':
      return ok({ ...state, phase: 'awaiting_approval' });
    case 'queue':
      return ok({ ...state, phase: 'queued' });
    case 'start':
      return ok({ ...state, phase: 'starting' });
    case 'running':
      return ok({ ...state, phase: 'running' });
    case 'question_opened':
      return ok({ ...state, phase: 'waiting_for_approval', waiting: state.waiting + 1 });
    case 'question_answered':
      return answered(state);
    case 'stop':
      // The first reason to stop is the true one: what follows are its consequences.
      if (state.phase === 'stopping') return ok(state);
      return ok({ ...state, phase: 'stopping', outcome: step.outcome, reason: step.reason });
    case 'ended':
      return ok({
        ...state,
        phase: 'scanning',
        waiting: 0,
        outcome: state.outcome ?? step.outcome,
        reason: state.outcome === null ? step.reason : state.reason,
      });
    case 'refused':
      return ok({ ...state, phase: 'scanning', outcome: step.outcome, reason: step.reason });
    case 'scanned':
      return ok({ ...state, phase: 'done' });
  }
}

function answered(state: RunState): Result<RunState, string> {
  if (state.waiting === 0) return fail('a question was answered that was never opened');
  const waiting = state.waiting - 1;
  const phase = state.phase === 'stopping' ? 'stopping' : waiting === 0 ? 'running' : 'waiting_for_approval';
  return ok({ ...state, phase, waiting });
}

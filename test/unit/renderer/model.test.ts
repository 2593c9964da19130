import { describe, expect, it } from 'vitest';
import {
  draftProfile,
  EMPTY,
  MOST_EVENTS,
  withEvents,
  withPrompts,
  withRun,
  withRuns,
  withToast,
  type AppState,
} from '../../../renderer/state/model.js';
import { manyRuns, recorded } from '../../support/fake-bridge.js';

const [first, second, third] = manyRuns(3, 1_000_000_000);
if (first === undefined || second === undefined || third === undefined) throw new Error('no runs');
const { live, trust, question } = recorded();
const opened: AppState = { ...EMPTY, open: { id: live.summary.id, detail: live, trouble: null } };

describe('runs', () => {
  it('stay newest first, each once', () => {
    const state = withRun(withRun(withRun(EMPTY, second), first), third);
    expect(state.runs?.map((run) => run.id)).toEqual([first.id, second.id, third.id]);
    const changed = withRun(state, { ...second, waiting: 2 });
    expect(changed.runs?.map((run) => run.waiting)).toEqual([0, 2, 0]);
  });
  it('that were told of while the list was read are kept', () => {
    const state = withRuns(withRun(EMPTY, first), [second, third]);
    expect(state.runs?.map((run) => run.id)).toEqual([first.id, second.id, third.id]);
  });
  it('change on their own page too', () => {
    const state = withRun(opened, { ...live.summary, phase: 'stopping' });
    expect(state.open?.detail).toMatchObject({ summary: { phase: 'stopping' } });
    expect(withRun(opened, first).open).toBe(opened.open);
  });
});

describe('live entries', () => {
  const entry = { at: 5, kind: 'notice', text: 'n' };
  it('are added to the run that is open, and to no other', () => {
    const { detail } = withEvents(opened, live.summary.id, [entry]).open ?? {};
    expect(detail).toMatchObject({ eventsCut: false });
    expect(typeof detail === 'object' ? detail.events.at(-1) : null).toBe(entry);
    expect(withEvents(opened, 'run_other', [entry])).toBe(opened);
  });
  it('that come while a run is read are part of what will be read', () => {
    const loading: AppState = { ...EMPTY, open: { id: live.summary.id, detail: 'loading', trouble: null } };
    expect(withEvents(loading, live.summary.id, [entry])).toBe(loading);
  });
  it('have a bound, which is said', () => {
    const many = Array.from({ length: MOST_EVENTS + 1 }, () => entry);
    const { detail } = withEvents(opened, live.summary.id, many).open ?? {};
    expect(detail).toMatchObject({ eventsCut: true, events: { length: MOST_EVENTS } });
  });
});

describe('what waits', () => {
  it('is shown oldest first', () => {
    const state = withPrompts(EMPTY, [
      { ...question, openedAt: 9 },
      { ...trust, openedAt: 3 },
    ]);
    expect(state.prompts?.map((prompt) => prompt.kind)).toEqual(['trust', 'question']);
  });
});

describe('toasts', () => {
  it('have a bound, and good news goes before problems', () => {
    let state = withToast(EMPTY, { id: 1, tone: 'problem', text: 'p' });
    for (let id = 2; id < 8; id += 1) state = withToast(state, { id, tone: 'done', text: 'd' });
    expect(state.toasts.map((one) => one.id)).toEqual([1, 5, 6, 7]);
  });
});

describe('the draft', () => {
  const agents = recorded()['agents.list'] ?? [];
  const settings = { theme: 'system', closeToTray: true, notifications: true, defaultProfile: 'practice' } as const;
  it('takes the default profile until a person chose one that is there', () => {
    const state: AppState = { ...EMPTY, agents, settings };
    expect(draftProfile(state)).toBe('practice');
    expect(draftProfile({ ...state, draft: { ...EMPTY.draft, profile: 'claude-code' } })).toBe('claude-code');
    expect(draftProfile({ ...state, draft: { ...EMPTY.draft, profile: 'gone' } })).toBe('practice');
    expect(draftProfile({ ...state, settings: null })).toBe(agents[0]?.profile);
    expect(draftProfile(EMPTY)).toBe('');
  });
});

/** Everything that changes the store: what the main process tells, and what a person does. */
import type { PromptAnswer, Settings } from '../../shared/bridge/views.js';
import { ask, on, tell } from '../bridge.js';
import type { RunFilter } from '../text/find-runs.js';
import { withEvents, withPrompts, withRun, withRuns, withToast, type Draft, type Where } from './model.js';
import { getState, update } from './store.js';

const MOST_RUNS = 10_000;
/** How long good news stays, in milliseconds; a problem stays until it is put away. */
const TOAST_MS = 6_000;
const KEYCHAIN_AGAIN_MS = 1_500;

/** Begins to listen, then reads what is there; the answer ends the listening. */
export function startWindow(): () => void {
  const ends = [
    on('runs.changed', (run) => {
      const before = getState().open;
      update((state) => withRun(state, run));
      // The counts, the reason and the traces are in the record, which is only told when asked for.
      const ended = run.phase === 'done' && before?.id === run.id;
      if (ended && typeof before.detail !== 'string' && before.detail.record.phase !== 'done') void readOpenRun(run.id);
    }),
    on('runs.events', ({ runId, events }) => {
      update((state) => withEvents(state, runId, events));
    }),
    on('prompts.changed', (prompts) => {
      update((state) => withPrompts(state, prompts));
    }),
    on('settings.changed', (settings) => {
      update((state) => ({ ...state, settings }));
    }),
    on('navigate', ({ to, id }) => {
      go({ page: to, id });
    }),
  ];
  void readAll();
  return () => {
    for (const end of ends) end();
  };
}

async function readAll(): Promise<void> {
  const [settings, info, prompts] = await Promise.all([
    ask('settings.get', null),
    ask('app.info', null),
    ask('prompts.list', null),
  ]);
  if (settings.ok) update((state) => ({ ...state, settings: settings.value }));
  if (prompts.ok) update((state) => (state.prompts === null ? withPrompts(state, prompts.value) : state));
  if (info.ok) {
    update((state) => ({
      ...state,
      info: info.value,
      where: info.value.firstStart && state.where.page === 'runs' ? { page: 'first-start', id: null } : state.where,
    }));
    followKeychain();
  }
  const failed = [settings, info, prompts].find((answer) => !answer.ok);
  if (failed?.ok === false) update((state) => ({ ...state, trouble: failed.error }));
  await Promise.all([readRuns(), readAgents()]);
}

/** Keychain and receipts are looked at in the background; how they stand is asked until that is known. */
function followKeychain(): void {
  const { info } = getState();
  if (info?.keychain.state !== 'starting' && info?.receipts.state !== 'checking') return;
  setTimeout(() => void readInfo().then(followKeychain), KEYCHAIN_AGAIN_MS);
}

export async function readInfo(): Promise<void> {
  const info = await ask('app.info', null);
  if (info.ok) update((state) => ({ ...state, info: info.value }));
}

export async function readRuns(): Promise<void> {
  const runs = await ask('runs.list', { limit: MOST_RUNS });
  update((state) => (runs.ok ? withRuns(state, runs.value) : { ...state, trouble: runs.error }));
}

export async function readAgents(): Promise<void> {
  const agents = await ask('agents.list', null);
  update((state) => (agents.ok ? { ...state, agents: agents.value } : { ...state, trouble: agents.error }));
}

/** Reads the run whose page is open, again or for the first time. */
export async function readOpenRun(id: string): Promise<void> {
  const answer = await ask('runs.show', { runId: id });
  update((state) => {
    if (state.open?.id !== id) return state;
    if (!answer.ok) return { ...state, open: { ...state.open, trouble: answer.error } };
    return { ...state, open: { id, detail: answer.value ?? 'gone', trouble: null } };
  });
}

/** Shows a page. */
export function go(where: Where): void {
  const { id } = where;
  const page = where.page === 'run' && id === null ? 'runs' : where.page;
  update((state) => ({
    ...state,
    where: { page, id },
    open: page === 'run' && id !== null ? { id, detail: 'loading', trouble: null } : null,
  }));
  if (page === 'run' && id !== null) void readOpenRun(id);
}

export function openRun(id: string): void {
  go({ page: 'run', id });
}

let lastToast = 0;

/** Says something in passing: good news goes by itself, a problem stays until it is put away. */
export function toast(tone: 'done' | 'problem', text: string): void {
  const id = (lastToast += 1);
  update((state) => withToast(state, { id, tone, text }));
  if (tone === 'done') setTimeout(() => closeToast(id), TOAST_MS);
}

export function closeToast(id: number): void {
  update((state) => ({ ...state, toasts: state.toasts.filter((one) => one.id !== id) }));
}

export function closeTrouble(): void {
  update((state) => ({ ...state, trouble: null }));
}

/** Puts a text on the clipboard; `what` names it in the toast. */
export async function copy(text: string, what: string): Promise<void> {
  const done = await tell('clipboard.write', { text });
  toast(done.ok ? 'done' : 'problem', done.ok ? `${what} copied` : done.error);
}

export async function stopRun(runId: string): Promise<void> {
  const done = await tell('runs.stop', { runId });
  toast(done.ok ? 'done' : 'problem', done.ok ? 'The run is being stopped' : done.error);
}

/** Gives an answer to what waits; null when it was taken, else why not. */
export async function answerPrompt(answer: PromptAnswer): Promise<string | null> {
  const done = await tell('prompts.answer', answer);
  return done.ok ? null : done.error;
}

export async function changeSettings(change: Partial<Settings>): Promise<string | null> {
  const before = getState().settings;
  if (before === null) return 'The settings have not been read yet.';
  const settings = { ...before, ...change };
  update((state) => ({ ...state, settings }));
  const done = await tell('settings.set', settings);
  if (done.ok) return null;
  update((state) => ({ ...state, settings: before }));
  return done.error;
}

export function changeDraft(change: Partial<Draft>): void {
  update((state) => ({ ...state, draft: { ...state.draft, ...change } }));
}

export function changeFilter(runFilter: RunFilter): void {
  update((state) => ({ ...state, runFilter }));
}

/** The first start was walked through; it is not shown again. */
export async function endFirstStart(): Promise<void> {
  const done = await tell('app.firstStartDone', null);
  if (!done.ok) toast('problem', done.error);
  else update((state) => ({ ...state, info: state.info === null ? null : { ...state.info, firstStart: false } }));
}

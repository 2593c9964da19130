/** What the window knows, and how each thing that it hears changes that. Pure. */
import type { EventOf } from '../../shared/bridge/channels.js';
import type {
  AgentView,
  AppInfo,
  LaunchInput,
  PromptView,
  RunDetail,
  RunSummary,
  Settings,
} from '../../shared/bridge/views.js';
import { ALL_RUNS, type RunFilter } from '../text/find-runs.js';
import type { TimelineEvent } from '../text/timeline.js';

export type PageName = EventOf<'navigate'>['to'] | 'first-start';
export interface Where {
  readonly page: PageName;
  /** A run, or a prompt on the page of approvals. */
  readonly id: string | null;
}

export interface Toast {
  readonly id: number;
  readonly tone: 'done' | 'problem';
  readonly text: string;
}

/** The run whose page is open. `gone`: there is none that can be read. */
export interface OpenRun {
  readonly id: string;
  readonly detail: RunDetail | 'loading' | 'gone';
  readonly trouble: string | null;
}

/** The run that is being put together; kept while other pages are looked at. */
export type Draft = Omit<LaunchInput, 'acceptGaps'>;

export interface AppState {
  readonly info: AppInfo | null;
  readonly settings: Settings | null;
  readonly agents: readonly AgentView[] | null;
  /** Newest first; null until they were read. */
  readonly runs: readonly RunSummary[] | null;
  readonly runFilter: RunFilter;
  readonly prompts: readonly PromptView[] | null;
  readonly open: OpenRun | null;
  readonly where: Where;
  readonly draft: Draft;
  readonly toasts: readonly Toast[];
  /** Why the window could not be filled; null while all is well. */
  readonly trouble: string | null;
}

export const EMPTY: AppState = {
  info: null,
  settings: null,
  agents: null,
  runs: null,
  runFilter: ALL_RUNS,
  prompts: null,
  open: null,
  where: { page: 'runs', id: null },
  draft: { profile: '', workspaceId: '', prompt: '', bypass: 'none', workspaceConfig: 'exclude' },
  toasts: [],
  trouble: null,
};

/** Most entries of a timeline that the window holds; the run's folder has them all. */
export const MOST_EVENTS = 5_000;

/** A run that is new, or changed. */
export function withRun(state: AppState, run: RunSummary): AppState {
  const runs = state.runs ?? [];
  const at = runs.findIndex((one) => one.id === run.id);
  const next = at === -1 ? [...runs, run].sort(newestFirst) : runs.with(at, run);
  const { open } = state;
  if (open === null || open.id !== run.id || typeof open.detail === 'string') return { ...state, runs: next };
  return { ...state, runs: next, open: { ...open, detail: { ...open.detail, summary: run } } };
}

/** Runs as they were read, with those that were told of meanwhile. */
export function withRuns(state: AppState, read: readonly RunSummary[]): AppState {
  const known = new Set(read.map((run) => run.id));
  const told = (state.runs ?? []).filter((run) => !known.has(run.id));
  return { ...state, runs: [...read, ...told].sort(newestFirst) };
}

function newestFirst(a: RunSummary, b: RunSummary): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}

/** Live entries; they matter only to the run that is open. */
export function withEvents(state: AppState, runId: string, events: readonly TimelineEvent[]): AppState {
  const { open } = state;
  // While a run is being read, what is told of it is part of what will be read.
  if (open === null || open.id !== runId || typeof open.detail === 'string') return state;
  const all = [...open.detail.events, ...events];
  const detail = {
    ...open.detail,
    events: all.slice(-MOST_EVENTS),
    eventsCut: open.detail.eventsCut || all.length > MOST_EVENTS,
  };
  return { ...state, open: { ...open, detail } };
}

/** What waits for a person, oldest first. */
export function withPrompts(state: AppState, prompts: readonly PromptView[]): AppState {
  return { ...state, prompts: [...prompts].sort((a, b) => a.openedAt - b.openedAt) };
}

/** The list of toasts has a bound; the oldest good news goes first, problems stay. */
const MOST_TOASTS = 4;

export function withToast(state: AppState, toast: Toast): AppState {
  const toasts = [...state.toasts, toast];
  if (toasts.length <= MOST_TOASTS) return { ...state, toasts };
  const goes = toasts.find((one) => one.tone === 'done') ?? toasts[0];
  return { ...state, toasts: toasts.filter((one) => one !== goes) };
}

/** Fills what the person left open in the draft with what is there: the default profile. */
export function draftProfile(state: AppState): string {
  const profiles = state.agents?.map((agent) => agent.profile) ?? [];
  if (profiles.includes(state.draft.profile)) return state.draft.profile;
  const wanted = state.settings?.defaultProfile ?? '';
  return profiles.includes(wanted) ? wanted : (profiles[0] ?? '');
}

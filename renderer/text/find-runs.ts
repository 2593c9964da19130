import type { RunSummary } from '../../shared/bridge/views.js';
import { COLOUR_WORDS, standing } from './words.js';

/** What the list of runs is narrowed to. `waiting` is for runs with a question to a person. */
export interface RunFilter {
  readonly text: string;
  readonly show: 'all' | RunSummary['colour'] | 'waiting';
}

export const ALL_RUNS: RunFilter = { text: '', show: 'all' };

/** Runs that fit, in their order: every word must occur in prompt, agent, workspace, id or state. */
export function findRuns(runs: readonly RunSummary[], { text, show }: RunFilter): readonly RunSummary[] {
  const wanted = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (wanted.length === 0 && show === 'all') return runs;
  return runs.filter((run) => fitsShow(run, show) && wanted.every((word) => haystack(run).includes(word)));
}

function fitsShow(run: RunSummary, show: RunFilter['show']): boolean {
  if (show === 'all') return true;
  return show === 'waiting' ? run.waiting > 0 : run.colour === show;
}

function haystack(run: RunSummary): string {
  return `${run.prompt}\n${run.agent}\n${run.workspace}\n${run.id}\n${COLOUR_WORDS[run.colour]} ${standing(run)}`.toLowerCase();
}

import type { RunSummary } from '../../../shared/bridge/views.js';
import type { RunRecord } from '../../../shared/contracts/run.js';
import { runColour } from '../../../shared/run-colour.js';
import { isLeftBehind } from '../runs/leftovers.js';

/** Longest beginning of a prompt and of a reason in a list, in characters. */
const MAX_SHOWN = 300;

/** A run as lists show it. */
export function summaryOf(record: RunRecord, here: { readonly own: boolean; readonly waiting: number }): RunSummary {
  const { colour, why } = runColour(record);
  const leftBehind = !here.own && isLeftBehind(record);
  return {
    id: record.id,
    agent: record.agent,
    workspace: record.workspace,
    prompt: cut(record.prompt.trim().split(/\r\n|\r|\n/, 1)[0] ?? ''),
    createdAt: record.createdAt,
    endedAt: record.endedAt,
    phase: record.phase,
    outcome: record.outcome,
    colour,
    why: (leftBehind ? ['the process that owns this run has ended; nobody serves its gate'] : why)
      .slice(0, 50)
      .map(cut),
    ...here,
  };
}

function cut(text: string): string {
  const characters = Array.from(text.slice(0, 2 * MAX_SHOWN + 2));
  return characters.length <= MAX_SHOWN ? text : `${characters.slice(0, MAX_SHOWN - 1).join('')}…`;
}

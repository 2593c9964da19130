import type { RunRecord } from '../../../shared/contracts/run.js';
import { runColour } from '../../../shared/run-colour.js';
import { visibleText } from '../../../shared/visible-text.js';
import type { StateFolder } from '../../core/store/layout.js';
import { readRuns } from '../../core/store/run-folder.js';
import { openCommandIndex, type OpenIndex } from '../command-index.js';
import { EXIT, stateOf, type CommandContext } from '../context.js';
import { readLimit } from './runs-find.js';
import { oneLine, runJson, shortId, stateText, tableText, whenText } from './runs-text.js';

/**
 * `sallyport runs list [--limit N]`: runs, newest first, and what could not be read. `now` in Unix seconds.
 * Exit code 0, 2 for a wrong limit, 4 where the state folder cannot be used.
 */
export async function runsList(
  context: CommandContext,
  options: { readonly limit: string },
  now = Date.now() / 1_000,
  open: OpenIndex = openCommandIndex,
): Promise<number> {
  const limit = readLimit(options.limit);
  if (!limit.ok) {
    context.err(`sallyport: ${limit.error}.\n`);
    return EXIT.usage;
  }
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const { runs, notices } = await newestRuns(context, state.value, limit.value, open);
  if (context.json) {
    context.out(`${JSON.stringify({ schema_version: 1, runs: runs.map(runJson), notices }, null, 2)}\n`);
    return EXIT.fine;
  }
  if (runs.length === 0) context.out('no runs yet; start one with: sallyport run -- "what to do"\n');
  else context.out(tableText([HEADER, ...runs.map((run) => cellsOf(run, now))]));
  for (const notice of notices) context.err(`note     ${visibleText(notice).text}\n`);
  return EXIT.fine;
}

const HEADER = ['ID', 'STARTED', 'STATE', 'COLOUR', 'AGENT', 'WORKSPACE', 'PROMPT'];
const PROMPT_SHOWN = 60;
const WORKSPACE_SHOWN = 40;

function cellsOf(run: RunRecord, now: number): string[] {
  return [
    shortId(run.id),
    whenText(run.createdAt, now),
    stateText(run),
    runColour(run).colour,
    visibleText(run.agent).text,
    // The end of a path says more than its beginning.
    tail(visibleText(run.workspace).text, WORKSPACE_SHOWN),
    oneLine(run.prompt, PROMPT_SHOWN),
  ];
}

function tail(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `…${characters.slice(1 - max).join('')}`;
}

interface Listed {
  readonly runs: readonly RunRecord[];
  /** What could not be read, in words. */
  readonly notices: readonly string[];
}

/** From the index where it can be used, else from every run folder. */
async function newestRuns(
  context: CommandContext,
  state: StateFolder,
  limit: number,
  open: OpenIndex,
): Promise<Listed> {
  const index = await open(context, state);
  if (index !== null) {
    const found = await index.queryRuns({ limit });
    await index.close();
    if (found.ok) return { runs: found.value, notices: index.notices };
    context.err(`note     the index cannot be used (${found.error}); the run folders are read instead\n`);
  }
  const { runs, setAside } = await readRuns(state);
  const notices = setAside.map(
    ({ id, reason }) => `run ${id} is left out of lists (${reason}); its folder is left as it is`,
  );
  return { runs: runs.slice(0, limit), notices };
}

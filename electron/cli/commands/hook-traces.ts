import { POINT_NAMES } from '../../../shared/contracts/points.js';
import type { Trace } from '../../../shared/contracts/trace.js';
import { ACTIONS } from '../../../shared/contracts/vocabulary.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { visibleText } from '../../../shared/visible-text.js';
import type { TraceQuery } from '../../core/store/index-protocol.js';
import type { StateFolder } from '../../core/store/layout.js';
import { listRunIds, readTraces } from '../../core/store/run-folder.js';
import { openCommandIndex, type OpenIndex } from '../command-index.js';
import { EXIT, stateOf, type CommandContext } from '../context.js';
import { findRunId, readLimit } from './runs-find.js';
import { oneLine, shortId, tableText, whenText } from './runs-text.js';

/** As typed. */
export interface TraceOptions {
  readonly limit: string;
  readonly hookId?: string;
  readonly point?: string;
  /** Beginning of a run's id. */
  readonly run?: string;
  readonly decision?: string;
}

/**
 * `sallyport hook traces`: what each attempt of each hook came to, newest first. `now` in Unix seconds.
 * Exit code 0, 1 for a run that is not there, 2 for wrong options, 4 where the state folder cannot be used.
 */
export async function hookTraces(
  context: CommandContext,
  options: TraceOptions,
  now = Date.now() / 1_000,
  open: OpenIndex = openCommandIndex,
): Promise<number> {
  const filters = readFilters(options);
  if (!filters.ok) return say(context, filters.error, EXIT.usage);
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const run = options.run === undefined ? ok(null) : await findRunId(state.value, options.run);
  if (!run.ok) return say(context, run.error, EXIT.no);
  const query = run.value === null ? filters.value : { ...filters.value, run: run.value };
  const traces = await newestTraces(context, state.value, query, open);
  if (context.json) context.out(`${JSON.stringify({ schema_version: 1, traces }, null, 2)}\n`);
  else if (traces.length === 0) context.out('no traces\n');
  else context.out(tableText([HEADER, ...traces.map((trace) => cellsOf(trace, now))]));
  return EXIT.fine;
}

function say(context: CommandContext, text: string, exit: number): number {
  context.err(`sallyport: ${text}.\n`);
  return exit;
}

function readFilters({ limit, hookId, point, decision }: TraceOptions): Result<TraceQuery, string> {
  const most = readLimit(limit);
  if (!most.ok) return most;
  if (point !== undefined && !POINT_NAMES.some((name) => name === point))
    return fail(`--point is one of ${POINT_NAMES.join(', ')}`);
  if (decision !== undefined && !ACTIONS.some((action) => action === decision))
    return fail(`--decision is one of ${ACTIONS.join(', ')}`);
  return ok({
    limit: most.value,
    ...(hookId === undefined ? {} : { hook: hookId }),
    ...(point === undefined ? {} : { point }),
    ...(decision === undefined ? {} : { decision }),
  });
}

/** From the index where it can be used, else from every run folder. */
async function newestTraces(
  context: CommandContext,
  state: StateFolder,
  query: TraceQuery,
  open: OpenIndex,
): Promise<readonly Trace[]> {
  const index = await open(context, state);
  if (index !== null) {
    const found = await index.queryTraces(query);
    await index.close();
    for (const notice of index.notices) context.err(`note     ${visibleText(notice).text}\n`);
    if (found.ok) return found.value;
    context.err(`note     the index cannot be used (${found.error}); the run folders are read instead\n`);
  }
  const fits = (trace: Trace) =>
    (query.hook ?? trace.hook_id) === trace.hook_id &&
    (query.point ?? trace.point) === trace.point &&
    (query.decision ?? trace.decision) === trace.decision;
  const traces: Trace[] = [];
  let lost = 0;
  for (const id of query.run === undefined ? await listRunIds(state) : [query.run]) {
    const read = await readTraces(state, id);
    traces.push(...read.traces.filter(fits));
    lost += read.unreadable;
  }
  if (lost > 0) context.err(`note     ${lost} line(s) of traces.jsonl cannot be read and are left out\n`);
  // The later written of two of one instant first, as in the index.
  return traces
    .reverse()
    .sort((a, b) => b.started - a.started)
    .slice(0, query.limit);
}

const HEADER = ['WHEN', 'HOOK', 'POINT', 'CAME TO', 'TOOK', 'RUN', 'WHY'];
const WHY_SHOWN = 120;

function cellsOf(trace: Trace, now: number): string[] {
  return [
    whenText(trace.started, now),
    visibleText(`${trace.scope}:${trace.hook_id}`).text,
    trace.point,
    cameTo(trace),
    `${Math.round(trace.duration_ms)} ms`,
    shortId(trace.run_id),
    oneLine(trace.error ?? trace.reason ?? '', WHY_SHOWN),
  ];
}

function cameTo({ status, decision, timed_out }: Trace): string {
  switch (status) {
    case 'ran':
      return decision ?? 'no decision';
    case 'inert':
      return 'left out';
    case 'failed':
      return timed_out ? 'failed (time-out)' : 'failed';
  }
}

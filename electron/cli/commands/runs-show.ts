import type { RunRecord } from '../../../shared/contracts/run.js';
import { receiptText } from '../../../shared/receipt-text.js';
import { runColour } from '../../../shared/run-colour.js';
import { visibleText } from '../../../shared/visible-text.js';
import { isLeftBehind } from '../../core/runs/leftovers.js';
import { readEventLines } from '../../core/store/run-events.js';
import { readFindings, readRun, readTraces, runFolder } from '../../core/store/run-folder.js';
import type { StateFolder } from '../../core/store/layout.js';
import { EXIT, stateOf, type CommandContext } from '../context.js';
import { eventLines, parseEvent } from '../terminal/timeline.js';
import { findRunId } from './runs-find.js';
import { scanLines } from './runs-scan-text.js';
import { runJson, safeLines, spanText, stateText, whenText } from './runs-text.js';

/**
 * `sallyport runs show ID`: everything that is known of one run. `now` in Unix seconds. Exit code 0,
 * 1 where no run, or more than one, begins so or its folder is damaged, 4 where the state folder cannot be used.
 */
export async function runsShow(context: CommandContext, typed: string, now = Date.now() / 1_000): Promise<number> {
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const id = await findRunId(state.value, typed);
  if (!id.ok) return say(context, id.error);
  const run = await readRun(state.value, id.value);
  const folder = runFolder(state.value, id.value);
  if (!run.ok)
    return say(context, `run ${id.value} cannot be shown: ${run.error}. Its folder is left as it is: ${folder}`);
  const { traces, unreadable } = await readTraces(state.value, id.value);
  const scan = await scanLines(state.value, run.value);
  const traced: Traced = { folder, traces: traces.length, unreadable, scan };
  if (context.json) {
    const counts = { folder, traces: traces.length, unreadable_traces: unreadable };
    const timeline = await readTimeline(state.value, id.value);
    const findings = await readFindings(state.value, id.value);
    const shown = { schema_version: 1, ...runJson(run.value), findings, ...counts, ...timeline };
    context.out(`${JSON.stringify(shown, null, 2)}\n`);
  } else {
    for (const [label, lines] of describe(run.value, traced, now)) printRow(context, label, lines);
    await printTimeline(context, state.value, id.value);
  }
  return EXIT.fine;
}

async function readTimeline(state: StateFolder, id: string): Promise<object> {
  const events: object[] = [];
  let unreadable = 0;
  const fault = await eachEventLine(state, id, (line) => {
    const event = parseEvent(line);
    if (event === null) unreadable += 1;
    else events.push(event);
  });
  return { events, unreadable_events: unreadable, events_fault: fault };
}

async function printTimeline({ out }: CommandContext, state: StateFolder, id: string): Promise<void> {
  out('\n');
  let [shown, unreadable] = [0, 0];
  const fault = await eachEventLine(state, id, (line) => {
    const lines = eventLines(line);
    if (lines === null) unreadable += 1;
    else for (const text of lines) out(`${text}\n`);
    shown += lines?.length ?? 0;
  });
  if (shown === 0) out('no event was written down\n');
  if (unreadable > 0) out(`${unreadable} line(s) of events.jsonl cannot be read and are left out\n`);
  if (fault !== null) out(`events.jsonl cannot be read: ${visibleText(fault).text}\n`);
}

/** What hindered the reading, or null. */
async function eachEventLine(state: StateFolder, id: string, see: (line: string) => void): Promise<string | null> {
  try {
    for await (const line of readEventLines(state, id)) see(line);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function say(context: CommandContext, text: string): number {
  context.err(`sallyport: ${visibleText(text).text}\n`);
  return EXIT.no;
}

const LABEL_WIDTH = 12;

function printRow({ out }: CommandContext, label: string, lines: readonly string[]): void {
  const shown = lines.flatMap(safeLines);
  for (const [at, line] of shown.entries()) out(`${(at === 0 ? label : '').padEnd(LABEL_WIDTH)} ${line}\n`);
}

interface Traced {
  readonly folder: string;
  readonly traces: number;
  readonly unreadable: number;
  readonly scan: readonly string[];
}

/** Label and lines; a row without lines is not shown. */
type Row = readonly [string, readonly string[]];

function describe(run: RunRecord, traced: Traced, now: number): readonly Row[] {
  const { colour, why } = runColour(run);
  const reason = run.reason === null ? '' : `: ${run.reason}`;
  const leftBehind = isLeftBehind(run)
    ? ['- nobody serves its gate, so its calls are denied; the next "sallyport run" ends what is left of it']
    : [];
  return [
    ['run', [run.id]],
    ['state', [`${stateText(run)}${reason}`, ...leftBehind]],
    ['colour', [colour, ...why.filter((text) => text !== run.reason).map((text) => `- ${text}`)]],
    ['agent', [agentText(run)]],
    ['profile', [run.profile]],
    ['workspace', [run.workspace]],
    ['backend', [run.backend === 'local' ? 'local (isolates nothing: your own rights)' : run.backend]],
    ['bypass', [run.bypass === 'none' ? "none: the agent's own permission checks apply" : run.bypass]],
    ['times', timesText(run, now)],
    ['exit', [exitText(run)]],
    ['prompt', [run.prompt]],
    ['gate', gateText(run)],
    ['coverage', coverageText(run)],
    ['tampering', run.facts.tampering.map((text) => `- ${text}`)],
    ['gaps', run.gaps.length === 0 ? ['none'] : run.gaps.map((gap) => `- ${gap.what} (${gap.kind}): ${gap.why}`)],
    ['notices', run.notices.map((text) => `- ${text}`)],
    ['registry', [run.registryVersions.length === 0 ? 'never read' : run.registryVersions.join(', then ')]],
    ['traces', [tracesText(run, traced)]],
    ['folder', [traced.folder]],
    ['scan', traced.scan],
    ['receipt', receiptLines(run)],
  ];
}

function receiptLines({ receipt, id, phase }: RunRecord): string[] {
  if (phase !== 'done') return ['made when the run has ended'];
  const check = receipt.state === 'signed' ? [`to check it: sallyport receipt verify ${id}`] : [];
  return [receiptText(receipt), ...check];
}

function agentText(run: RunRecord): string {
  const version = run.agentVersion === null ? 'version unknown' : `version ${run.agentVersion}`;
  const program = run.agentProgram === null ? 'program not found' : run.agentProgram;
  return `${run.agent}, ${version}, ${program}${run.agentProgramDigest === null ? '' : `\n${run.agentProgramDigest}`}`;
}

function timesText({ createdAt, startedAt, endedAt }: RunRecord, now: number): string[] {
  const lines = [`accepted ${whenText(createdAt, now)}`];
  lines.push(startedAt === null ? 'the agent was not started' : `agent started ${whenText(startedAt, now)}`);
  if (endedAt === null) lines.push('not ended');
  else lines.push(`ended ${whenText(endedAt, now)}, after ${spanText(Math.max(0, endedAt - createdAt))}`);
  return lines;
}

function exitText({ exitCode, exitSignal, phase, agentPid, ownerPid }: RunRecord): string {
  if (exitSignal !== null) return `the agent's process was ended by ${exitSignal}`;
  if (exitCode !== null) return `the agent's process ended with ${exitCode}`;
  if (phase === 'done') return "no exit of the agent's process was seen";
  return `owner process ${ownerPid ?? 'unknown'}, agent process ${agentPid ?? 'not started'}`;
}

function gateText({ facts }: RunRecord): string[] {
  const lines = [
    `${facts.toolCalls} tool call(s): ${facts.denials} denied, ${facts.modified} changed, ` +
      `${facts.approvalsGranted} approved by a person, ${facts.approvalsDenied} refused by a person`,
  ];
  if (facts.failedOpen > 0) lines.push(`${facts.failedOpen} failed hook attempt(s) let pass by their failure policy`);
  if (facts.turnsPassedAfterDenials > 0)
    lines.push(`${facts.turnsPassedAfterDenials} turn(s) allowed to end after three denials`);
  for (const hook of facts.handlersChanged) lines.push(`changed while it ran: ${hook}`);
  for (const call of facts.argsDiffer) lines.push(`executed otherwise than judged: ${call}`);
  return lines;
}

function coverageText({ facts, phase }: RunRecord): string[] {
  if (phase !== 'done') return ['known when the run has ended'];
  const lines = [
    `${facts.guarded} guarded, ${facts.notExecuted} not executed, ${facts.expectedGap} expected gap(s), ` +
      `${facts.unguarded.length} unguarded`,
  ];
  for (const call of facts.unguarded) lines.push(`unguarded: ${call}`);
  for (const call of facts.dispatchesWithoutCall) lines.push(`judged, but never reported by the agent: ${call}`);
  if (facts.coverageUnknown !== null) lines.push(`not known for sure: ${facts.coverageUnknown}`);
  if (facts.unparsedLines > 0) lines.push(`${facts.unparsedLines} line(s) of the agent's stream could not be read`);
  return lines;
}

function tracesText({ id }: RunRecord, { traces, unreadable }: Traced): string {
  const lost = unreadable === 0 ? '' : `; ${unreadable} line(s) of traces.jsonl cannot be read`;
  return `${traces}${lost}${traces === 0 ? '' : ` (sallyport hook traces --run ${id})`}`;
}

import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { SpawnResult } from '../spawn/request.js';
import type { GateServer } from '../gate/server.js';
import { compareCoverage } from './coverage.js';
import { brokenDoors, type Doors } from './doors.js';
import type { RunContext } from './run-context.js';
import { judgeEnd, judgeTurn } from './outcome.js';
import { readTranscript } from './transcript.js';
import { inspectForeign } from './agent-program.js';
import type { Preflight } from './preflight.js';
import { isStillApproved } from './workspace-config.js';

/** The gate of a run while it is open. */
export interface OpenGate {
  readonly server: GateServer;
  readonly doors: Doors;
  /** True when a blocking hook stood at `turn.stopping` at the launch. */
  readonly guardsTurns: boolean;
  /** The workspace's own configuration that a person approved for this run. */
  readonly workspaceConfig: ApprovalSubject | null;
  /** Ids of the route gaps that were named at the launch. */
  readonly openGaps: ReadonlySet<string>;
  /** Unix seconds. */
  readonly startedAt: number;
}

/**
 * When the agent's process has ended: nothing of the run may live on, the gate closes, observers are
 * drained, and what happened is put together from the agent's record, the gate's and our own.
 */
export async function closeRun(
  context: RunContext,
  plan: Preflight,
  result: SpawnResult,
  { server, doors, guardsTurns, workspaceConfig, openGaps, startedAt }: OpenGate,
): Promise<void> {
  const { book, session, services, request } = context;
  for (const what of brokenDoors(doors)) book.tampering(what);
  await server.close();
  const outstanding = await session.observers.drain();
  if (outstanding > 0) book.warn(`${outstanding} observer(s) had not ended after 5 s and are ended`);
  const left = await services.seam.endRun(book.id);
  for (const pid of new Set([...result.left, ...left])) {
    book.tampering(`process ${pid} of this run could not be ended`);
  }
  for (const finding of inspectForeign(request, plan.agent.env)) {
    const wasThere = plan.foreign.some((one) => one.path === finding.path && one.what === finding.what);
    const weakens = finding.kind === 'refused' || (finding.weakens === true && !wasThere);
    if (weakens) book.tampering(`found at the end: ${finding.path}: ${finding.what}`);
  }

  if (workspaceConfig !== null && !(await isStillApproved(request, plan.agent.env, workspaceConfig)))
    book.tampering(`${workspaceConfig.title} was changed while the run lived, so it is not what was approved`);

  const unread = await readTranscript(context, plan.agent, startedAt);
  const agentEnd = { result: book.timeline.result(), exitCode: result.exitCode, signal: result.signal };
  const end = judgeTurn(judgeEnd(agentEnd), book.timeline.lastTurn(), guardsTurns);
  const cutShort = book.stopping() || end.outcome !== 'succeeded';
  const facts = book.timeline.facts();
  book.facts({
    ...facts,
    ...compareCoverage(book.timeline.seenCalls(), session.judged, cutShort, openGaps),
    failedOpen: session.engine.failedOpen,
    turnsPassedAfterDenials: session.engine.turnsPassedAfterDenials,
    coverageUnknown: coverageDoubt(context, facts.unparsedLines, openGaps) ?? unread,
  });
  const told = book.timeline.sessionId();
  // An agent that names its sessions itself keeps nothing under the name that we chose.
  if (told !== null) {
    context.notes.sessions.clear();
    context.notes.sessions.add(told);
  }
  book.update({ exitCode: result.exitCode, exitSignal: result.signal });
  book.step({ step: 'ended', ...end });
}

/** Why it is not known whether everything passed the gate; null when it is. */
function coverageDoubt(
  { book, session }: RunContext,
  unparsedLines: number,
  openGaps: ReadonlySet<string>,
): string | null {
  if (!book.gateWasMet()) return 'the agent never reported to the gate';
  if (unparsedLines > 0) return `${unparsedLines} line(s) of the agent's stream could not be read`;
  const calls = book.timeline.seenCalls().filter((call) => call.gap === null || !openGaps.has(call.gap));
  if (calls.length > 0 && !calls.some((call) => session.judged.has(call.callId))) {
    return `none of the ${calls.length} call(s) reached the gate`;
  }
  if (book.timeline.result()?.ok === true && book.timeline.lastTurn() === null) {
    return 'the end of the turn was never put to the gate';
  }
  return null;
}

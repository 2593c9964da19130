import type { SpawnResult } from '../spawn/request.js';
import type { GateServer } from '../gate/server.js';
import { compareCoverage } from './coverage.js';
import type { RunContext } from './run-context.js';
import { judgeEnd } from './outcome.js';
import { inspectForeign } from './agent-program.js';
import type { Preflight } from './preflight.js';

/**
 * When the agent's process has ended: nothing of the run may live on, the gate closes, observers are
 * drained, and what happened is put together from the agent's record, the gate's and our own.
 */
export async function closeRun(
  context: RunContext,
  plan: Preflight,
  result: SpawnResult,
  server: GateServer,
): Promise<void> {
  const { book, session, services, request } = context;
  await server.close();
  const outstanding = await session.observers.drain();
  if (outstanding > 0) book.warn(`${outstanding} observer(s) had not ended after 5 s and are ended`);
  const left = await services.seam.endRun(book.id);
  for (const pid of new Set([...result.left, ...left])) {
    book.tampering(`process ${pid} of this run could not be ended`);
  }
  for (const finding of inspectForeign(request, plan.agent.env)) {
    if (finding.kind === 'refused') book.tampering(`found at the end: ${finding.path}: ${finding.what}`);
  }

  const agentEnd = { result: book.timeline.result(), exitCode: result.exitCode, signal: result.signal };
  const end = judgeEnd(agentEnd);
  const cutShort = book.stopping() || end.outcome !== 'succeeded';
  const facts = book.timeline.facts();
  book.facts({
    ...facts,
    ...compareCoverage(book.timeline.seenCalls(), session.judged, cutShort),
    failedOpen: session.engine.failedOpen,
    turnsPassedAfterDenials: session.engine.turnsPassedAfterDenials,
    coverageUnknown: book.gateWasMet() ? unreadable(facts.unparsedLines) : 'the agent never reported to the gate',
  });
  book.update({ exitCode: result.exitCode, exitSignal: result.signal });
  book.step({ step: 'ended', ...end });
}

function unreadable(lines: number): string | null {
  return lines === 0 ? null : `${lines} line(s) of the agent's stream could not be read`;
}

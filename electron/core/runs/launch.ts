import { randomUUID } from 'node:crypto';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { RunRecord } from '../../../shared/contracts/run.js';
import { newId } from '../../../shared/ids.js';
import type { CompiledRun } from '../agents/contract.js';
import { findRouteGaps, openRoutes, type Gap } from '../compiler/gaps.js';
import { timeoutsFor } from '../compiler/timeouts.js';
import { judgePoint } from '../engine/point.js';
import type { GateReport } from '../gate/ports.js';
import { newToken, startGateServer } from '../gate/server.js';
import { newGateSession } from '../gate/session.js';
import { createRegistryKeeper } from '../registry/registry.js';
import type { Snapshot } from '../registry/snapshot.js';
import { startAgent, type AgentProcess } from './agent-process.js';
import { failedScan, noteBefore, RUN_TOKEN, scanAtEnd } from './end-scan.js';
import { closeRun, type OpenGate } from './finish.js';
import { maskCompiled, prepareGateFolder, writeCompiled } from './gate-folder.js';
import { holdSnapshot, leaveOut } from './held-snapshot.js';
import { checkVersion, closesRoutes, preflight, rewriteGaps, type Preflight, type Refusal } from './preflight.js';
import { prepareAgent } from './preparation.js';
import { createQuestions } from './questions.js';
import { installLauncher } from './install-launcher.js';
import { openRunBook } from './run-book.js';
import type { RunContext } from './run-context.js';
import type { LaunchRequest, LaunchServices } from './request.js';
import { launchOf } from './run-launch.js';
import { newScanNotes } from './scan-door.js';
import { secretsOf } from './secrets.js';
import { askForTrust, type TrustResult } from './trust.js';
import { isStillApproved } from './workspace-config.js';

export interface LiveRun {
  readonly id: string;
  /** The final record; every accepted run ends in one. */
  readonly done: Promise<RunRecord>;
  /** Ends the run because a person said so; while its exit scan goes on, that one is ended instead. */
  readonly stop: (reason: string) => void;
}

/** Accepts a request and plays the run's whole life; throws when the run's folder cannot be made. */
export async function launchRun(request: LaunchRequest, services: LaunchServices, id = newId('run')): Promise<LiveRun> {
  const book = await openRunBook(id, request, services);
  const stop = new AbortController();
  const keeper = createRegistryKeeper(
    { stateDir: services.state.dir, profile: request.profile.name, sessionDocuments: request.sessionHooks },
    (change) => {
      book.registryVersion(change.next);
      if (change.next !== change.previous) book.warn(`the registry changed: ${change.previous} -> ${change.next}`);
      for (const fault of change.faults)
        book.warn(`${fault.file}: ${fault.path}: ${fault.message} (its last good form stays in force)`);
    },
  );
  const context: RunContext = {
    request,
    services,
    book,
    session: newGateSession(id, request.workspace, request.depth),
    keeper,
    questions: createQuestions(services.person, request.profile.approval_timeout_seconds, book.redact),
    stopped: stop.signal,
    notes: newScanNotes(),
  };
  return {
    id,
    done: live(context),
    stop: (reason) => {
      if (book.scanning()) context.notes.cancel.abort(reason);
      stop.abort(reason);
    },
  };
}

async function live(context: RunContext): Promise<RunRecord> {
  const { book } = context;
  try {
    const refusal = await prepareAndRun(context);
    if (refusal !== null) refuse(context, refusal);
    await scanAtEnd(context);
    book.step({ step: 'scanned' });
    return await book.close(null);
  } catch (error) {
    // A bug or a broken machine: nothing of the run may live on, and it failed, and says so.
    await context.services.seam.endRun(book.id);
    const why = error instanceof Error ? error.message : String(error);
    book.update({ exitScan: failedScan(why) });
    return book.close(why);
  }
}

function refuse({ book, stopped }: RunContext, refusal: Refusal): void {
  if (stopped.aborted) book.step({ step: 'refused', outcome: 'killed', reason: String(stopped.reason) });
  else book.step({ step: 'refused', ...refusal });
}

async function prepareAndRun(context: RunContext): Promise<Refusal | null> {
  const { request, services, book, keeper, stopped } = context;
  book.step({ step: 'preflight' });
  const snapshot = keeper.current();
  book.registryVersion(snapshot.version);
  const looked = await preflight(request, services, snapshot, book.id);
  if (!looked.ok) return looked.error;
  const found = looked.value;
  for (const { label, value } of secretsOf(found.agent.env)) book.knowSecret(label, value);
  for (const text of found.notices) book.notice(text);
  noteGaps(context, found.gaps);
  context.notes.agentEnv = found.agent.env;
  noteBefore(context);

  book.step({ step: 'await_approval' });
  const trusted = await askForTrust(request, services, found.subjects, stopped);
  if (!trusted.trusted) return { outcome: 'denied', reason: trusted.reason };
  const plan = { ...found, agent: { ...found.agent, digest: trusted.agentDigest } };
  noteWorkspace(context, plan, trusted.workspaceConfig);
  for (const text of trusted.notices) book.notice(text);
  book.update({ launch: launchOf(trusted.approved) });

  const version = await checkVersion(request, services, plan.agent);
  if (!version.ok) return version.error;
  if (version.value.note !== null) book.notice(version.value.note);
  noteGaps(context, findRouteGaps(request.adapter, version.value.version, closesRoutes(request, snapshot)));
  book.update({
    agentVersion: version.value.version,
    agentProgram: plan.agent.program,
    agentProgramDigest: plan.agent.digest,
  });

  const denied = await judgeRunBefore(context, snapshot, plan);
  if (denied !== null) return { outcome: 'denied', reason: denied };
  if (stopped.aborted) return { outcome: 'denied', reason: String(stopped.reason) };
  return serve(context, snapshot, plan, version.value.version, trusted);
}

/** What the workspace brings: left out file by file, or taken in as it was approved, and what that means. */
function noteWorkspace(context: RunContext, plan: Preflight, approved: ApprovalSubject | null): void {
  const { book, request } = context;
  if (approved === null) {
    for (const finding of plan.foreign) {
      if (finding.kind === 'workspace-config') book.notice(`${finding.path}: ${finding.what}`);
    }
    return;
  }
  book.notice(`${approved.title} is taken in as it was approved (${approved.digest})`);
  const why = request.adapter.workspaceConfig?.meaning ?? 'it can change what was judged';
  noteGaps(context, [{ kind: 'rewrite', hookKey: null, what: approved.title, why, effect: 'named' }]);
}

function noteGaps({ book }: RunContext, gaps: readonly Gap[]): void {
  for (const gap of gaps) book.gap({ kind: gap.kind, what: gap.what, why: gap.why });
}

function engineInput({ session, book, request }: RunContext, snapshot: Snapshot) {
  return {
    snapshot,
    session: session.engine,
    services: book.engine,
    envelope: { runId: book.id, sessionId: null, workspace: request.workspace, depth: request.depth },
  };
}

async function judgeRunBefore(context: RunContext, snapshot: Snapshot, plan: Preflight): Promise<string | null> {
  const { request, book, questions, stopped, session } = context;
  const data = {
    agent: request.adapter.name,
    profile: request.profile.name,
    argv: [plan.agent.program, ...plan.agent.prefix],
    workspace: request.workspace,
    backend: 'local',
    bypass: request.bypass,
  };
  const input = engineInput(context, snapshot);
  const judged = await judgePoint(input, 'run.before', data);
  session.observers.observe(input, { point: 'run.before', data, call: null });
  if (judged.verdict === 'deny') return judged.reason ?? 'denied at run.before';
  if (judged.verdict === 'allow') return null;
  const askedBy = judged.asks.map((ask) => ({ who: `${ask.scope}:${ask.hookId}`, reason: ask.reason }));
  const question = { id: newId('ask'), toolName: `start ${request.adapter.title}`, args: data, askedBy };
  book.fromGate({ kind: 'question', question });
  const answer = await questions.ask(question, stopped);
  book.fromGate({ kind: 'answer', questionId: question.id, answer });
  return answer.answer === 'deny' ? `run.before: ${answer.why}` : null;
}

type Trusted = Extract<TrustResult, { readonly trusted: true }>;

/** Opens the gate, starts the agent behind it, and waits for both to end. */
async function serve(
  context: RunContext,
  snapshot: Snapshot,
  plan: Preflight,
  version: string | null,
  trusted: Trusted,
): Promise<Refusal | null> {
  const { request, services, book, session, questions } = context;
  const { agent: proof, workspaceConfig } = trusted;
  if (workspaceConfig !== null && !(await isStillApproved(request, plan.agent.env, workspaceConfig)))
    return {
      outcome: 'denied',
      reason: `${workspaceConfig.title} changed after it was approved; start again to see it`,
    };
  book.step({ step: 'start' });
  const launcher = await installLauncher(services);
  if ('outcome' in launcher) return launcher;
  const token = newToken();
  book.knowSecret(RUN_TOKEN, token);
  const gate = await prepareGateFolder(book.gateFolder, token);
  const clocks = timeoutsFor(snapshot.hooks, request.profile.approval_timeout_seconds);
  const leftOut = new Set(plan.gaps.filter((gap) => gap.effect === 'left_out').map((gap) => gap.hookKey));
  const held = () => {
    const now = holdSnapshot(snapshot, context.keeper.current());
    for (const hook of now.heldBack)
      book.tampering(`hook ${hook} was removed or changed while the run lived; the form of the launch stays in force`);
    return leaveOut(now, leftOut);
  };
  const server = await startGateServer(
    {
      adapter: request.adapter,
      session,
      snapshot: () => Promise.resolve(held()),
      services: book.engine,
      ask: questions.ask,
      report: (report: GateReport) => {
        book.fromGate(report);
      },
      deadlineMs: clocks.gate * 1_000,
    },
    gate.socketPath,
    token,
  );
  const sessionId = randomUUID();
  context.notes.sessions.add(sessionId);
  const input = {
    gate: {
      httpUrl: server.httpUrl,
      token,
      launcher: launcher.path,
      launcherArgs: [gate.socketPath, gate.headerFile, String(clocks.launcher)],
    },
    version,
    bypass: request.bypass,
    workspaceConfig: workspaceConfig !== null,
    prompt: request.prompt,
    sessionId,
    nativeTimeoutSeconds: clocks.native,
    configFolder: book.gateFolder,
    agentArgs: request.profile.agent_args,
    noProxy: plan.agent.env['NO_PROXY'] ?? '127.0.0.1,localhost',
    workspace: request.workspace,
    closeRoutes: closesRoutes(request, snapshot),
  };
  let compiled: CompiledRun | null = null;
  try {
    const prepared = await prepareAgent(request, services, { runId: book.id, agent: plan.agent, proof }, input);
    if (!prepared.ok) return { outcome: 'denied', reason: prepared.error };
    if (context.stopped.aborted) return { outcome: 'denied', reason: String(context.stopped.reason) };
    noteGaps(context, rewriteGaps(prepared.value.findings));
    compiled = request.adapter.compileRun({ ...input, learned: prepared.value.learned });
    await writeCompiled(book.gateFolder, compiled);
    book.update({ launch: launchOf(trusted.approved, { agent: plan.agent, compiled, token }) });
    // How the workspace stands must be known before the agent can change it.
    await context.notes.before;
    context.notes.agentStarted = true;
    const startedAt = services.now();
    const started = await startAgent(
      request,
      services.seam,
      { runId: book.id, agent: plan.agent, compiled, proof: trusted.agent },
      book.timeline,
      book.raw,
    );
    if (!started.ok) return { outcome: 'failed', reason: started.error.text };
    const doors = {
      launcher: launcher.path,
      launcherText: launcher.text,
      socketPath: gate.socketPath,
      headerFile: gate.headerFile,
      headerText: gate.headerText,
    };
    const openGaps = new Set(openRoutes(request.adapter, version, input.closeRoutes).map((route) => route.id));
    await supervise(context, plan, started.value, {
      server,
      doors,
      guardsTurns: guardsTurns(snapshot),
      workspaceConfig,
      openGaps,
      startedAt,
    });
    return null;
  } finally {
    questions.close('the run has ended');
    await server.close();
    if (compiled !== null) await maskCompiled(book.gateFolder, compiled, token);
    await gate.retire();
  }
}

async function supervise(context: RunContext, plan: Preflight, agent: AgentProcess, gate: OpenGate): Promise<void> {
  const { book, stopped, questions } = context;
  book.update({ startedAt: context.services.now(), agentPid: agent.running.pid });
  book.step({ step: 'running' });
  const stop = () => {
    book.step({ step: 'stop', outcome: 'killed', reason: String(stopped.reason) });
    questions.close('the run is being stopped');
    void agent.running.end();
  };
  if (stopped.aborted) stop();
  else stopped.addEventListener('abort', stop, { once: true });
  const result = await agent.running.done;
  stopped.removeEventListener('abort', stop);
  agent.flush();
  await closeRun(context, plan, result, gate);
}

/** Whether a guard stands at the end of turns. */
function guardsTurns(snapshot: Snapshot): boolean {
  return snapshot.atPoint('turn.stopping').some((one) => one.hook.mode === 'blocking');
}

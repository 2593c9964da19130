import { sameJson } from '../../../shared/canonical-json.js';
import { newId } from '../../../shared/ids.js';
import type { Answer, NativeAnswer, NativeEvent } from '../agents/contract.js';
import { judgeTurnStopping, MAX_TURN_DENIALS } from '../engine/point.js';
import { isCommand, isWrite, judgeToolCall, pointsOf, toolEventData, type ToolJudgement } from '../engine/tool-call.js';
import type { EngineInput } from '../engine/ports.js';
import { before } from './deadline.js';
import type { GatePorts, Question } from './ports.js';
import { callKey, noteGrant, takeGrant } from './session.js';
import { seenFromFolder } from './working-folder.js';

type Native<K extends NativeEvent['kind']> = Extract<NativeEvent, { kind: K }>;

/** The answer to one event, and the work that follows once it was sent (observers). */
export interface Dispatched {
  readonly answer: NativeAnswer;
  readonly afterwards: () => void;
}

/**
 * The one dispatch path, for http hooks, the launcher and the full command: bytes of one native
 * event in, the agent's own form of the answer out. Never throws, never hangs past the deadline.
 */
export async function dispatchNative(
  ports: GatePorts,
  event: string,
  body: Uint8Array,
  gone: AbortSignal,
): Promise<Dispatched> {
  const parsed = parsePayload(ports, event, body);
  if (typeof parsed === 'string') return trouble(ports, event, parsed);
  const withdrawn = new AbortController();
  const signal = AbortSignal.any([gone, withdrawn.signal]);
  try {
    const decided = await before(ports.deadlineMs, decide(ports, parsed, signal));
    if (decided !== 'late') return decided;
    return trouble(ports, event, `no decision within ${Math.round(ports.deadlineMs / 1_000)} s`);
  } catch (error) {
    return trouble(ports, event, `the engine failed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    withdrawn.abort();
  }
}

function parsePayload({ adapter }: GatePorts, event: string, body: Uint8Array): NativeEvent | string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const native = adapter.parseHookInput(event, JSON.parse(text));
    return native.ok ? native.value : native.error;
  } catch (error) {
    return `the event cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const nothing = () => undefined;

/** A denial for what could not be judged; at the end of a turn it is bounded like any other. */
function trouble(ports: GatePorts, event: string, reason: string): Dispatched {
  ports.report({ kind: 'trouble', event, reason });
  const stopping = ports.adapter.points['turn.stopping'];
  const atTurnEnd = 'events' in stopping && stopping.events.includes(event);
  if (!atTurnEnd)
    return send(ports, event, { verdict: 'deny', reason: `Sallyport could not judge this and denies it: ${reason}` });
  const { engine } = ports.session;
  if (engine.turnDenials >= MAX_TURN_DENIALS) {
    engine.turnsPassedAfterDenials += 1;
    return send(ports, event, { verdict: 'allow' });
  }
  engine.turnDenials += 1;
  return send(ports, event, { verdict: 'block', reason: `Sallyport could not judge the end of this turn: ${reason}` });
}

function send({ adapter }: GatePorts, event: string, answer: Answer, afterwards: () => void = nothing): Dispatched {
  return { answer: adapter.formatHookOutput(event, answer), afterwards };
}

async function decide(ports: GatePorts, native: NativeEvent, signal: AbortSignal): Promise<Dispatched> {
  switch (native.kind) {
    case 'tool.before':
      return toolBefore(ports, native, signal);
    case 'permission':
      return permission(ports, native, signal);
    case 'tool.after':
      return toolAfter(ports, native);
    case 'turn.stopping':
      return turnStopping(ports, native);
    case 'session.start':
    case 'session.end':
      return sessionEdge(ports, native);
    case 'config.change':
      ports.report({
        kind: 'tampering',
        what: `the agent's settings were changed while the run lived (${native.what}); the old ones stay in force`,
      });
      return send(ports, native.event, {
        verdict: 'deny',
        reason: 'Sallyport keeps the settings of this run as they were at its start',
      });
    case 'unknown':
      ports.report({ kind: 'unknown', event: native.event });
      return send(ports, native.event, { verdict: 'allow' });
  }
}

async function engineInput(ports: GatePorts, sessionId: string | null): Promise<EngineInput> {
  const { runId, workspace, depth, engine } = ports.session;
  return {
    snapshot: await ports.snapshot(),
    session: engine,
    services: ports.services,
    envelope: { runId, sessionId, workspace, depth },
  };
}

async function toolBefore(ports: GatePorts, native: Native<'tool.before'>, signal: AbortSignal): Promise<Dispatched> {
  const { adapter, session, report } = ports;
  const { callId, toolName } = native;
  const known = session.judged.get(callId);
  if (known !== undefined && !(known.toolName === toolName && sameJson(known.asked, native.args))) {
    // The first judgement stands: a second one for other arguments could only cover up what really runs.
    report({ kind: 'tampering', what: `the gate was asked about call ${callId} a second time, with other arguments` });
    return send(ports, native.event, { verdict: 'deny', reason: 'this call was judged before with other arguments' });
  }
  const input = await engineInput(ports, native.sessionId);
  const judgement = await judgeToolCall(input, {
    callId,
    toolName,
    args: native.args,
    classify: (args) => seenFromFolder(adapter.classify(toolName, args), native.cwd, session.workspace),
    protectedArgs: adapter.protectedArgs,
  });
  const answer = await answerCall(ports, toolName, judgement, signal);
  // Noted before the answer leaves: what the agent then reports as executed is compared with this.
  session.judged.set(callId, {
    toolName,
    asked: native.args,
    args: judgement.args,
    allowed: answer.verdict !== 'deny',
    inCoverage: native.inCoverage,
  });
  report({
    kind: 'judged',
    callId,
    toolName,
    args: judgement.args,
    verdict: answer.verdict === 'deny' ? 'deny' : judgement.changed ? 'modify' : 'allow',
    reason: answer.verdict === 'deny' ? answer.reason : null,
    by: judgement.deniedBy === null ? null : `${judgement.deniedBy.hookId} at ${judgement.deniedBy.point}`,
    inCoverage: native.inCoverage,
  });
  return send(ports, native.event, answer, () => {
    observeCall(ports, input, native, judgement);
  });
}

async function answerCall(
  ports: GatePorts,
  toolName: string,
  judgement: ToolJudgement,
  signal: AbortSignal,
): Promise<Exclude<Answer, { verdict: 'block' | 'grant' }>> {
  if (judgement.verdict === 'deny') return { verdict: 'deny', reason: judgement.reason ?? 'denied' };
  if (judgement.verdict === 'ask') {
    const askedBy = judgement.asks.map((ask) => ({ who: `${ask.scope}:${ask.hookId}`, reason: ask.reason }));
    const said = await askPerson(ports, { id: newId('ask'), toolName, args: judgement.args, askedBy }, signal);
    if (said !== 'yes') return { verdict: 'deny', reason: said.no };
    const key = callKey(toolName, judgement.args);
    if (key !== null) noteGrant(ports.session, key);
  }
  return judgement.changed ? { verdict: 'modify', args: judgement.args } : { verdict: 'allow' };
}

/** One call, one prompt: a yes for the run answers without asking again. */
async function askPerson(ports: GatePorts, question: Question, signal: AbortSignal): Promise<'yes' | { no: string }> {
  const { session, report } = ports;
  const key = callKey(question.toolName, question.args);
  if (key === null) return { no: 'these arguments cannot be shown exactly, so nobody can approve them' };
  if (session.grantedForRun.has(key)) return 'yes';
  report({ kind: 'question', question });
  const answer = await ports.ask(question, signal);
  report({ kind: 'answer', questionId: question.id, answer });
  if (answer.answer === 'deny') return { no: answer.why };
  if (answer.answer === 'run') session.grantedForRun.add(key);
  return 'yes';
}

/**
 * The agent's own permission check asks. A yes that a hook's question already got for this very
 * call answers it; a call that no guard has seen in this form is judged first.
 */
async function permission(ports: GatePorts, native: Native<'permission'>, signal: AbortSignal): Promise<Dispatched> {
  const { session, adapter } = ports;
  const { toolName, args } = native;
  const deny = (reason: string) => send(ports, native.event, { verdict: 'deny', reason });
  const grant = () => send(ports, native.event, { verdict: 'grant', args });
  const key = callKey(toolName, args);
  if (key === null) return deny('these arguments cannot be shown exactly, so nobody can approve them');
  if (takeGrant(session, key)) return grant();
  const judgedSo = [...session.judged.values()].some(
    (call) => call.allowed && callKey(call.toolName, call.args) === key,
  );
  const askedBy = [{ who: adapter.title, reason: "the agent's own permission check asks" }];
  if (!judgedSo) {
    const input = await engineInput(ports, native.sessionId);
    const judgement = await judgeToolCall(input, {
      callId: newId('exec'),
      toolName,
      args,
      classify: (changed) => seenFromFolder(adapter.classify(toolName, changed), native.cwd, session.workspace),
      protectedArgs: adapter.protectedArgs,
    });
    if (judgement.verdict === 'deny') return deny(judgement.reason ?? 'denied');
    if (judgement.changed) return deny('policy would change this call, which is no longer possible here');
    askedBy.push(...judgement.asks.map((ask) => ({ who: `${ask.scope}:${ask.hookId}`, reason: ask.reason })));
  }
  const said = await askPerson(ports, { id: newId('ask'), toolName, args, askedBy }, signal);
  return said === 'yes' ? grant() : deny(said.no);
}

async function toolAfter(ports: GatePorts, native: Native<'tool.after'>): Promise<Dispatched> {
  const { adapter, session, report } = ports;
  const { callId, toolName, args } = native;
  const judged = session.judged.get(callId);
  const asJudged =
    judged !== undefined &&
    judged.allowed &&
    judged.toolName === toolName &&
    adapter.executedArgsMatch(toolName, judged.args, args);
  // A yes that no permission request came for (bypass) is used up with its call.
  const key = judged === undefined ? null : callKey(judged.toolName, judged.args);
  if (key !== null) takeGrant(session, key);
  // A call that was never judged is no changed call: coverage names it as unguarded.
  report({ kind: 'executed', callId, toolName, ok: native.ok, asJudged: judged === undefined || asJudged });
  const input = await engineInput(ports, native.sessionId);
  return send(ports, native.event, { verdict: 'allow' }, () => {
    const classification = seenFromFolder(adapter.classify(toolName, args), native.cwd, session.workspace);
    const call = { callId, toolName, classification };
    const data = { call_id: callId, tool_name: toolName, args, ok: native.ok, result: bounded(native.result) };
    session.observers.observe(input, { point: 'tool.after', data, call });
    if (isWrite(classification)) {
      session.observers.observe(input, {
        point: 'file.after_write',
        data: { ...data, paths: classification.writePaths },
        call,
      });
    }
    if (isCommand(classification)) {
      session.observers.observe(input, {
        point: 'command.after',
        data: { ...data, command: classification.command, exit_code: null },
        call,
      });
    }
  });
}

/** Largest result that travels in an event, in characters of its JSON text. */
const MAX_RESULT = 65_536;

function bounded(result: Native<'tool.after'>['result']) {
  const text = JSON.stringify(result);
  return text.length <= MAX_RESULT ? result : `${text.slice(0, MAX_RESULT)}… (cut)`;
}

async function turnStopping(ports: GatePorts, native: Native<'turn.stopping'>): Promise<Dispatched> {
  const input = await engineInput(ports, native.sessionId);
  const judgement = await judgeTurnStopping(input, native);
  const blocked = judgement.verdict !== 'allow';
  const reason = blocked ? (judgement.reason ?? 'the turn may not end yet') : null;
  ports.report({ kind: 'turn', verdict: blocked ? 'block' : 'allow', reason });
  const data = { last_message: native.lastMessage, already_denied: native.alreadyDenied };
  return send(ports, native.event, reason === null ? { verdict: 'allow' } : { verdict: 'block', reason }, () => {
    ports.session.observers.observe(input, { point: 'turn.stopping', data, call: null });
  });
}

async function sessionEdge(
  ports: GatePorts,
  native: Native<'session.start'> | Native<'session.end'>,
): Promise<Dispatched> {
  const input = await engineInput(ports, native.sessionId);
  ports.report({
    kind: 'session',
    what: native.kind === 'session.start' ? 'start' : 'end',
    sessionId: native.sessionId,
  });
  const data =
    native.kind === 'session.start' ? { source: native.source, model: native.model } : { reason: native.reason };
  return send(ports, native.event, { verdict: 'allow' }, () => {
    ports.session.observers.observe(input, { point: native.kind, data, call: null });
  });
}

/** Observers see the final event, also of a denied call, after the answer. */
function observeCall(
  ports: GatePorts,
  input: EngineInput,
  native: Native<'tool.before'>,
  judgement: ToolJudgement,
): void {
  const { classification } = judgement;
  const call = { callId: native.callId, toolName: native.toolName, classification };
  for (const point of pointsOf(classification)) {
    ports.session.observers.observe(input, { point, data: toolEventData(native, judgement, point), call });
  }
}

/** The one dispatch path with a real adapter that has a permission check of its own, without sockets. */
import { beforeEach, describe, expect, it } from 'vitest';
import { claudeCode } from '../../../electron/core/agents/claude-code.js';
import { dispatchNative } from '../../../electron/core/gate/dispatch.js';
import type { GatePorts, GateReport, PersonAnswer, Question } from '../../../electron/core/gate/ports.js';
import { newGateSession } from '../../../electron/core/gate/session.js';
import { bench, decides, FAILS } from '../../unit/engine/bench.js';

let hooks: ReturnType<typeof bench>;
let reports: GateReport[];
let asked: Question[];
let answer: PersonAnswer;
let ports: GatePorts;

beforeEach(() => {
  hooks = bench();
  reports = [];
  asked = [];
  answer = { answer: 'once' };
  ports = {
    adapter: claudeCode,
    session: newGateSession('run_x', '/workspace', 0),
    snapshot: () => Promise.resolve(hooks.input.snapshot),
    services: hooks.input.services,
    ask: (question) => {
      asked.push(question);
      return Promise.resolve(answer);
    },
    report: (report) => reports.push(report),
    deadlineMs: 5_000,
  };
});

const base = { session_id: 's', transcript_path: '/t', cwd: '/workspace' };

async function send(event: string, payload: object) {
  const bytes = Buffer.from(JSON.stringify({ ...base, hook_event_name: event, ...payload }));
  const { answer: native, afterwards } = await dispatchNative(ports, event, bytes, new AbortController().signal);
  afterwards();
  return JSON.parse(native.body) as Record<string, never>;
}
const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });
const pre = (command: string, id = 'toolu_1') => send('PreToolUse', { ...bash(command), tool_use_id: id });
const post = (command: string, id = 'toolu_1') =>
  send('PostToolUse', { ...bash(command), tool_use_id: id, tool_response: { stdout: '' } });
const permission = (command: string) => send('PermissionRequest', bash(command));
const behaviour = (body: Record<string, never>) =>
  (body as { hookSpecificOutput?: { decision?: { behavior?: string } } }).hookSpecificOutput?.decision?.behavior;

describe("the agent's own permission request", () => {
  it('is put to a person, and their yes grants exactly this', async () => {
    await pre('touch a');
    expect(behaviour(await permission('touch a'))).toBe('allow');
    expect(asked.map((question) => question.askedBy[0]?.who)).toEqual(['Claude Code']);
    answer = { answer: 'deny', why: 'the user said no: later' };
    const denied = await permission('touch a');
    expect(behaviour(denied)).toBe('deny');
    expect(JSON.stringify(denied)).toContain('later');
  });

  it('one call, one prompt: a yes that a hook asked for answers it, once', async () => {
    hooks.add('g', 'command.before', decides('request_approval'));
    await pre('touch a');
    expect(behaviour(await permission('touch a'))).toBe('allow');
    expect(asked).toHaveLength(1);
    await permission('touch a');
    expect(asked).toHaveLength(2);
  });

  it('a yes that no permission request came for is gone with its call', async () => {
    hooks.add('g', 'command.before', decides('request_approval'));
    await pre('touch a');
    await post('touch a');
    answer = { answer: 'deny', why: 'no' };
    expect(behaviour(await permission('touch a'))).toBe('deny');
  });

  it('yes for the run answers all that follow for exactly these arguments', async () => {
    answer = { answer: 'run' };
    await pre('touch a');
    await permission('touch a');
    await permission('touch a');
    expect(asked).toHaveLength(1);
  });

  it('a form that no guard has seen is judged first: denied, asked about with the guards named, never changed', async () => {
    hooks.add('g', 'command.before', (event) => {
      const { command } = event.data['args'] as { command: string };
      if (command === 'evil') return decides('deny', { reason: 'evil' });
      if (command === 'odd') return decides('request_approval', { reason: 'odd' });
      if (command === 'old') return decides('modify', { mutations: { args: { command: 'new' } } });
      return decides('allow');
    });
    expect(behaviour(await permission('evil'))).toBe('deny');
    expect(behaviour(await permission('old'))).toBe('deny');
    expect(asked).toHaveLength(0);
    expect(behaviour(await permission('odd'))).toBe('allow');
    expect(asked[0]?.askedBy.map((who) => who.who)).toEqual(['Claude Code', 'global:g']);
  });

  it('arguments without a canonical form are denied', async () => {
    expect(behaviour(await permission('\ud800'))).toBe('deny');
    expect(asked).toHaveLength(0);
  });
});

describe('what the gate does not take at its word', () => {
  const decision = (body: Record<string, never>) =>
    (body as { hookSpecificOutput?: { permissionDecision?: string } }).hookSpecificOutput?.permissionDecision;
  const executed = () => reports.flatMap((report) => (report.kind === 'executed' ? [report.asJudged] : []));

  it('a second dispatch for a call with other arguments is refused, and covers nothing up', async () => {
    await pre('touch original');
    expect(decision(await pre('touch rewritten'))).toBe('deny');
    await post('touch rewritten');
    expect(executed()).toEqual([false]);
    expect(reports.some((report) => report.kind === 'tampering')).toBe(true);
  });

  it('the same dispatch again is judged again', async () => {
    expect(decision(await pre('touch a'))).toBeUndefined();
    expect(decision(await pre('touch a'))).toBeUndefined();
    expect(reports.some((report) => report.kind === 'tampering')).toBe(false);
  });

  it("a command is judged from the folder that the agent's shell stands in, and from the workspace", async () => {
    const seen: unknown[] = [];
    hooks.add('g', 'file.before_write', (event) => {
      seen.push(event.data['paths']);
      return decides('allow');
    });
    await send('PreToolUse', { ...bash('echo x > config'), tool_use_id: 'toolu_9', cwd: '/workspace/.git' });
    expect(seen).toEqual([['config', '/workspace/.git/config']]);
  });
});

describe('other events', () => {
  it('changed settings are refused and shown as tampering', async () => {
    const body = Buffer.from(
      JSON.stringify({ ...base, hook_event_name: 'ConfigChange', source: 'user_settings', file_path: '/f' }),
    );
    const { answer: native } = await dispatchNative(ports, 'ConfigChange', body, new AbortController().signal);
    expect(native.exit).toBe(2);
    expect(reports.map((report) => report.kind)).toEqual(['tampering']);
  });

  it('the end of a turn: allowed, sent back, bounded also when it cannot be judged', async () => {
    const stop = (active: boolean) => send('Stop', { stop_hook_active: active, last_assistant_message: 'done' });
    expect(await stop(false)).not.toHaveProperty('decision');
    hooks.add('t', 'turn.stopping', FAILS, { needs: { decisions: ['deny'] } });
    expect(await stop(false)).toMatchObject({ decision: 'block' });
    ports = { ...ports, snapshot: () => Promise.reject(new Error('gone')) };
    const answers = [];
    for (let i = 0; i < 5; i += 1) answers.push('decision' in (await stop(true)));
    expect(answers).toEqual([true, true, false, false, false]);
    expect(ports.session.engine.turnsPassedAfterDenials).toBe(3);
  });

  it('a session begins and ends, and observers see it and every call after its answer', async () => {
    const observing = { mode: 'observational', needs: { decisions: ['allow'] } };
    for (const point of [
      'session.start',
      'session.end',
      'tool.before',
      'command.before',
      'tool.after',
      'command.after',
      'file.after_write',
      'turn.stopping',
    ] as const) {
      hooks.add(point.replaceAll(/[._]/g, '-'), point, decides('allow'), observing);
    }
    await send('SessionStart', { source: 'startup' });
    await pre('echo x > f');
    await post('echo x > f');
    await send('Stop', { stop_hook_active: false });
    await send('SessionEnd', { reason: 'other' });
    expect(await ports.session.observers.drain()).toBe(0);
    expect(hooks.ran.map((one) => one.id).sort()).toEqual([
      'command-after',
      'command-before',
      'file-after-write',
      'session-end',
      'session-start',
      'tool-after',
      'tool-before',
      'turn-stopping',
    ]);
  });

  it('a large result is cut in what observers get', async () => {
    hooks.add('o', 'tool.after', decides('allow'), { mode: 'observational', needs: { decisions: ['allow'] } });
    await pre('x');
    await send('PostToolUse', { ...bash('x'), tool_use_id: 'toolu_1', tool_response: { stdout: 'y'.repeat(100_000) } });
    await ports.session.observers.drain();
    expect(JSON.stringify(hooks.ran[0]?.event.data).length).toBeLessThan(70_000);
  });
});

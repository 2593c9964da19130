/** Whole runs of the real practice agent through the desk, with a person who answers as a window would. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../../shared/bridge/channels.js';
import type { PromptView } from '../../../shared/bridge/views.js';
import { processesOfRun } from '../../../electron/core/spawn/run-marker.js';
import { bundledPracticeAgent, newDesk, script, shell, type TestDesk } from '../../support/desk.js';
import { writeProgram } from '../../support/processes.js';

const agent = bundledPracticeAgent();

const digestOf = (prompt: PromptView) => (prompt.kind === 'trust' ? prompt.subject.digest : prompt.digest);
const approve = (them: TestDesk, prompt: PromptView) =>
  them.ask('prompts.answer', { id: prompt.id, shownDigest: digestOf(prompt), answer: { kind: 'approve' } });
const deny = (them: TestDesk, prompt: PromptView, message = '') =>
  them.ask('prompts.answer', { id: prompt.id, shownDigest: digestOf(prompt), answer: { kind: 'deny', message } });
const practice = async (them: TestDesk) => (await them.ask('workspaces.practice', null)).id;

/** Puts global hooks into the state folder. */
function putHooks(them: TestDesk, ...hooks: object[]): void {
  writeFileSync(path.join(them.state.hooksDir, 'global.json'), JSON.stringify({ schema_version: 1, hooks }));
}
const hook = (id: string, handler: object, more: object = {}) => ({
  ...{ schema_version: 1, id, name: id, point: 'command.before', scope: 'global', mode: 'blocking', handler },
  ...more,
});
const ASKING = hook(
  'ask',
  {
    kind: 'command',
    argv: ['printf', '%s', '{"schema_version":1,"action":"request_approval","reason":"look at it"}'],
  },
  { needs: { decisions: ['request_approval'] } },
);

describe('a practice run through the desk', () => {
  it('asks for trust, denies one call, asks about another, and ends red with the leak that was planted', async () => {
    const them = await newDesk(agent());
    const told: EventOf<'runs.events'>['events'] = [];
    const phases: string[] = [];
    them.desk.on('runs.events', ({ events }) => told.push(...events));
    them.desk.on('runs.changed', (run) => phases.push(run.phase));
    const place = await them.ask('workspaces.practice', null);
    const runId = await them.launch({ workspaceId: place.id });

    const trust = await them.prompt('trust');
    expect(trust).toMatchObject({ runId, subject: { state: 'unapproved', kind: 'hook-argv' } });
    expect(trust.subject.argv[0]).toBe('printf');
    expect(them.desk.live()).toMatchObject([{ id: runId, phase: 'awaiting_approval', waiting: 1, own: true }]);
    expect(await approve(them, trust)).toEqual({ ok: true });

    const question = await them.prompt('question');
    expect(question).toMatchObject({
      runId,
      agent: 'Practice agent',
      toolName: 'shell',
      args: [{ name: 'command', text: 'echo published > published.txt', flags: [] }],
      askedBy: [{ who: 'session:ask-before-publish', reason: 'publishing needs a person' }],
    });
    expect(question.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(question.deniedAt - question.openedAt).toBeCloseTo(600, -1);
    const during = await them.ask('runs.show', { runId });
    expect(during?.summary).toMatchObject({ phase: 'waiting_for_approval', waiting: 1 });
    expect(during?.events.length).toBeGreaterThan(3);
    expect(await approve(them, question)).toEqual({ ok: true });

    expect(await them.done(runId)).toMatchObject({ colour: 'red', outcome: 'succeeded', own: false });
    expect(existsSync(path.join(place.path, 'published.txt'))).toBe(true);
    expect(existsSync(path.join(place.path, '.env'))).toBe(false);
    const after = await them.ask('runs.show', { runId });
    expect(after?.record.facts).toMatchObject({ denials: 1, approvalsGranted: 1, guarded: 4 });
    expect(after?.traces.length).toBeGreaterThan(0);
    expect(after?.record.exitScan).toMatchObject({ state: 'leaked', leaked: 1, redactionFailed: 0 });
    expect(after?.findings).toMatchObject([{ rule: 'practice-secret', origin: 'leaked', part: 'agent_state' }]);
    expect(JSON.stringify(after)).not.toMatch(/practice_secret_[0-9a-f]/);
    // What was told live, in its batches, is what is stored.
    expect(told).toEqual(after?.events);
    expect(new Set(phases)).toEqual(
      new Set([
        ...['preflight', 'awaiting_approval', 'starting', 'running'],
        ...['waiting_for_approval', 'scanning', 'done'],
      ]),
    );
    const raw = await them.ask('runs.raw', { runId, stream: 'stdout', offset: 0 });
    expect(raw?.text).toContain('"type":"begin"');
    expect(raw?.next).toBeNull();
    expect(await them.ask('approvals.list', null)).toEqual(
      expect.arrayContaining([expect.objectContaining({ surface: 'dialog', title: trust.subject.title })]),
    );
    expect(them.faults).toEqual([]);
  });

  it('a no reaches the agent with its message', async () => {
    const them = await newDesk(agent());
    const place = await them.ask('workspaces.practice', null);
    const runId = await them.launch({ workspaceId: place.id });
    await approve(them, await them.prompt('trust'));
    await deny(them, await them.prompt('question'), 'not on a Friday');
    const run = await them.done(runId);
    expect(run.outcome).toBe('succeeded');
    expect(existsSync(path.join(place.path, 'published.txt'))).toBe(false);
    const detail = await them.ask('runs.show', { runId });
    expect(detail?.record.facts.approvalsDenied).toBe(1);
    const raw = await them.ask('runs.raw', { runId, stream: 'stdout', offset: 0 });
    expect(raw?.text).toContain('the user said no: not on a Friday');
  });

  it('a hook that was denied trust is left out and named; the agent is not asked by it', async () => {
    const them = await newDesk(agent());
    const runId = await them.launch({ workspaceId: await practice(them) });
    await deny(them, await them.prompt('trust'));
    await them.done(runId);
    const detail = await them.ask('runs.show', { runId });
    expect(detail?.record.notices.join('\n')).toMatch(/ask-before-publish.*was not approved, so it is left out/);
  });

  it('yes for the run is asked once for the same call, and again for another', async () => {
    const them = await newDesk(agent());
    putHooks(them, ASKING);
    const runId = await them.launch({ prompt: script(shell('echo 1'), shell('echo 1'), shell('echo 2')) });
    await approve(them, await them.prompt('trust'));
    const first = await them.prompt('question');
    const answer = { id: first.id, shownDigest: first.digest, answer: { kind: 'approve-for-run' as const } };
    expect(await them.ask('prompts.answer', answer)).toEqual({ ok: true });
    const second = await them.prompt('question');
    expect(second.args[0]?.text).toBe('echo 2');
    await approve(them, second);
    expect((await them.done(runId)).colour).toBe('green');
    expect((await them.ask('runs.show', { runId }))?.record.facts.approvalsGranted).toBe(2);
  });
});

describe('an answer', () => {
  it('counts only for the digest that was shown, and only once', async () => {
    const them = await newDesk(agent());
    const runId = await them.launch({ workspaceId: await practice(them) });
    const trust = await them.prompt('trust');
    const stale = `sha256:${'0'.repeat(64)}`;
    const yes = { kind: 'approve' as const };
    expect(await them.ask('prompts.answer', { id: trust.id, shownDigest: stale, answer: yes })).toMatchObject({
      ok: false,
      text: expect.stringContaining('changed after it was shown') as string,
    });
    const forRun = { id: trust.id, shownDigest: trust.subject.digest, answer: { kind: 'approve-for-run' as const } };
    expect(await them.ask('prompts.answer', forRun)).toMatchObject({ ok: false });
    expect(them.desk.prompts()).toHaveLength(1);
    // Two windows answer the same prompt at the same moment.
    const both = await Promise.all([approve(them, trust), deny(them, trust)]);
    expect(both.filter((one) => one.ok)).toHaveLength(1);
    expect(both[0]).toEqual({ ok: true });
    const question = await them.prompt('question');
    expect(await them.ask('prompts.answer', { id: question.id, shownDigest: stale, answer: yes })).toMatchObject({
      ok: false,
    });
    await approve(them, question);
    expect(await approve(them, question)).toMatchObject({ ok: false });
    expect((await them.done(runId)).colour).toBe('red');
  });

  it('to a script that was edited while it was shown is refused, and the new content is shown', async () => {
    const them = await newDesk(agent());
    const guard = writeProgram(them.home, 'guard.sh', '#!/bin/sh\nexit 0\n');
    putHooks(them, hook('guard', { kind: 'command', argv: [guard] }));
    const runId = await them.launch({ prompt: script(shell('echo 1')) });
    const shown = await them.prompt('trust');
    writeFileSync(guard, '#!/bin/sh\nexit 0 # other\n');
    expect(await approve(them, shown)).toMatchObject({ ok: false });
    const again = await them.prompt('trust');
    expect(again.id).toBe(shown.id);
    expect(again.subject.digest).not.toBe(shown.subject.digest);
    expect(await them.ask('approvals.list', null)).toHaveLength(1);
    expect(await approve(them, again)).toEqual({ ok: true });
    expect((await them.done(runId)).colour).toBe('green');

    // Changed after the approval: the next launch asks with the difference.
    writeFileSync(guard, '#!/bin/sh\nexit 0 # a third one\n');
    const next = await them.launch({ prompt: script(shell('echo 1')) });
    const changed = await them.prompt('trust');
    expect(changed.subject.state).toBe('changed');
    const sides = (side: string) => changed.subject.diff.filter((line) => line.side === side).map((line) => line.text);
    expect(sides('old').join()).toContain('"digest": "sha256:');
    expect(sides('new').join()).toContain('"digest": "sha256:');
    expect(sides('same').join()).toContain('guard.sh');
    them.desk.dismissPrompt(changed.id);
    await them.done(next);
    expect(them.faults).toEqual([]);
  });

  it('that never comes is a no: time-outs, closed windows', async () => {
    const them = await newDesk(agent(), { trustSeconds: 0.2 });
    const runId = await them.launch({ workspaceId: await practice(them) });
    expect(await them.done(runId)).toMatchObject({ outcome: 'denied', colour: 'red' });
    const detail = await them.ask('runs.show', { runId });
    expect(detail?.record.reason).toContain('nobody answered');
    expect(detail?.record.agentPid).toBeNull();
  });

  it('to a question: a closed window, and the time that the profile gives', async () => {
    const them = await newDesk(agent());
    writeFileSync(
      path.join(them.state.profilesDir, 'quick.json'),
      JSON.stringify({ schema_version: 1, name: 'quick', agent: 'practice', approval_timeout_seconds: 1 }),
    );
    putHooks(them, ASKING);
    const first = await them.launch({ prompt: script(shell('echo 1 > one')) });
    await approve(them, await them.prompt('trust'));
    them.desk.dismissPrompt((await them.prompt('question')).id);
    await them.done(first);
    const second = await them.launch({ profile: 'quick', prompt: script(shell('echo 2 > two')) });
    const question = await them.prompt('question');
    await them.done(second);
    expect(await approve(them, question)).toMatchObject({ ok: false });
    expect(them.desk.prompts()).toEqual([]);
    for (const name of ['one', 'two']) expect(existsSync(path.join(them.workspace, name))).toBe(false);
    const reasons = async (runId: string) => JSON.stringify((await them.ask('runs.show', { runId }))?.events);
    expect(await reasons(first)).toContain('the question was closed without an answer');
    expect(await reasons(second)).toContain('nobody answered within 1 s');
  });
});

describe('what a question shows', () => {
  const ASK_WRITES = { ...ASKING, point: 'file.before_write' };
  const write = (file: string, content: string) => ({ tool: 'write', input: { path: file, content } });

  it('a file write beside the present file, hidden characters as escapes, and long texts with what is missing', async () => {
    const them = await newDesk(agent());
    putHooks(them, ASK_WRITES);
    writeFileSync(path.join(them.workspace, 'notes.txt'), ['a', 'b', 'c', 'd', 'e', 'f', 'old', 'tail', ''].join('\n'));
    const runId = await them.launch({
      prompt: script(
        write('notes.txt', ['a', 'b', 'c', 'd', 'e', 'f', 'new\u202e', 'tail', ''].join('\n')),
        write('fresh.txt', `${'x'.repeat(30_000)}secret-end`),
      ),
    });
    await approve(them, await them.prompt('trust'));
    const first = await them.prompt('question');
    expect(first.args).toEqual([
      { name: 'path', text: 'notes.txt', flags: [] },
      {
        name: 'content (beside the present file: - goes, + comes)',
        text: ['  [3 unchanged line(s)]', '  d', '  e', '  f', '- old', '+ new\\u{202e}', '  tail', '  '].join('\n'),
        flags: ['bidirectional'],
      },
    ]);
    await deny(them, first);
    const second = await them.prompt('question');
    expect(second.args[1]?.name).toBe('content (a new file)');
    expect(second.args[1]?.text).toMatch(/^x+\n\[… 10010 characters are NOT SHOWN here …\]\nx+secret-end$/);
    await deny(them, second);
    await them.done(runId);
  });

  it('no secret that the run knows', async () => {
    const them = await newDesk(agent());
    writeFileSync(
      path.join(them.state.profilesDir, 'keyed.json'),
      JSON.stringify({
        ...{ schema_version: 1, name: 'keyed', agent: 'practice' },
        environment: { DEPLOY_TOKEN: 'made-up-value-77' },
      }),
    );
    putHooks(them, ASKING);
    const runId = await them.launch({ profile: 'keyed', prompt: script(shell('echo made-up-value-77')) });
    await approve(them, await them.prompt('trust'));
    const question = await them.prompt('question');
    expect(question.args[0]?.text).toBe('echo [REDACTED:DEPLOY_TOKEN]');
    await approve(them, question);
    await them.done(runId);
    expect(JSON.stringify(await them.ask('runs.show', { runId }))).not.toContain('made-up-value-77');
  });
});

describe('stopping', () => {
  it('a run that is stopped in the window is grey, and only one that is played here can be', async () => {
    const them = await newDesk(agent());
    const runId = await them.launch({ prompt: script(shell('sleep 300')) });
    await expect.poll(() => processesOfRun(runId).length, { timeout: 20_000 }).toBeGreaterThan(1);
    expect(await them.ask('runs.stop', { runId })).toEqual({ ok: true });
    expect(await them.done(runId)).toMatchObject({ outcome: 'killed', colour: 'grey' });
    expect(processesOfRun(runId)).toEqual([]);
    expect(await them.ask('runs.stop', { runId })).toMatchObject({ ok: false });
    expect(await them.ask('runs.stop', { runId: 'run_x' })).toMatchObject({ ok: false });
  });

  it('quitting leaves no process, no prompt and no unfinished record', async () => {
    const them = await newDesk(agent());
    putHooks(them, ASKING);
    const waiting = await them.launch({ prompt: script(shell('echo 1 > one')) });
    await approve(them, await them.prompt('trust'));
    await them.prompt('question');
    const elsewhere = await them.ask('workspaces.practice', null);
    const trusting = await them.launch({ workspaceId: elsewhere.id });
    await them.prompt('trust');
    await them.desk.close();
    expect(them.desk.prompts()).toEqual([]);
    expect(them.desk.live()).toEqual([]);
    for (const id of [waiting, trusting]) {
      expect(processesOfRun(id)).toEqual([]);
      const record = JSON.parse(readFileSync(path.join(them.state.runsDir, id, 'run.json'), 'utf8')) as object;
      expect(record).toMatchObject({ phase: 'done', outcome: 'killed', reason: 'Sallyport is quitting' });
    }
    expect(existsSync(path.join(them.workspace, 'one'))).toBe(false);
    expect(existsSync(elsewhere.path)).toBe(false);
    await expect(them.launch({})).rejects.toThrow('no run is started any more');
  });
});

describe('limits', () => {
  it('a ninth live run is refused, and a second one in a workspace is named', async () => {
    const them = await newDesk(agent());
    const [first = '', ...others] = await Promise.all(
      Array.from({ length: 8 }, () => them.launch({ prompt: script(shell('sleep 300')) })),
    );
    expect(others).toHaveLength(7);
    const id = await them.offer();
    const input = {
      profile: 'practice',
      workspaceId: id,
      prompt: 'x',
      bypass: 'none',
      acceptGaps: false,
      workspaceConfig: 'exclude',
    } as const;
    expect(await them.ask('runs.launch', input)).toMatchObject({
      ok: false,
      text: expect.stringContaining('8 runs are live') as string,
    });
    const preflight = await them.ask('runs.preflight', input);
    expect(preflight.refused).toContain('8 runs are live');
    expect(preflight.notices.join()).toContain('another run is live in this workspace');
    await them.ask('runs.stop', { runId: first });
    await them.done(first);
    const next = await them.launch({ prompt: script(shell('true')) });
    await them.done(next);
    expect((await them.ask('runs.show', { runId: next }))?.record.notices.join()).toContain('another run is live');
  });
});

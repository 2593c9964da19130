/** Every channel of the desk: its answers fit their schemas, also for what is missing, broken or hostile. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { REQUESTS, type RequestOf } from '../../../shared/bridge/channels.js';
import type { DeskRequest } from '../../../electron/core/desk/ports.js';
import { EMPTY_FACTS } from '../../../shared/contracts/run.js';
import { newId } from '../../../shared/ids.js';
import { runFolder } from '../../../electron/core/store/run-folder.js';
import { bundledPracticeAgent, launchInput, newDesk, script, shell, type TestDesk } from '../../support/desk.js';
import { tempFolder, writeProgram } from '../../support/processes.js';
import { putRunFolder, runRecord, trace } from '../../support/runs.js';

const agent = bundledPracticeAgent();

type Requests = { readonly [N in DeskRequest]: readonly RequestOf<N>[] };

/** One or more requests to each channel; an id that nobody gave out is among them wherever there is an id. */
async function requestsFor(them: TestDesk, runId: string): Promise<Requests> {
  const input = await launchInput(them.offer, { prompt: script(shell('true')) });
  const settings = await them.ask('settings.get', null);
  const digest = `sha256:${'0'.repeat(64)}`;
  return {
    'app.info': [null],
    'app.firstStartDone': [null],
    'app.starterPolicy': [null],
    'app.installStarterPolicy': [null, null],
    'agents.list': [null],
    'workspaces.recent': [null],
    'workspaces.practice': [null],
    'runs.preflight': [input, { ...input, workspaceId: 'ws_x' }, { ...input, profile: '../x' }],
    'runs.launch': [
      input,
      { ...input, workspaceId: 'ws_x' },
      { ...input, profile: 'nobody' },
      { ...input, prompt: ' ' },
    ],
    'runs.stop': [{ runId: 'run_x' }, { runId }],
    'runs.list': [{ limit: 1 }, { limit: 10_000 }],
    'runs.show': [{ runId }, { runId: '../../etc' }, { runId: newId('run') }],
    'runs.raw': [
      { runId, stream: 'stdout', offset: 0 },
      { runId, stream: 'stderr', offset: 1_000_000 },
      { runId: '..', stream: 'stdout', offset: 0 },
      { runId: newId('run'), stream: 'stdout', offset: 0 },
    ],
    'receipts.show': [{ runId }, { runId: '../../etc' }, { runId: newId('run') }],
    'receipts.verify': [{ runId }, { runId: '..' }, { runId: newId('run') }],
    'prompts.list': [null],
    'prompts.answer': [
      { id: 'ask_x', shownDigest: digest, answer: { kind: 'approve' } },
      { id: 'ask_x', shownDigest: digest, answer: { kind: 'deny', message: 'no' } },
    ],
    'approvals.list': [null],
    'approvals.revoke': [
      { kind: 'hook-argv', key: 'hook-argv x', digest },
      { kind: 'nothing', key: '', digest: '' },
    ],
    'registry.show': [{ profile: null }, { profile: 'practice' }, { profile: '../x' }],
    'doctor.run': [null],
    'settings.get': [null],
    'settings.set': [settings, { ...settings, theme: 'dark' }, { ...settings, defaultProfile: 'nobody' }],
  };
}

describe('every channel', () => {
  it('answers in its form; together they are all that the bridge declares', async () => {
    const them = await newDesk(agent());
    const record = runRecord({ facts: { ...EMPTY_FACTS, unguarded: ['call-1 (Bash)'] } });
    await putRunFolder(them.state, record, {
      traces: [trace({ run_id: record.id }), trace()],
      events: [{ at: 1, kind: 'notice', text: 'x' }],
    });
    const requests = await requestsFor(them, record.id);
    const electronOnly = ['workspaces.pick', 'clipboard.write'];
    expect(Object.keys(requests).sort()).toEqual(
      Object.keys(REQUESTS)
        .filter((name) => !electronOnly.includes(name))
        .sort(),
    );
    expect(Object.keys(them.desk.handlers).sort()).toEqual(Object.keys(requests).sort());
    for (const [name, list] of Object.entries(requests))
      for (const request of list) {
        const handler = them.desk.handlers[name as DeskRequest] as (request: unknown) => Promise<unknown>;
        const answer = REQUESTS[name as DeskRequest].answer.safeParse(await handler(request));
        expect(answer.error, `${name} ${JSON.stringify(request)}`).toBeUndefined();
      }
    const [first = record] = await them.ask('runs.list', { limit: 1 });
    await them.done(first.id);
    expect(them.faults).toEqual([]);
  });
});

describe('what the window may name', () => {
  it('is a folder that was chosen, as it was', async () => {
    const them = await newDesk(agent());
    const folder = path.join(tempFolder(), 'project');
    mkdirSync(folder);
    const link = path.join(tempFolder(), 'link');
    symlinkSync(folder, link);
    const view = await them.desk.offerWorkspace(link);
    expect(view.path).toBe(folder);
    expect(await them.ask('workspaces.recent', null)).toEqual([view]);
    await expect(them.desk.offerWorkspace(path.join(folder, 'none'))).rejects.toThrow();
    // Remembered by the next desk of the same folder.
    const next = await newDesk(agent(), { state: them.state });
    expect(await next.ask('workspaces.recent', null)).toEqual([view]);
    renameSync(folder, `${folder}-moved`);
    symlinkSync('/etc', folder);
    await expect(next.launch({ workspaceId: view.id })).rejects.toThrow('leads somewhere else now');
  });
});

describe('runs.list and runs.show', () => {
  it('know the runs of other owners, newest first, and read of each no more than they show', async () => {
    const them = await newDesk(agent());
    const [old, young, broken] = [
      runRecord({ createdAt: 5 }),
      runRecord({ createdAt: 9 }),
      runRecord({ createdAt: 7 }),
    ];
    const alive = runRecord({ createdAt: 8, phase: 'running', outcome: null, endedAt: null, ownerPid: process.pid });
    for (const record of [old, young, broken, alive]) await putRunFolder(them.state, record);
    writeFileSync(path.join(runFolder(them.state, broken.id), 'run.json'), '{');
    const ids = (await them.ask('runs.list', { limit: 10 })).map((run) => run.id);
    expect(ids).toEqual([young.id, alive.id, old.id]);
    expect(await them.ask('runs.list', { limit: 1 })).toHaveLength(1);
    expect((await them.ask('runs.list', { limit: 10 }))[1]).toMatchObject({
      own: false,
      phase: 'running',
      colour: 'live',
    });

    const events = path.join(runFolder(them.state, old.id), 'events.jsonl');
    const line = (at: number) => JSON.stringify({ at, kind: 'notice', text: 'y'.repeat(at === 2_999 ? 50_000 : 10) });
    writeFileSync(events, `${Array.from({ length: 3_000 }, (_, at) => line(at)).join('\n')}\nnot json\n`);
    const shown = await them.ask('runs.show', { runId: old.id });
    expect(shown?.eventsCut).toBe(true);
    expect(shown?.events.length).toBe(1_999);
    expect(shown?.events.at(-1)?.['text']).toContain('30000 characters are NOT SHOWN here');
  });

  it('raw output comes in parts that never split a character', async () => {
    const them = await newDesk(agent());
    const record = runRecord();
    await putRunFolder(them.state, record);
    const text = 'é€😀'.repeat(60_000);
    writeFileSync(path.join(runFolder(them.state, record.id), 'stdout.log'), text);
    let [read, offset, parts] = ['', 0 as number | null, 0];
    while (offset !== null) {
      const part = await them.ask('runs.raw', { runId: record.id, stream: 'stdout', offset });
      read += part?.text ?? '';
      offset = part?.next ?? null;
      parts += 1;
    }
    expect(parts).toBeGreaterThan(2);
    expect(read).toBe(text);
  });
});

describe('registry.show', () => {
  const hook = (id: string, handler: object, more: object = {}) => ({
    ...{ schema_version: 1, id, name: id, point: 'command.before', scope: 'global', mode: 'blocking', handler },
    ...more,
  });

  it('tells each hook with state and reason', async () => {
    const them = await newDesk(agent());
    const guard = writeProgram(them.home, 'guard.sh', '#!/bin/sh\nexit 0\n');
    const hooks = [
      hook('builtin', { kind: 'builtin', builtin: 'forbidden-path' }, { point: 'file.before_write' }),
      hook('guard', { kind: 'command', argv: [guard, '--strict'] }),
      hook('gone', { kind: 'command', argv: ['no-such-program-here'] }),
      hook('off', { kind: 'command', argv: ['true'] }, { enabled: false }),
    ];
    writeFileSync(path.join(them.state.hooksDir, 'global.json'), JSON.stringify({ schema_version: 1, hooks }));
    const states = async () => {
      const { hooks: shown } = await them.ask('registry.show', { profile: 'practice' });
      return Object.fromEntries(shown.map((one) => [one.id, one.state]));
    };
    expect(await states()).toEqual({ builtin: 'active', guard: 'inert', gone: 'broken', off: 'off' });

    const runId = await them.launch({ prompt: script(shell('true')) });
    const trust = await them.prompt('trust');
    await them.ask('prompts.answer', {
      id: trust.id,
      shownDigest: trust.subject.digest,
      answer: { kind: 'approve' },
    });
    await them.done(runId);
    expect((await states())['guard']).toBe('active');
    writeFileSync(guard, '#!/bin/sh\nexit 1\n');
    expect((await states())['guard']).toBe('changed');
    writeFileSync(guard, '#!/bin/sh\nexit 0\n');
    const record = (await them.ask('approvals.list', null)).find((one) => one.digest === trust.subject.digest);
    const { kind = '', key = '', digest = '' } = record ?? {};
    expect(await them.ask('approvals.revoke', { kind, key, digest })).toEqual({ ok: true });
    expect(await them.ask('approvals.revoke', { kind, key, digest })).toMatchObject({ ok: false });
    expect((await states())['guard']).not.toBe('active');

    writeFileSync(path.join(them.state.hooksDir, 'global.json'), '{"schema_version": 1,\n"hooks": 3}');
    const broken = await them.ask('registry.show', { profile: null });
    expect(broken.faults[0]).toMatchObject({ line: 2 });
    const preflight = await them.ask('runs.preflight', await launchInput(them.offer, {}));
    expect(preflight.refused).toContain('the registry has faults');
  });

  it('the starter policy is explained, installed once, and never over another hook', async () => {
    const them = await newDesk(agent());
    const file = path.join(them.state.hooksDir, 'global.json');
    const example = JSON.parse(readFileSync('examples/starter-policy.json', 'utf8')) as { id: string };
    expect(await them.ask('app.starterPolicy', null)).toMatchObject({ id: example.id, installed: false });
    expect(await them.ask('app.installStarterPolicy', null)).toEqual({ ok: true });
    const written = readFileSync(file, 'utf8');
    expect(JSON.parse(written)).toEqual({ schema_version: 1, hooks: [example] });
    expect(await them.ask('app.installStarterPolicy', null)).toEqual({ ok: true });
    expect(readFileSync(file, 'utf8')).toBe(written);
    expect((await them.ask('app.starterPolicy', null)).installed).toBe(true);
    const other = { ...example, mode: 'observational' };
    writeFileSync(file, JSON.stringify({ schema_version: 1, hooks: [other] }));
    expect(await them.ask('app.installStarterPolicy', null)).toMatchObject({ ok: false });
  });
});

describe('settings and what the app remembers', () => {
  it('last, are told, and survive a damaged file', async () => {
    const them = await newDesk(agent());
    const told: string[] = [];
    them.desk.on('settings.changed', ({ theme }) => told.push(theme));
    const before = await them.ask('settings.get', null);
    expect(await them.ask('settings.set', { ...before, theme: 'dark' })).toEqual({ ok: true });
    expect(await them.ask('settings.set', { ...before, defaultProfile: 'nobody' })).toMatchObject({ ok: false });
    expect(told).toEqual(['dark']);
    expect((await them.ask('app.info', null)).firstStart).toBe(true);
    await them.ask('app.firstStartDone', null);

    const next = await newDesk(agent(), { state: them.state });
    expect((await next.ask('settings.get', null)).theme).toBe('dark');
    expect((await next.ask('app.info', null)).firstStart).toBe(false);

    writeFileSync(path.join(them.state.dir, 'settings.json'), '{"theme":"pink"}');
    const third = await newDesk(agent(), { state: them.state });
    expect(await third.ask('settings.get', null)).toEqual(before);
    const aside = readdirSync(them.state.dir).filter((name) => name.startsWith('settings.json.damaged-'));
    expect(readFileSync(path.join(them.state.dir, aside[0] ?? ''), 'utf8')).toBe('{"theme":"pink"}');
    const files = (await third.ask('doctor.run', null)).filter((finding) => finding.section === 'files');
    expect(files).toMatchObject([{ state: 'person', text: expect.stringContaining(aside[0] ?? 'none') as string }]);
  });
});

describe('an agent that is installed', () => {
  it('is looked at without being started', async () => {
    const them = await newDesk(agent());
    const marker = path.join(them.home, 'was-started');
    const bin = path.join(them.home, 'bin');
    mkdirSync(bin);
    const program = writeProgram(bin, 'claude', `#!/bin/sh\necho started >> '${marker}'\necho 2.1.200\n`);
    writeFileSync(path.join(them.home, '.profile'), `PATH='${bin}':/usr/local/bin:/usr/bin:/bin\n`);
    mkdirSync(path.join(them.workspace, '.claude'));
    writeFileSync(path.join(them.workspace, '.claude', 'settings.json'), '{"hooks":{}}');
    writeFileSync(path.join(them.workspace, 'CLAUDE.md'), 'hello');

    const view = await them.ask('runs.preflight', await launchInput(them.offer, { profile: 'claude-code' }));
    expect(view).toMatchObject({ refused: null, agent: 'Claude Code', program });
    expect(view.subjects).toMatchObject([{ kind: 'agent-program', state: 'unapproved', program }]);
    expect(view.foreign.map((finding) => path.relative(them.workspace, finding.path)).sort()).toEqual([
      '.claude/settings.json',
      'CLAUDE.md',
    ]);
    expect(view.gaps.some((gap) => gap.kind === 'route')).toBe(true);
    expect(view.notices.join()).toContain('was not measured');
    const bypass = { profile: 'claude-code', bypass: 'no_sandbox' } as const;
    expect((await them.ask('runs.preflight', await launchInput(them.offer, bypass))).refused).toContain('no_sandbox');
    const agents = await them.ask('agents.list', null);
    expect(agents.find((one) => one.profile === 'claude-code')).toMatchObject({
      program,
      version: null,
      measured: false,
    });
    expect(agents.find((one) => one.profile === 'practice')).toMatchObject({ version: '1.0.0', measured: true });
    // Every known agent can be picked, also one that is not installed here.
    expect(agents.map((one) => one.profile)).toEqual(['claude-code', 'codex', 'practice']);
    expect(agents.find((one) => one.profile === 'codex')).toMatchObject({
      ...{ title: 'Codex', program: null, bypassLevels: ['none', 'no_sandbox'] },
      note: expect.stringContaining('Codex was not found') as string,
    });
    expect((await them.ask('doctor.run', null)).map((finding) => finding.text).join('\n')).toContain(program);
    expect(existsSync(marker)).toBe(false);

    // Denied at the trust dialog: still not started.
    const runId = await them.launch({ profile: 'claude-code' });
    const trust = await them.prompt('trust');
    expect(trust.subject.program).toBe(program);
    them.desk.dismissPrompt(trust.id);
    expect(await them.done(runId)).toMatchObject({ outcome: 'denied' });
    expect(existsSync(marker)).toBe(false);
  });

  it('that is replaced while it is asked about is not started in its new form', async () => {
    const them = await newDesk(agent());
    const marker = path.join(them.home, 'was-started');
    const bin = path.join(them.home, 'bin');
    mkdirSync(bin);
    writeProgram(bin, 'claude', '#!/bin/sh\necho 2.1.200\n');
    writeFileSync(path.join(them.home, '.profile'), `PATH='${bin}':/usr/local/bin:/usr/bin:/bin\n`);
    const runId = await them.launch({ profile: 'claude-code' });
    const shown = await them.prompt('trust');
    writeProgram(bin, 'claude', `#!/bin/sh\necho started >> '${marker}'\n`);
    const yes = { id: shown.id, shownDigest: shown.subject.digest, answer: { kind: 'approve' as const } };
    expect(await them.ask('prompts.answer', yes)).toMatchObject({ ok: false });
    expect((await them.prompt('trust')).subject.digest).not.toBe(shown.subject.digest);
    expect(await them.ask('prompts.answer', yes)).toMatchObject({ ok: false });
    them.desk.dismissPrompt(shown.id);
    expect(await them.done(runId)).toMatchObject({ outcome: 'denied' });
    expect(existsSync(marker)).toBe(false);
  });

  it('that is not there is told with what to do', async () => {
    const them = await newDesk(agent());
    const view = await them.ask('runs.preflight', await launchInput(them.offer, { profile: 'claude-code' }));
    expect(view.refused).toMatch(/Claude Code was not found .* Install it/);
    expect(view.program).toBeNull();
  });
});

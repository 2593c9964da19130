import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { OpenIndex } from '../../../electron/cli/command-index.js';
import { hookTraces } from '../../../electron/cli/commands/hook-traces.js';
import { runsList } from '../../../electron/cli/commands/runs-list.js';
import { runsShow } from '../../../electron/cli/commands/runs-show.js';
import type { CommandContext } from '../../../electron/cli/context.js';
import { openIndex, type IndexClient } from '../../../electron/core/store/index-client.js';
import type { StateFolder } from '../../../electron/core/store/layout.js';
import { EMPTY_FACTS, type RunRecord } from '../../../shared/contracts/run.js';
import { bundledIndexWorker } from '../../support/workers.js';
import { tempFolder } from '../../support/processes.js';
import { putRunFolder, runRecord, stateIn, trace } from '../../support/runs.js';

const workerUrl = bundledIndexWorker();
const NOW = 1_800_000_000;

/** The real index. */
const realIndex: OpenIndex = async (_context, state) => {
  const index = await openIndex(state, { workerUrl: workerUrl() });
  if (!index.ok) throw new Error(index.error);
  return index.value;
};

/** None can be had: what the command itself does then is to look for a worker that is not there. */
const noIndex = undefined;

function terminal(stateDir: string, json = false) {
  const written = { out: '', err: '' };
  const context: CommandContext = {
    io: { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough(), env: {} },
    stateDir,
    json,
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
  };
  return { context, written };
}

/** The pid of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn('true', { stdio: 'ignore' });
  await once(child, 'close');
  return child.pid ?? 0;
}

const cells = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

async function withRuns(...records: readonly RunRecord[]): Promise<StateFolder> {
  const state = await stateIn(tempFolder());
  for (const record of records) await putRunFolder(state, record);
  return state;
}

describe.each([
  ['through the index', realIndex],
  ['from the run folders', noIndex],
])('runs list, %s', (_name, open) => {
  it('shows each run on a line, newest first, made safe to read', async () => {
    const records = [
      runRecord({ createdAt: NOW - 7_300, prompt: 'first\nsecond' }),
      runRecord({ createdAt: NOW - 90, outcome: 'failed', prompt: 'x'.repeat(200), workspace: '/w\u202e' }),
      runRecord({ createdAt: NOW, phase: 'running', outcome: null, ownerPid: process.pid, agent: 'claude-code' }),
      runRecord({ createdAt: NOW - 9, phase: 'waiting_for_approval', outcome: null, ownerPid: await deadPid() }),
    ] as const;
    const state = await withRuns(...records);
    const { context, written } = terminal(state.dir);
    expect(await runsList(context, { limit: '20' }, NOW, open)).toBe(0);
    const rows = cells(written.out);
    const short = records.map((record) => record.id.slice(0, 12));
    expect(rows.map((row) => row[0])).toEqual(['ID', short[2], short[3], short[1], short[0]]);
    expect(rows[1]?.slice(2, 5)).toEqual(['running', 'live', 'claude-code']);
    expect(rows[2]?.[2]).toBe('left behind (its owner ended)');
    expect(rows[3]?.[2]).toBe('failed');
    expect(rows[3]?.[3]).toBe('red');
    expect(rows[3]?.[5]).toBe('/w\\u{202e}');
    expect(rows[3]?.[6]).toMatch(/^x{59}…$/);
    expect(rows[4]?.[1]).toMatch(/^2 h ago, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(rows[4]?.slice(2)).toEqual(['succeeded', 'green', 'practice', '/home/me/project', 'first…']);
    expect(written.err).toMatch(open === noIndex ? /the index cannot be used .* run folders/ : /^$/);
  });

  it('shows no more than asked for, and gives a stable document', async () => {
    const [old, young] = [runRecord({ createdAt: 1 }), runRecord({ createdAt: 2, outcome: 'killed' })];
    const state = await withRuns(old, young);
    const { context, written } = terminal(state.dir, true);
    expect(await runsList(context, { limit: '1' }, NOW, open)).toBe(0);
    expect(JSON.parse(written.out)).toEqual({
      schema_version: 1,
      runs: [{ colour: 'grey', exit_code: 130, why: ['the agent said so'], left_behind: false, record: young }],
      notices: [],
    });
  });

  it('names a folder that cannot be read', async () => {
    const [good, bad] = [runRecord(), runRecord()];
    const state = await withRuns(good, bad);
    writeFileSync(path.join(state.runsDir, bad.id, 'run.json'), '[]');
    const { context, written } = terminal(state.dir);
    expect(await runsList(context, { limit: '20' }, NOW, open)).toBe(0);
    expect(cells(written.out).map((row) => row[0])).toEqual(['ID', good.id.slice(0, 12)]);
    expect(written.err).toContain(`run ${bad.id} is left out of lists`);
  });
});

describe('runs list', () => {
  it('says what to do when there is none, and refuses a limit that is none', async () => {
    const { context, written } = terminal(tempFolder());
    expect(await runsList(context, { limit: '5' }, NOW, realIndex)).toBe(0);
    expect(written.out).toMatch(/^no runs yet; start one with: /);
    for (const limit of ['0', '-1', 'x', '1.5', '', '9999999']) {
      expect(await runsList(context, { limit }, NOW, realIndex)).toBe(2);
    }
    expect(written.err).toContain('--limit takes a whole number');
  });

  it('reads the folders, and says so, when the index fails in the middle', async () => {
    const run = runRecord();
    const state = await withRuns(run);
    const failing: OpenIndex = async (context, folder) => {
      const index = (await realIndex(context, folder)) as IndexClient;
      await index.close();
      return index;
    };
    const { context, written } = terminal(state.dir);
    expect(await runsList(context, { limit: '5' }, NOW, failing)).toBe(0);
    expect(written.out).toContain(run.id.slice(0, 12));
    expect(written.err).toMatch(/the index cannot be used .*the run folders are read instead/);
    const traces = terminal(state.dir);
    expect(await hookTraces(traces.context, { limit: '5' }, NOW, failing)).toBe(0);
    expect(traces.written.err).toMatch(/the run folders are read instead/);
  });

  it('says what is wrong with the state folder', async () => {
    const file = path.join(tempFolder(), 'file');
    writeFileSync(file, '');
    const { context, written } = terminal(file);
    expect(await runsList(context, { limit: '5' })).toBe(4);
    expect(await runsShow(context, 'x')).toBe(4);
    expect(await hookTraces(context, { limit: '5' })).toBe(4);
    expect(written.err).toContain('cannot be used');
  });
});

describe('runs show', () => {
  const facts = {
    ...EMPTY_FACTS,
    toolCalls: 5,
    denials: 1,
    guarded: 3,
    notExecuted: 1,
    unguarded: ['call-9 (Bash)'],
    tampering: ['somebody wrote into the gate'],
    coverageUnknown: null,
  };
  const run = () =>
    runRecord({
      createdAt: NOW - 30,
      startedAt: NOW - 29,
      endedAt: NOW - 10,
      prompt: 'two\nlines\u202e',
      gaps: [{ kind: 'route', what: 'sub-agents', why: 'not measured' }],
      notices: ['hook x was left out'],
      facts,
    });
  const events = [
    { at: NOW - 29, kind: 'phase', phase: 'waiting_for_approval', reason: null },
    { at: NOW - 28, kind: 'notice', text: 'hello\u0007' },
    {
      at: NOW - 27,
      kind: 'gate',
      report: { kind: 'judged', verdict: 'deny', toolName: 'Bash', args: {}, by: 'global:guard', reason: 'no' },
    },
    { at: NOW - 26, kind: 'agent', event: { kind: 'init' } },
  ];

  it('tells everything in plain words, and the timeline', async () => {
    const state = await stateIn(tempFolder());
    const record = run();
    await putRunFolder(state, record, { events, traces: [trace({ run_id: record.id })] });
    const { context, written } = terminal(state.dir);
    expect(await runsShow(context, record.id, NOW)).toBe(0);
    for (const text of [
      record.id,
      'amber',
      'call call-9 (Bash) ran without having passed the gate',
      'succeeded: the agent said so',
      'ended 10 s ago',
      'practice',
      'two\n',
      'lines\\u{202e}',
      '3 guarded, 1 not executed, 0 expected gap(s), 1 unguarded',
      'somebody wrote into the gate',
      'sub-agents (route): not measured',
      'hook x was left out',
      'exit scan: clean: no secret was found',
      'signed receipt, number 1, sha256:',
      'state    waiting for approval',
      'note     hello\\u{7}',
      'DENIED   Bash {}',
      'global:guard: no',
      path.join(state.runsDir, record.id),
    ]) {
      expect(written.out).toContain(text);
    }
    expect(written.out).not.toMatch(/[\u0007\u202e]/);
    expect(written.err).toBe('');
  });

  it('takes the beginning of an id, with or without run_, when it is enough', async () => {
    const [one, two] = [runRecord({ id: `run_${'a'.repeat(26)}` }), runRecord({ id: `run_ab${'a'.repeat(24)}` })];
    const state = await withRuns(one, two);
    for (const start of ['ab', 'run_ab', two.id]) {
      const { context, written } = terminal(state.dir, true);
      expect(await runsShow(context, start)).toBe(0);
      expect(JSON.parse(written.out)).toMatchObject({ record: two });
    }
    const { context, written } = terminal(state.dir);
    for (const start of ['a', 'run_', '', 'zz', '../x', 'run_%']) expect(await runsShow(context, start)).toBe(1);
    expect(written.err).toContain('"a" is the beginning of 2 runs');
    expect(written.err).toContain('there is no run "zz"');
    expect(written.err).toContain('sallyport runs list');
    expect(written.out).toBe('');
  });

  it('says that a run was left behind, and does not change it', async () => {
    const record = runRecord({ phase: 'running', outcome: null, reason: null, ownerPid: await deadPid() });
    const state = await withRuns(record);
    const file = path.join(state.runsDir, record.id, 'run.json');
    const before = [readFileSync(file, 'utf8'), statSync(file).mtimeMs];
    const { context, written } = terminal(state.dir);
    expect(await runsShow(context, record.id)).toBe(0);
    expect(written.out).toContain('left behind (its owner ended)');
    const json = terminal(state.dir, true);
    expect(await runsShow(json.context, record.id)).toBe(0);
    expect(JSON.parse(json.written.out)).toMatchObject({ left_behind: true, record: { phase: 'running' } });
    expect([readFileSync(file, 'utf8'), statSync(file).mtimeMs]).toEqual(before);
  });

  it('gives the document with every event, and counts the lines that are none', async () => {
    const state = await stateIn(tempFolder());
    const record = run();
    await putRunFolder(state, record, { events });
    const file = path.join(state.runsDir, record.id, 'events.jsonl');
    appendFileSync(
      file,
      '{"at":1,"kind":"gate"}\n{"at":1,"kind":"strange"}\n{"at":1,"kind":"phase","phase":3}\n[]\n{"half"',
    );
    const { context, written } = terminal(state.dir, true);
    expect(await runsShow(context, record.id)).toBe(0);
    expect(JSON.parse(written.out)).toEqual({
      schema_version: 1,
      colour: 'amber',
      exit_code: 0,
      why: expect.arrayContaining(['somebody wrote into the gate']) as string[],
      left_behind: false,
      record,
      findings: [],
      folder: path.join(state.runsDir, record.id),
      traces: 0,
      unreadable_traces: 0,
      events,
      unreadable_events: 5,
      events_fault: null,
    });
    const plain = terminal(state.dir);
    expect(await runsShow(plain.context, record.id)).toBe(0);
    expect(plain.written.out).toContain('5 line(s) of events.jsonl cannot be read');
  });

  it('follows no link in the place of the events, and says so', async () => {
    const record = runRecord();
    const state = await withRuns(record);
    const file = path.join(state.runsDir, record.id, 'events.jsonl');
    rmSync(file);
    symlinkSync('/etc/hostname', file);
    const { context, written } = terminal(state.dir);
    expect(await runsShow(context, record.id)).toBe(0);
    expect(written.out).toMatch(/no event was written down\nevents\.jsonl cannot be read: ELOOP/);
    rmSync(file);
    mkdirSync(file);
    const json = terminal(state.dir, true);
    expect(await runsShow(json.context, record.id)).toBe(0);
    expect(JSON.parse(json.written.out)).toMatchObject({ events: [], events_fault: expect.stringContaining('plain') });
    rmSync(file, { recursive: true });
    const none = terminal(state.dir, true);
    expect(await runsShow(none.context, record.id)).toBe(0);
    expect(JSON.parse(none.written.out)).toMatchObject({ events: [], events_fault: null });
  });

  it('says what is wrong with a damaged run, and leaves it', async () => {
    const record = runRecord();
    const state = await withRuns(record);
    writeFileSync(path.join(state.runsDir, record.id, 'run.json'), '{');
    const { context, written } = terminal(state.dir);
    expect(await runsShow(context, record.id)).toBe(1);
    expect(written.err).toContain(`run ${record.id} cannot be shown`);
    expect(written.err).toContain('is left as it is');
  });
});

describe.each([
  ['through the index', realIndex],
  ['from the run folders', noIndex],
])('hook traces, %s', (_name, open) => {
  async function someTraces() {
    const state = await stateIn(tempFolder());
    const [one, two] = [runRecord(), runRecord()];
    const traces = [
      trace({ run_id: one.id, started: NOW - 5, decision: 'deny', reason: 'not\u202e here', duration_ms: 3.4 }),
      trace({
        run_id: one.id,
        started: NOW - 4,
        status: 'inert',
        decision: null,
        error: 'never approved',
        hook_id: 'b',
      }),
      trace({ run_id: two.id, started: NOW - 3, status: 'failed', decision: null, timed_out: true, error: 'late' }),
      trace({ run_id: two.id, started: NOW - 2, point: 'run.before' }),
    ];
    await putRunFolder(state, one, { traces: traces.slice(0, 2) });
    await putRunFolder(state, two, { traces: traces.slice(2) });
    return { state, one, two, traces };
  }

  it('shows what each attempt came to, newest first', async () => {
    const { state, one } = await someTraces();
    const { context, written } = terminal(state.dir);
    expect(await hookTraces(context, { limit: '50' }, NOW, open)).toBe(0);
    const rows = cells(written.out);
    expect(rows.map((row) => row[3])).toEqual(['CAME TO', 'allow', 'failed (time-out)', 'left out', 'deny']);
    expect(rows[4]?.[0]).toMatch(/^5 s ago, /);
    expect(rows[4]?.slice(1)).toEqual([
      'global:guard',
      'tool.before',
      'deny',
      '3 ms',
      one.id.slice(0, 12),
      'not\\u{202e} here',
    ]);
  });

  it.each([
    [{}, [3, 2, 1, 0]],
    [{ limit: '2' }, [3, 2]],
    [{ hookId: 'b' }, [1]],
    [{ point: 'run.before' }, [3]],
    [{ decision: 'deny' }, [0]],
    [{ decision: 'allow', point: 'tool.before' }, []],
  ])('filters by %j', async (options, wanted) => {
    const { state, traces } = await someTraces();
    const { context, written } = terminal(state.dir, true);
    expect(await hookTraces(context, { limit: '50', ...options }, NOW, open)).toBe(0);
    expect(JSON.parse(written.out)).toEqual({ schema_version: 1, traces: wanted.map((index) => traces[index]) });
  });

  it('filters by run', async () => {
    const { state, one, traces } = await someTraces();
    const { context, written } = terminal(state.dir, true);
    expect(await hookTraces(context, { limit: '50', run: one.id }, NOW, open)).toBe(0);
    expect(JSON.parse(written.out)).toMatchObject({ traces: [traces[1], traces[0]] });
  });
});

describe('hook traces', () => {
  it('refuses what nothing could fit, and says what is allowed', async () => {
    const { context, written } = terminal(tempFolder());
    expect(await hookTraces(context, { limit: '5', point: 'tool.befor' }, NOW, realIndex)).toBe(2);
    expect(await hookTraces(context, { limit: '5', decision: 'yes' }, NOW, realIndex)).toBe(2);
    expect(await hookTraces(context, { limit: 'all' }, NOW, realIndex)).toBe(2);
    expect(await hookTraces(context, { limit: '5', run: 'zz' }, NOW, realIndex)).toBe(1);
    expect(written.err).toMatch(/--point is one of .*--decision is one of .*--limit takes .*there is no run "zz"/s);
    expect(await hookTraces(context, { limit: '5' }, NOW, realIndex)).toBe(0);
    expect(written.out).toBe('no traces\n');
  });
});

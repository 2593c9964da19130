import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openIndex, type IndexClient } from '../../../electron/core/store/index-client.js';
import type { TraceLimits } from '../../../electron/core/store/index-protocol.js';
import type { StateFolder } from '../../../electron/core/store/layout.js';
import type { Result } from '../../../shared/result.js';
import { bundledIndexWorker } from '../../support/workers.js';
import { bundleProgram, tempFolder } from '../../support/processes.js';
import { putRunFolder, runRecord, stateIn, trace } from '../../support/runs.js';

const workerUrl = bundledIndexWorker();

async function opened(state: StateFolder, limits?: TraceLimits): Promise<IndexClient> {
  const index = await openIndex(state, { workerUrl: workerUrl(), ...(limits === undefined ? {} : { limits }) });
  const client = must(index);
  onTestFinished(async () => void (await client.close()));
  return client;
}

function must<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(String(result.error));
  return result.value;
}

describe('runs', () => {
  it('come newest first, a page at a time, and are kept as they were given', async () => {
    const index = await opened(await stateIn(tempFolder()));
    expect(index.notices).toEqual([]);
    // Two of one instant, so that a page border between them can lose one.
    const runs = [1, 2, 2, 3, 4].map((createdAt) => runRecord({ createdAt }));
    for (const run of runs) must(await index.upsertRun(run));
    const all = must(await index.queryRuns({ limit: 100 }));
    expect(all.map((run) => run.createdAt)).toEqual([4, 3, 2, 2, 1]);
    expect(new Set(all.map((run) => run.id))).toEqual(new Set(runs.map((run) => run.id)));
    expect(all.find((run) => run.id === runs[0]?.id)).toEqual(runs[0]);
    const paged = [];
    let before: string | undefined;
    for (;;) {
      const page: readonly { id: string }[] = must(await index.queryRuns({ limit: 2, before }));
      if (page.length === 0) break;
      paged.push(...page.map((run) => run.id));
      before = page.at(-1)?.id;
    }
    expect(paged).toEqual(all.map((run) => run.id));
    expect(must(await index.queryRuns({ limit: 5, before: 'run_unknown' }))).toEqual([]);
  });

  it('are replaced by their later forms, but never taken back from done', async () => {
    const index = await opened(await stateIn(tempFolder()));
    const live = runRecord({ phase: 'running', outcome: null });
    must(await index.upsertRun(live));
    must(await index.upsertRun({ ...live, phase: 'done', outcome: 'failed' }));
    must(await index.upsertRun({ ...live, phase: 'stopping' }));
    expect(must(await index.queryRuns({ limit: 9 }))).toMatchObject([{ phase: 'done', outcome: 'failed' }]);
  });
});

describe('traces', () => {
  it('are found by every filter and all of them together, newest first', async () => {
    const index = await opened(await stateIn(tempFolder()));
    const run = runRecord().id;
    const traces = [
      trace({ started: 1, hook_id: 'a', point: 'run.before', decision: 'deny' }),
      trace({ started: 2, hook_id: 'a', run_id: run, decision: null }),
      trace({ started: 3, hook_id: 'b', run_id: run }),
      trace({ started: 3, hook_id: "o'brien", run_id: run, decision: 'deny' }),
    ];
    must(await index.addTraces(traces));
    const found = async (query: Partial<Parameters<IndexClient['queryTraces']>[0]>) =>
      must(await index.queryTraces({ limit: 10, ...query })).map((one) =>
        traces.findIndex((t) => t.trace_id === one.trace_id),
      );
    expect(await found({})).toEqual([3, 2, 1, 0]);
    expect(await found({ limit: 2 })).toEqual([3, 2]);
    expect(await found({ hook: 'a' })).toEqual([1, 0]);
    expect(await found({ hook: "o'brien" })).toEqual([3]);
    expect(await found({ point: 'run.before' })).toEqual([0]);
    expect(await found({ run })).toEqual([3, 2, 1]);
    expect(await found({ decision: 'deny' })).toEqual([3, 0]);
    expect(await found({ since: 2 })).toEqual([3, 2, 1]);
    expect(await found({ run, decision: 'deny', hook: "o'brien", point: 'tool.before', since: 3 })).toEqual([3]);
    expect(await found({ run, hook: 'c' })).toEqual([]);
    expect(must(await index.queryTraces({ limit: 1 }))).toEqual([traces[3]]);
  });

  it('are kept once, and the oldest go when there are too many', async () => {
    const index = await opened(await stateIn(tempFolder()), { count: 3, bytes: 1_000_000 });
    const traces = [5, 1, 4, 2, 3].map((started) => trace({ started }));
    must(await index.addTraces(traces));
    must(await index.addTraces(traces.slice(2, 3)));
    expect(must(await index.queryTraces({ limit: 10 })).map((one) => one.started)).toEqual([5, 4, 3]);
  });

  it('are bounded in bytes too', async () => {
    const size = JSON.stringify(trace()).length;
    const index = await opened(await stateIn(tempFolder()), { count: 1_000, bytes: 2 * size + 200 });
    must(await index.addTraces([1, 2, 3].map((started) => trace({ started }))));
    must(await index.addTraces([trace({ started: 4, reason: 'x'.repeat(100) })]));
    expect(must(await index.queryTraces({ limit: 10 })).map((one) => one.started)).toEqual([4, 3]);
  });
});

describe('the run folders are the truth', () => {
  it('fills a missing index from them', async () => {
    const state = await stateIn(tempFolder());
    const run = runRecord();
    const traces = [trace({ run_id: run.id }), trace({ run_id: run.id, started: 2_000 })];
    await putRunFolder(state, run, { traces });
    const index = await opened(state);
    expect(index.notices).toEqual([]);
    expect(must(await index.queryRuns({ limit: 10 }))).toEqual([run]);
    expect(must(await index.queryTraces({ limit: 10 }))).toEqual([traces[1], traces[0]]);
    expect(statSync(state.indexFile).mode & 0o777).toBe(0o600);
  });

  it('names a folder that cannot be read and leaves it as it is', async () => {
    const state = await stateIn(tempFolder());
    const [good, bad] = [runRecord(), runRecord()];
    await putRunFolder(state, good);
    await putRunFolder(state, bad);
    const file = path.join(state.runsDir, bad.id, 'run.json');
    await writeFile(file, '{"half":');
    const index = await opened(state);
    expect(index.notices).toEqual([expect.stringContaining(`run ${bad.id} is left out of lists`)]);
    expect(must(await index.queryRuns({ limit: 10 }))).toEqual([good]);
    expect(readFileSync(file, 'utf8')).toBe('{"half":');
  });

  it('sets garbage aside under a new name, says so, and builds anew', async () => {
    const state = await stateIn(tempFolder());
    const run = runRecord();
    await putRunFolder(state, run);
    const garbage = Buffer.from('this is no database '.repeat(1_000));
    writeFileSync(state.indexFile, garbage);
    const index = await opened(state);
    const aside = readdirSync(state.dir).filter((name) => name.startsWith('index.sqlite.damaged-'));
    expect(aside).toHaveLength(1);
    expect(readFileSync(path.join(state.dir, aside[0] ?? '')).equals(garbage)).toBe(true);
    expect(index.notices).toEqual([expect.stringMatching(/^the index was damaged .* set aside as .*damaged-/)]);
    expect(must(await index.queryRuns({ limit: 10 }))).toEqual([run]);
  });

  it('builds anew when a page inside is damaged and that shows only at a question', async () => {
    const state = await stateIn(tempFolder());
    const runs = Array.from({ length: 300 }, (_, createdAt) => runRecord({ createdAt, prompt: 'x'.repeat(300) }));
    for (const run of runs) await putRunFolder(state, run);
    must(await (await opened(state)).close());
    const bytes = readFileSync(state.indexFile);
    // All but the first pages, which hold the tables' names.
    bytes.fill(0xff, 40_960);
    writeFileSync(state.indexFile, bytes);
    rmSync(`${state.indexFile}-wal`, { force: true });
    const index = await opened(state);
    expect(must(await index.queryRuns({ limit: 1_000 })).map((run) => run.createdAt)).toEqual(
      runs.map((run) => run.createdAt).reverse(),
    );
    expect(readdirSync(state.dir).some((name) => name.includes('damaged-'))).toBe(true);
  });

  it('builds anew when opening alone does not meet the damage, and says so', async () => {
    const state = await stateIn(tempFolder());
    const run = runRecord();
    const traces = Array.from({ length: 500 }, (_, started) =>
      trace({ run_id: run.id, started, reason: 'r'.repeat(500) }),
    );
    await putRunFolder(state, run, { traces });
    must(await (await opened(state)).close());
    const bytes = readFileSync(state.indexFile);
    // Pages of traces alone: they were put in last.
    bytes.fill(0xff, bytes.length - 200_000);
    writeFileSync(state.indexFile, bytes);
    rmSync(`${state.indexFile}-wal`, { force: true });
    const index = await opened(state);
    expect(index.notices).toEqual([]);
    expect(must(await index.queryTraces({ limit: 1_000 }))).toEqual(traces.toReversed());
    expect(index.notices).toEqual([expect.stringMatching(/^the index was damaged .* built anew/)]);
    must(await index.close());
    expect((await opened(state)).notices).toEqual([]);
  });

  it('builds anew what another version made', async () => {
    const state = await stateIn(tempFolder());
    const run = runRecord();
    await putRunFolder(state, run);
    must(await (await opened(state)).close());
    const bytes = readFileSync(state.indexFile);
    // The file format keeps the user version at byte 60.
    bytes.writeUInt32BE(77, 60);
    writeFileSync(state.indexFile, bytes);
    const index = await opened(state);
    expect(index.notices).toEqual(['the index was of another version (77); it is built anew from the run folders']);
    expect(must(await index.queryRuns({ limit: 10 }))).toEqual([run]);
  });

  it('learns at the next opening what an owner could not tell, and forgets what is gone', async () => {
    const state = await stateIn(tempFolder());
    const [killed, removed, unheard] = [runRecord({ phase: 'running', outcome: null }), runRecord(), runRecord()];
    await putRunFolder(state, removed, { traces: [trace({ run_id: removed.id })] });
    await putRunFolder(state, killed);
    must(await (await opened(state)).close());
    const ended = { ...killed, phase: 'done' as const, outcome: 'interrupted' as const };
    await writeFile(path.join(state.runsDir, killed.id, 'run.json'), JSON.stringify(ended));
    await putRunFolder(state, unheard, { traces: [trace({ run_id: unheard.id })] });
    rmSync(path.join(state.runsDir, removed.id), { recursive: true });
    const index = await opened(state);
    const runs = must(await index.queryRuns({ limit: 10 }));
    expect(new Map(runs.map((run) => [run.id, run.outcome]))).toEqual(
      new Map([
        [killed.id, 'interrupted'],
        [unheard.id, 'succeeded'],
      ]),
    );
    expect(must(await index.queryTraces({ limit: 10 })).map((one) => one.run_id)).toEqual([unheard.id]);
  });

  it('reads all of them again when told to', async () => {
    const state = await stateIn(tempFolder());
    const index = await opened(state);
    const run = runRecord();
    must(await index.upsertRun(runRecord()));
    await putRunFolder(state, run, { traces: [trace({ run_id: run.id })] });
    expect(must(await index.rebuild())).toEqual({ runs: 1, traces: 1, notices: [] });
    expect(must(await index.queryRuns({ limit: 10 }))).toEqual([run]);
  });
});

describe('a failing index', () => {
  it('is a value: no worker, no file, closed', async () => {
    const state = await stateIn(tempFolder());
    const missing = await openIndex(state, { workerUrl: new URL('none.mjs', workerUrl()) });
    expect(missing).toEqual({ ok: false, error: expect.stringContaining('the worker of the index') as string });
    const blocked = await openIndex({ ...state, indexFile: state.dir }, { workerUrl: workerUrl() });
    expect(blocked).toMatchObject({ ok: false });
    const index = must(await openIndex(state, { workerUrl: workerUrl() }));
    must(await index.close());
    expect(await index.upsertRun(runRecord())).toEqual({ ok: false, error: 'the worker of the index has ended' });
    expect(await index.close()).toMatchObject({ ok: false });
  });

  it('answers what was asked before it was closed', async () => {
    const index = must(await openIndex(await stateIn(tempFolder()), { workerUrl: workerUrl() }));
    const answers = [index.upsertRun(runRecord()), index.queryRuns({ limit: 1 }), index.close()];
    expect((await Promise.all(answers)).map((answer) => answer.ok)).toEqual([true, true, true]);
  });
});

describe('two processes', () => {
  const WRITES = 60;

  /** Two programs that open the same index at once and each tell it of their own runs, one at a time. */
  const writer = (state: StateFolder) => `
    import { mkdirSync } from 'node:fs';
    import { join } from 'node:path';
    import { openIndex } from ${JSON.stringify(path.resolve('electron/core/store/index-client.ts'))};
    import { openState } from ${JSON.stringify(path.resolve('electron/core/store/layout.ts'))};
    import { runRecord, trace } from ${JSON.stringify(path.resolve('test/support/runs.ts'))};
    const must = (result) => { if (!result.ok) throw new Error(String(result.error)); return result.value; };
    const name = process.argv[2];
    const state = must(await openState(${JSON.stringify(state.dir)}));
    const index = must(await openIndex(state, { workerUrl: new URL(${JSON.stringify(workerUrl().href)}) }));
    for (let i = 0; i < ${WRITES}; i += 1) {
      const run = runRecord({ createdAt: i, prompt: name });
      // An empty folder: the run exists, and what is known of it can come from this process only.
      mkdirSync(join(state.runsDir, run.id));
      must(await index.upsertRun(run));
      must(await index.addTraces([1, 2].map(() => trace({ run_id: run.id, hook_id: name }))));
    }
    must(await index.close());`;

  it('write at once, and nothing is lost', async () => {
    const folder = tempFolder();
    const state = await stateIn(path.join(folder, 'state'));
    const program = await bundleProgram(folder, writer(state));
    const codes = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const child = spawn(process.execPath, [program, name], { stdio: ['ignore', 'inherit', 'inherit'] });
        return ((await once(child, 'close')) as [number])[0];
      }),
    );
    expect(codes).toEqual([0, 0]);
    const index = await opened(state);
    const runs = must(await index.queryRuns({ limit: 1_000 }));
    const traces = must(await index.queryTraces({ limit: 1_000 }));
    for (const name of ['one', 'two']) {
      expect(runs.filter((run) => run.prompt === name)).toHaveLength(WRITES);
      expect(traces.filter((one) => one.hook_id === name)).toHaveLength(2 * WRITES);
    }
    expect(runs).toHaveLength(2 * WRITES);
  });
});

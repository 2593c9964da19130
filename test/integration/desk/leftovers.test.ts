/** What an owner that is killed leaves behind, and what the next desk, or the one that runs, does about it. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../shared/bridge/views.js';
import { NO_RECEIPT } from '../../../shared/contracts/receipt.js';
import { endLeftovers, ownerLives } from '../../../electron/core/runs/leftovers.js';
import { readProcess } from '../../../electron/core/spawn/process-table.js';
import { processesOfRun } from '../../../electron/core/spawn/run-marker.js';
import { createSeam } from '../../../electron/core/spawn/seam.js';
import { openIndex } from '../../../electron/core/store/index-client.js';
import { bundledPracticeAgent, newDesk, script, shell, testScan } from '../../support/desk.js';
import { bundledIndexWorker } from '../../support/workers.js';
import { eventually, isAlive, tempFolder } from '../../support/processes.js';
import { programOf, runProgram, startProgram } from '../../support/programs.js';
import { memoryReceipts, memoryReceiptServices } from '../../support/receipts.js';
import { putRunFolder, runRecord, stateIn } from '../../support/runs.js';

const agent = bundledPracticeAgent();
const workerUrl = bundledIndexWorker();

/** A process that owns a desk and plays one run for ever; it prints the run's id when the agent works. */
const ownerProgram = () =>
  programOf(
    (core) => `
    import { openState } from ${core('store/layout.ts')};
    import { createMemoryApprovals } from ${core('approvals/memory-store.ts')};
    import { createMemoryKeychain } from ${core('approvals/memory-keychain.ts')};
    import { createReceipts } from ${core('receipts/receipts.ts')};
    import { createDesk } from ${core('desk/desk.ts')};
    import { passingKey } from ${core('redaction/fingerprints.ts')};
    const [dir, workspace, home, agent, prompt, worker] = process.argv.slice(2);
    const state = await openState(dir);
    if (!state.ok) throw new Error(state.error.text);
    const desk = createDesk({
      state: state.value,
      approvals: createMemoryApprovals(),
      receipts: createReceipts({ state: state.value, keychain: createMemoryKeychain(), appVersion: '0' }),
      keychain: () => ({ state: 'no-bus', text: '' }),
      userEnv: { HOME: home, SHELL: '/bin/sh', PATH: process.env.PATH },
      practiceProgram: { program: process.execPath, args: [agent], files: [agent] },
      exitScan: { workerUrl: new URL(worker), fingerprintKey: async () => passingKey('none') },
      index: null,
      version: '0',
      noTray: () => null,
    });
    desk.on('runs.events', ({ events }) => {
      if (events.some((one) => one.kind === 'gate' && one.report.kind === 'judged')) console.log('working');
    });
    const { id } = await desk.offerWorkspace(workspace);
    const launched = await desk.handlers['runs.launch']({
      profile: 'practice', workspaceId: id, prompt, bypass: 'none', acceptGaps: false, workspaceConfig: 'exclude',
    });
    if (!launched.ok) throw new Error(launched.text);
    console.log(launched.runId);
  `,
  );

/** Starts such an owner over a root folder and waits until its agent works. */
async function startOwner(root: string) {
  const places = ['state', 'workspace', 'home'].map((name) => path.join(root, name));
  for (const place of places) mkdirSync(place, { recursive: true, mode: 0o700 });
  const owner = startProgram(await ownerProgram(), [
    ...places,
    agent(),
    script(shell('sleep 300')),
    testScan().workerUrl.href,
  ]);
  let out = '';
  owner.child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const runId = await eventually(() => (out.includes('working') ? (/run_\w{26}/.exec(out)?.[0] ?? null) : null));
  return { ...owner, runId };
}

describe('an owner that is killed in a run', () => {
  it('leaves a run that the next start ends, records as interrupted, and tells', async () => {
    const root = tempFolder();
    const owner = await startOwner(root);
    const pids = processesOfRun(owner.runId);
    expect(pids.length).toBeGreaterThan(0);
    owner.child.kill('SIGKILL');
    await owner.done;
    expect(pids.some(isAlive)).toBe(true);

    const told: RunSummary[] = [];
    const next = await newDesk(agent(), {}, root);
    next.desk.on('runs.changed', (run) => told.push(run));
    await next.desk.started;
    expect(told).toMatchObject([{ id: owner.runId, outcome: 'interrupted', colour: 'grey' }]);
    expect(processesOfRun(owner.runId)).toEqual([]);
    expect(await next.ask('runs.list', { limit: 5 })).toEqual(told);
    expect((await next.ask('runs.show', { runId: owner.runId }))?.events.length).toBeGreaterThan(2);
    expect(next.faults).toEqual([]);
    const detail = await next.ask('runs.show', { runId: owner.runId });
    expect(detail?.record.receipt).toMatchObject({ state: 'signed', sequence: 1 });
    expect(await next.ask('receipts.verify', { runId: owner.runId })).toMatchObject({ verified: true });
  });

  it('is found by a desk that already runs, when it lists; its live run is shown as not its own before', async () => {
    const root = tempFolder();
    const them = await newDesk(agent(), {}, root);
    await them.desk.started;
    const owner = await startOwner(root);
    const [live] = await them.ask('runs.list', { limit: 5 });
    expect(live).toMatchObject({ id: owner.runId, own: false, phase: 'running', colour: 'live' });
    expect(await them.ask('runs.stop', { runId: owner.runId })).toMatchObject({ ok: false });
    owner.child.kill('SIGKILL');
    await owner.done;
    expect(await them.ask('runs.list', { limit: 5 })).toMatchObject([{ id: owner.runId, outcome: 'interrupted' }]);
    expect(processesOfRun(owner.runId)).toEqual([]);
  });
});

describe('whether an owner lives', () => {
  it('a process that has its number but another start is not the owner', async () => {
    const startTime = readProcess(process.pid)?.startTime ?? '';
    expect(ownerLives({ ownerPid: process.pid, ownerStart: startTime })).toBe(true);
    expect(ownerLives({ ownerPid: process.pid, ownerStart: '1' })).toBe(false);
    // Records of before the start was kept.
    expect(ownerLives({ ownerPid: process.pid })).toBe(true);
    expect(ownerLives({ ownerPid: null, ownerStart: startTime })).toBe(false);
    const state = await stateIn(tempFolder());
    const running = { phase: 'running', outcome: null, endedAt: null, ownerPid: process.pid } as const;
    const [reused, ours] = [
      runRecord({ ...running, ownerStart: '1' }),
      runRecord({ ...running, ownerStart: startTime }),
    ];
    for (const record of [reused, ours]) await putRunFolder(state, record);
    const services = { state, seam: createSeam({ approvals: () => false }), receipts: memoryReceipts(state) };
    const found = await endLeftovers({ ...services, exitScan: testScan() }, 77);
    expect(found.map(({ record }) => [record.id, record.outcome, record.endedAt])).toEqual([
      [reused.id, 'interrupted', 77],
    ]);
  });

  it('one that died between its receipt and its last word ends as its receipt says, and gets no other', async () => {
    const state = await stateIn(tempFolder());
    const { receipts, receiptChecks } = memoryReceiptServices(state);
    const ended = runRecord({ endedAt: 1_700_000_000.25, reason: 'the agent said so' });
    await putRunFolder(state, { ...ended, phase: 'scanning', receipt: NO_RECEIPT, ownerPid: null });
    const { receipt } = await receipts.seal(ended);
    rmSync(path.join(state.runsDir, ended.id, 'receipt.json'));
    const seam = createSeam({ approvals: () => false });
    const [found] = await endLeftovers({ state, seam, receipts, exitScan: testScan() }, 1_700_000_099);
    expect(found?.record).toMatchObject({ phase: 'done', outcome: 'succeeded', reason: ended.reason, receipt });
    expect(found?.record.endedAt).toBe(ended.endedAt);
    expect(found?.record.notices.join()).toContain('how it ended is taken from the receipt');
    // Its receipt had not come to its folder.
    expect(await receiptChecks.run(ended.id)).toMatchObject({ ok: true });
    expect(await receiptChecks.chain()).toMatchObject({ value: { ok: true } });
  });

  it('two that sweep at once make one receipt', async () => {
    const state = await stateIn(tempFolder());
    const { receipts, receiptChecks } = memoryReceiptServices(state);
    const record = runRecord({ phase: 'running', outcome: null, endedAt: null, ownerPid: null, receipt: NO_RECEIPT });
    await putRunFolder(state, record);
    const seam = createSeam({ approvals: () => false });
    const sweeps = await Promise.all(
      [1, 2, 3].map(() => endLeftovers({ state, seam, receipts, exitScan: testScan() }, 77)),
    );
    expect(sweeps.flat().map((one) => one.record.receipt.sequence)).toEqual(sweeps.flat().map(() => 1));
    expect((await receiptChecks.chain())?.ok).toBe(true);
    expect(readFileSync(path.join(state.dir, 'receipts.jsonl'), 'utf8').split('\n')).toHaveLength(2);
  });

  it('a run of our own names its owner so', async () => {
    const them = await newDesk(agent());
    const runId = await them.launch({ prompt: script(shell('true')) });
    await them.done(runId);
    const record = JSON.parse(readFileSync(path.join(them.state.runsDir, runId, 'run.json'), 'utf8')) as object;
    expect(record).toMatchObject({ ownerPid: process.pid, ownerStart: readProcess(process.pid)?.startTime });
  });

  it('one that has ended but was not collected by its parent does not live', async () => {
    const zombie = await runProgram(
      await programOf(
        (core) => `
        import { spawn } from 'node:child_process';
        import { ownerLives } from ${core('runs/leftovers.ts')};
        import { readProcess } from ${core('spawn/process-table.ts')};
        // The child ends when the shell has long become a sleep, which never waits for it.
        const child = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
        child.stdout.once('data', async (text) => {
          const pid = Number(text);
          while (readProcess(pid)?.zombie !== true) await new Promise((next) => setTimeout(next, 10));
          console.log(ownerLives({ ownerPid: pid }));
          child.kill('SIGKILL');
        });
      `,
      ),
      [],
    );
    expect(zombie.out.trim()).toBe('false');
  });
});

describe('with the index', () => {
  it('lists what it knows and what only the folders know, and keeps what was interrupted', async () => {
    const root = tempFolder();
    const state = await stateIn(path.join(root, 'state'));
    const indexed = Array.from({ length: 120 }, (_, at) => runRecord({ createdAt: 100 + at }));
    for (const record of indexed) await putRunFolder(state, record);
    const index = await openIndex(state, { workerUrl: workerUrl() });
    if (!index.ok) throw new Error(index.error);
    const dead = runRecord({ createdAt: 500, phase: 'running', outcome: null, ownerPid: process.pid, ownerStart: '1' });
    const unindexed = runRecord({ createdAt: 400 });
    for (const record of [dead, unindexed]) await putRunFolder(state, record);
    const them = await newDesk(agent(), { index: index.value }, root);
    const ids = (await them.ask('runs.list', { limit: 10_000 })).map((run) => run.id);
    expect(ids).toEqual([dead.id, unindexed.id, ...indexed.toReversed().map((record) => record.id)]);
    await expect
      .poll(async () => {
        const rows = await index.value.queryRuns({ limit: 1 });
        return rows.ok ? rows.value[0]?.outcome : null;
      })
      .toBe('interrupted');
    await them.desk.close();
    await index.value.close();
  });
});

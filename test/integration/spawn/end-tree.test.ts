import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newId } from '../../../shared/ids.js';
import { endTree, killTreeNow, processTree } from '../../../electron/core/spawn/end-tree.js';
import { ancestry, listProcesses, readEnviron, readProcess } from '../../../electron/core/spawn/process-table.js';
import { isInsideRun, processesOfRun, RUN_MARKER, surroundingRun } from '../../../electron/core/spawn/run-marker.js';
import { createSeam } from '../../../electron/core/spawn/seam.js';
import { bundleProgram, hookRequest, isAlive, pidFrom, tempFolder, testEnv } from '../../support/processes.js';

const seam = createSeam({ approvals: () => true });

async function start(script: string, args: readonly string[] = [], more: Parameters<typeof hookRequest>[1] = {}) {
  const started = await seam.start(hookRequest(['sh', '-c', script, 'sh', ...args], { timeoutMs: null, ...more }));
  if (!started.ok) throw new Error(started.error.text);
  return started.value;
}

const files = (folder: string, ...names: readonly string[]) => names.map((name) => path.join(folder, name));
const report = (how: string) => `${how} sh -c 'echo $$ > "$1"; exec sleep 301' sh`;

describe('ending a tree at once', () => {
  it('reaches a grandchild in its own session too', async () => {
    const [session = ''] = files(tempFolder(), 'session');
    const running = await start(`${report('setsid')} "$1" & exec sleep 301`, [session]);
    const pid = await pidFrom(session);
    killTreeNow(processTree(running.pid, []));
    await running.done;
    expect([pid, running.pid].map(isAlive)).toEqual([false, false]);
  });
});

describe('ending a tree', () => {
  it('reaches children, a grandchild in its own session, and one whose parent is gone', async () => {
    const [child = '', session = '', orphan = ''] = files(tempFolder(), 'child', 'session', 'orphan');
    const script = `${report('')} "$1" & ${report('setsid')} "$2" & (${report('setsid')} "$3" &) ; exec sleep 301`;
    const running = await start(script, [child, session, orphan]);
    const pids = await Promise.all([child, session, orphan].map(pidFrom));
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    await running.end();
    expect([...pids, running.pid].map(isAlive)).toEqual([false, false, false, false]);
    expect((await running.done).left).toEqual([]);
  });

  it('reaches a child that cleared its environment and left the group while its parent lives', async () => {
    const [file = ''] = files(tempFolder(), 'bare');
    const running = await start(`${report('env -i PATH="$PATH" setsid')} "$1" & exec sleep 301`, [file]);
    const pid = await pidFrom(file);
    expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain('SALLYPORT');
    await running.end();
    expect(isAlive(pid)).toBe(false);
  });

  it('kills what ignores TERM, grandchildren too', async () => {
    const [file = ''] = files(tempFolder(), 'stubborn');
    const script = `trap '' TERM INT; setsid sh -c 'echo $$ > "$1"; while :; do sleep 0.05; done' sh "$1" & while :; do sleep 0.05; done`;
    const running = await start(script, [file], { endSignals: ['SIGINT', 'SIGTERM'], graceMs: 100 });
    const pid = await pidFrom(file);
    await running.end();
    expect([pid, running.pid].map(isAlive)).toEqual([false, false]);
  });

  it('keeps up with a tree that goes on forking', async () => {
    const [file = ''] = files(tempFolder(), 'forker');
    const script = `trap '' TERM; echo $$ > "$1"; while :; do setsid sleep 301 & sleep 0.02; done`;
    const marker = { runId: newId('run') };
    const running = await start(script, [file], { graceMs: 100, marker });
    await pidFrom(file);
    await running.end();
    expect(processesOfRun(marker.runId)).toEqual([]);
  });

  it('does not touch another start of the same run, and endRun ends both', async () => {
    const marker = { runId: newId('run') };
    const one = await start('exec sleep 301', [], { marker });
    const two = await start('exec sleep 301', [], { marker });
    expect([...processesOfRun(marker.runId)].sort()).toEqual([one.pid, two.pid].sort());
    await one.end();
    expect([one, two].map((running) => isAlive(running.pid))).toEqual([false, true]);
    expect(await seam.endRun(marker.runId, 200)).toEqual([]);
    expect(isAlive(two.pid)).toBe(false);
    expect(processesOfRun(marker.runId)).toEqual([]);
  });

  it('spares process 1, us and everything above us, whatever a tree claims', async () => {
    const ours = ancestry();
    expect(ours[0]).toBe(process.pid);
    for (const pid of [1, 0, -1]) expect(await endTree(processTree(pid, []), ['SIGTERM'], 50)).toEqual([]);
    // Our own group and session, and the marks that we ourselves carry: a run inside which we work.
    const own = readProcess(process.pid);
    const innocent = listProcesses().filter((entry) => entry.group === own?.group && !ours.includes(entry.pid));
    if (innocent.length === 0) await endTree(processTree(process.pid, []), ['SIGKILL'], 50);
    expect(ours.map((pid) => readProcess(pid) !== null)).not.toContain(false);
  });

  it('finds nothing where there is nothing', async () => {
    const running = await start('exec true');
    await running.done;
    expect([readProcess(running.pid), readEnviron(running.pid)]).toEqual([null, []]);
    expect(await endTree(processTree(running.pid, ['SALLYPORT_START=none']), ['SIGTERM'], 50)).toEqual([]);
    await running.end();
  });

  it('is not fooled by a pid that now belongs to another process', async () => {
    const running = await start('exec sleep 301');
    const stale = { ...processTree(running.pid, []), startTime: '1' };
    expect(await endTree(stale, ['SIGKILL'], 50)).toEqual([]);
    expect(isAlive(running.pid)).toBe(true);
    await running.end();
  });
});

describe('being inside of a run', () => {
  const probe = `
    import { isInsideRun, surroundingRun } from '${path.resolve('electron/core/spawn/run-marker.ts')}';
    console.log(JSON.stringify([isInsideRun(), surroundingRun()]));`;

  it('is false here, where no run is around us', () => {
    expect([isInsideRun(), surroundingRun()]).toEqual([false, null]);
  });

  it('is seen by a variable of our own, and only where there is a value', () => {
    process.env[RUN_MARKER] = 'run_around';
    onTestFinished(() => {
      delete process.env[RUN_MARKER];
    });
    expect([isInsideRun(), surroundingRun()]).toEqual([true, 'run_around']);
    process.env[RUN_MARKER] = '';
    expect(isInsideRun()).toBe(false);
  });

  it.each([
    ['by the own environment', 'exec node'],
    ['by a process above, with the own environment cleared', 'env -i PATH="$PATH" node'],
  ])('is seen %s', async (_name, launch) => {
    const marker = { runId: newId('run') };
    const program = await bundleProgram(tempFolder(), probe);
    const script = `${launch} "$1"; exit $?`;
    const result = await seam.run(hookRequest(['sh', '-c', script, 'sh', program], { marker, env: testEnv }));
    expect(result.ok && JSON.parse(result.value.stdout.toString())).toEqual([true, marker.runId]);
  });
});

describe('our own end', () => {
  it('ends what this process had started', async () => {
    const folder = tempFolder();
    const [file = ''] = files(folder, 'pid');
    const code = `
      import { createSeam } from '${path.resolve('electron/core/spawn/seam.ts')}';
      import { existsSync } from 'node:fs';
      const seam = createSeam({ approvals: () => true });
      await seam.start({ purpose: 'hook', argv: ['sh', '-c', 'setsid sh -c \\'echo $$ > "$1"; exec sleep 301\\' sh "$1" & exec sleep 301', 'sh', process.argv[2]],
        cwd: '/', env: { PATH: process.env.PATH }, stdin: 'none', timeoutMs: null, maxOutputBytes: 10, marker: { runId: 'run_test' }, proof: {} });
      setInterval(() => existsSync(process.argv[2]) && setTimeout(() => process.exit(4), 100), 20);`;
    const owner = await bundleProgram(folder, code);
    const result = await seam.run(hookRequest(['node', owner, file]));
    expect(result.ok && result.value.exitCode).toBe(4);
    expect(isAlive(await pidFrom(file))).toBe(false);
  });
});

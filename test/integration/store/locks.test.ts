import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LOCK_ORDER, withLock } from '../../../electron/core/store/locks.js';
import { bundleProgram, eventually, tempFolder } from '../../support/processes.js';

const LOCKS = JSON.stringify(path.resolve('electron/core/store/locks.ts'));

/** Adds one to a file, slowly enough that two at once would lose one. */
async function count(file: string): Promise<void> {
  const before = Number(readFileSync(file, 'utf8'));
  await sleep(3);
  writeFileSync(file, String(before + 1));
}

describe('one at a time', () => {
  it('within a process', async () => {
    const dir = tempFolder();
    const file = path.join(dir, 'count');
    writeFileSync(file, '0');
    await Promise.all(Array.from({ length: 10 }, () => withLock(dir, 'receipts', () => count(file))));
    expect(readFileSync(file, 'utf8')).toBe('10');
  });

  it('between processes', async () => {
    const dir = tempFolder();
    const file = path.join(dir, 'count');
    writeFileSync(file, '0');
    const program = await bundleProgram(
      dir,
      `import { readFileSync, writeFileSync } from 'node:fs';
       import { withLock } from ${LOCKS};
       for (let i = 0; i < 10; i += 1) {
         await withLock(${JSON.stringify(dir)}, 'registry', async () => {
           const before = Number(readFileSync(${JSON.stringify(file)}, 'utf8'));
           await new Promise((resolve) => setTimeout(resolve, 3));
           writeFileSync(${JSON.stringify(file)}, String(before + 1));
         });
       }`,
    );
    const codes = await Promise.all(
      [1, 2].map(async () => {
        const child = spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit'] });
        return ((await once(child, 'close')) as [number])[0];
      }),
    );
    expect(codes).toEqual([0, 0]);
    expect(readFileSync(file, 'utf8')).toBe('20');
  });

  it('two locks do not wait for each other, nor do two state folders', async () => {
    const [one, two] = [tempFolder(), tempFolder()];
    // Each waits for the other to be inside: with one lock for both this would never end.
    let inside = 0;
    const meet = async () => {
      inside += 1;
      await eventually(() => (inside === 3 ? true : null));
    };
    await Promise.all([withLock(one, 'index', meet), withLock(one, 'registry', meet), withLock(two, 'index', meet)]);
    expect(inside).toBe(3);
  });
});

describe('a lock of the dead', () => {
  it('is taken over', async () => {
    const dir = tempFolder();
    const program = await bundleProgram(
      dir,
      `import { writeFileSync } from 'node:fs';
       import { withLock } from ${LOCKS};
       await withLock(${JSON.stringify(dir)}, 'approvals', async () => {
         writeFileSync(${JSON.stringify(path.join(dir, 'held'))}, '');
         await new Promise((resolve) => setTimeout(resolve, 60_000));
       });`,
    );
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit'] });
    const ended = once(child, 'close');
    onTestFinished(() => void child.kill('SIGKILL'));
    await eventually(() => (existsSync(path.join(dir, 'held')) ? true : null));
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(path.join(dir, 'locks', 'approvals.lock'))).toBe(true);
    expect(await withLock(dir, 'approvals', async () => 'mine')).toBe('mine');
  });
});

describe('the order', () => {
  it('is kept: inner locks come later', async () => {
    const dir = tempFolder();
    const taken = await withLock(dir, 'registry', () =>
      withLock(dir, 'approvals', () =>
        withLock(dir, 'receipts', () => withLock(dir, 'index', async () => [...LOCK_ORDER])),
      ),
    );
    expect(taken).toEqual(['registry', 'approvals', 'receipts', 'index']);
  });

  it.each([
    ['index', 'registry'],
    ['receipts', 'approvals'],
    ['registry', 'registry'],
  ] as const)('%s, then %s is a bug', async (outer, inner) => {
    const dir = tempFolder();
    const attempt = withLock(dir, outer, () => withLock(dir, inner, async () => 'never'));
    await expect(attempt).rejects.toThrow(`the lock "${inner}" may not be taken while "${outer}" is held`);
    // And the outer one is free again.
    expect(await withLock(dir, outer, async () => 'free')).toBe('free');
  });

  it('is that of one flow: others, and what lives on after a lock, are free', async () => {
    const dir = tempFolder();
    let later = Promise.resolve('never');
    await withLock(dir, 'index', async () => {
      later = sleep(50).then(() => withLock(dir, 'registry', async () => 'later'));
    });
    expect(await Promise.all([later, withLock(dir, 'registry', async () => 'other')])).toEqual(['later', 'other']);
  });
});

describe('failures', () => {
  it('of the work are handed on, and the lock is free again', async () => {
    const dir = tempFolder();
    const work = withLock(dir, 'index', () => Promise.reject(new Error('no luck')));
    await expect(work).rejects.toThrow('no luck');
    expect(existsSync(path.join(dir, 'locks', 'index.lock'))).toBe(false);
  });

  it('a lock that was lost meanwhile is said, even when the work went well', async () => {
    const dir = tempFolder();
    const work = withLock(dir, 'index', async () => {
      await rm(path.join(dir, 'locks', 'index.lock'), { recursive: true });
      await sleep(2_500);
    });
    await expect(work).rejects.toThrow(/the lock "index" was lost while it was held/);
  });

  it('of the disk are thrown', async () => {
    const file = path.join(tempFolder(), 'file');
    writeFileSync(file, '');
    await expect(withLock(file, 'index', async () => 1)).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});

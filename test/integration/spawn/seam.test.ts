import { chmodSync, closeSync, copyFileSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { IntendedStart, SpawnRequest, SpawnResult } from '../../../electron/core/spawn/request.js';
import { createSeam } from '../../../electron/core/spawn/seam.js';
import {
  anyProof,
  bundleProgram,
  eventually,
  hookRequest,
  isAlive,
  pidFrom,
  tempFolder,
  testEnv,
  writeProgram,
} from '../../support/processes.js';

const seam = createSeam({ approvals: () => true });

async function run(argv: readonly string[], more: Partial<SpawnRequest> = {}): Promise<SpawnResult> {
  const result = await seam.run(hookRequest(argv, more));
  if (!result.ok) throw new Error(result.error.text);
  return result.value;
}

async function refusal(argv: readonly string[], more: Partial<SpawnRequest> = {}, from = seam) {
  const result = await from.run(hookRequest(argv, more));
  return result.ok ? null : result.error;
}

describe('a start', () => {
  it('tells exit code, both outputs and the real program', async () => {
    const result = await run(['sh', '-c', 'printf out; printf err >&2; exit 3']);
    expect(result).toMatchObject({
      exitCode: 3,
      signal: null,
      timedOut: false,
      truncated: false,
      endedBy: 'itself',
      left: [],
    });
    expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['out', 'err']);
    expect(path.isAbsolute(result.program)).toBe(true);
    expect((await run(['sh', '-c', 'kill -9 $$'])).signal).toBe('SIGKILL');
  });

  it('hands arguments over as they are: no shell reads them', async () => {
    const nasty = ['$(id)', '`id`', 'a b', '"', "'", '*', ';exit 1', '', '\n', '&& true'];
    const result = await run(['node', '-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...nasty]);
    expect(JSON.parse(result.stdout.toString())).toEqual(nasty);
  });

  it('gives exactly the environment of the request and the two markers', async () => {
    const result = await run(['env'], { env: { ...testEnv, ONLY: 'this' } });
    const names = result.stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names.sort()).toEqual(['ONLY', 'PATH', 'SALLYPORT_RUN', 'SALLYPORT_START']);
    expect(result.stdout.toString()).toContain('SALLYPORT_RUN=run_test\n');
  });

  it('is a session and group of its own, without a terminal', async () => {
    const script = `
      const stat = require('node:fs').readFileSync('/proc/self/stat', 'latin1');
      const [, , group, session, tty] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      console.log(JSON.stringify([Number(group) === process.pid, Number(session) === process.pid, tty]));`;
    expect(JSON.parse((await run(['node', '-e', script])).stdout.toString())).toEqual([true, true, '0']);
  });

  it('inherits no descriptor, not even one that we inherited ourselves', async () => {
    const folder = tempFolder();
    const secret = path.join(folder, 'secret');
    const owner = await bundleProgram(
      folder,
      `
      import { createSeam } from '${path.resolve('electron/core/spawn/seam.ts')}';
      const seam = createSeam({ approvals: () => false });
      const result = await seam.run({ purpose: 'probe', argv: ['ls', '-l', '/proc/self/fd'], cwd: '/', stdin: 'none',
        env: { PATH: process.env.PATH }, timeoutMs: 10000, maxOutputBytes: 10000 });
      console.log(result.ok ? result.value.stdout.toString() : result.error.text);`,
    );
    // bash opens a high descriptor, which Node does not mark as its own.
    const result = await run(['bash', '-c', 'exec 200>"$1"; exec node "$2"', 'bash', secret, owner]);
    const open = result.stdout
      .toString()
      .split('\n')
      .filter((line) => line.includes('->'));
    expect(open.length).toBeGreaterThanOrEqual(3);
    expect(open.filter((line) => !/-> (\/dev\/null|\/proc\/.*|socket:.*)$/.test(line))).toEqual([]);
  });

  it('starts the file behind a link, under the name by which it was found', async () => {
    const folder = tempFolder();
    symlinkSync('/bin/sleep', path.join(folder, 'nap'));
    const started = await seam.start(hookRequest(['nap', '30'], { env: { PATH: `${folder}:${testEnv.PATH}` } }));
    if (!started.ok) throw new Error(started.error.text);
    expect(started.value.program.found).toBe(path.join(folder, 'nap'));
    expect(path.basename(started.value.program.real)).toMatch(/^(sleep|coreutils|busybox)$/);
    const title = await eventually(() => readFileSync(`/proc/${started.value.pid}/cmdline`, 'latin1') || null);
    expect(title.split('\0')[0]).toBe(path.join(folder, 'nap'));
    await started.value.end();
    expect((await started.value.done).endedBy).toBe('request');
  });
});

describe('approval at the seam', () => {
  it('keeps the input of a program of our own open, which needs no proof and belongs to no run', async () => {
    const refusing = createSeam({ approvals: () => false });
    let out = '';
    const more = { purpose: 'helper', stdin: 'open', proof: null, marker: null, timeoutMs: null } as const;
    const onStdout = (chunk: Buffer) => void (out += chunk.toString());
    const started = await refusing.start(hookRequest(['cat'], { ...more, onStdout }));
    if (!started.ok) throw new Error(started.error.text);
    for (const line of ['one\n', 'two\n']) {
      started.value.input?.write(line);
      await eventually(() => (out.endsWith(line) ? true : null));
    }
    started.value.input?.end();
    expect(await started.value.done).toMatchObject({ exitCode: 0, endedBy: 'itself' });
    const closed = await refusing.start(hookRequest(['true'], { ...more, stdin: 'none' }));
    expect(closed.ok && closed.value.input).toBeNull();
  });

  it.each(['agent', 'hook'] as const)('refuses a start for "%s" without a proof', async (purpose) => {
    const marker = path.join(tempFolder(), 'ran');
    const sinks = { onStdout: () => undefined, onStderr: () => undefined };
    const error = await refusal(['touch', marker], { purpose, proof: null, ...sinks });
    expect(error?.code).toBe('not-approved');
    expect(() => readFileSync(marker)).toThrow();
  });

  it('refuses when the checker refuses, and shows the checker exactly what would start', async () => {
    const seen: IntendedStart[] = [];
    const refusing = createSeam({
      approvals: (_proof, start) => {
        seen.push(start);
        return false;
      },
    });
    const folder = tempFolder();
    const error = await refusal(['touch', 'ran'], { cwd: folder }, refusing);
    expect(error?.code).toBe('not-approved');
    expect(() => readFileSync(path.join(folder, 'ran'))).toThrow();
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ purpose: 'hook', argv: ['touch', 'ran'], cwd: folder, env: testEnv });
    expect(path.isAbsolute(seen[0]?.program.real ?? '')).toBe(true);
  });

  it('lets a probe start without one', async () => {
    const result = await run(['echo', 'hello'], { purpose: 'probe', proof: null, marker: null });
    expect(result.stdout.toString()).toBe('hello\n');
  });
});

describe('what cannot start is a value with a text', () => {
  it.each([
    ['no program', [], 'invalid-request'],
    ['an argument with NUL', ['echo', 'a\0b'], 'invalid-request'],
    ['a name that is not on PATH', ['no-such-program-here'], 'program-missing'],
    ['a path that is not there', ['./no-such-file'], 'program-missing'],
    ['a file that is no program', ['/etc/passwd'], 'not-executable'],
    ['a folder', ['/etc'], 'not-executable'],
    ['arguments that are too long', ['echo', 'x'.repeat(3 * 1024 * 1024)], 'too-big'],
  ])('%s', async (_name, argv, code) => {
    const error = await refusal(argv);
    expect(error?.code).toBe(code);
    expect(error?.text).toContain('Nothing was started');
  });

  it('names a missing interpreter, a folder that is gone, and a request without a run', async () => {
    const folder = tempFolder();
    writeProgram(folder, 'hook.sh', '#!/no/such/interpreter\n');
    const missing = await refusal(['./hook.sh'], { cwd: folder });
    expect(missing).toMatchObject({ code: 'program-missing', text: expect.stringContaining('interpreter') as string });
    rmSync(folder, { recursive: true });
    expect((await refusal(['true'], { cwd: folder }))?.code).toBe('cwd-missing');
    expect((await refusal(['true'], { cwd: 'relative' }))?.code).toBe('invalid-request');
    expect((await refusal(['true'], { marker: null }))?.code).toBe('invalid-request');
    expect((await refusal(['true'], { env: { 'A=B': 'x' } }))?.code).toBe('invalid-request');
    expect((await refusal(['true'], { purpose: 'agent' }))?.code).toBe('invalid-request');
  });

  it('names an interpreter that is no program, and a program that is open for writing', async () => {
    const folder = tempFolder();
    writeProgram(folder, 'hook', '#!/etc/passwd\n');
    expect(await refusal(['./hook'], { cwd: folder })).toMatchObject({ code: 'not-executable' });
    const busy = path.join(folder, 'busy');
    copyFileSync('/bin/true', busy);
    const descriptor = openSync(busy, 'r+');
    const error = await refusal(['./busy'], { cwd: folder });
    closeSync(descriptor);
    expect(error).toMatchObject({ code: 'start-failed', text: expect.stringContaining('ETXTBSY') as string });
  });

  it('finds nothing on an empty PATH, not even in the working directory', async () => {
    const folder = tempFolder();
    writeProgram(folder, 'tool', '#!/bin/sh\n');
    for (const env of [{ PATH: '' }, { PATH: '::' }, {}]) {
      expect((await refusal(['tool'], { cwd: folder, env }))?.code).toBe('program-missing');
    }
  });

  it('tells a file that is no program for this machine', async () => {
    const folder = tempFolder();
    writeProgram(folder, 'broken', '\x7fELF\x02\x01\x01 not really');
    const result = await seam.run(hookRequest(['./broken'], { cwd: folder }));
    // The system may refuse it, or hand it to sh, which fails: never a success.
    expect(result.ok ? result.value.exitCode : result.error.code).not.toBe(0);
  });

  it('passes over a file that may not be executed, for one further on', async () => {
    const folder = tempFolder();
    const second = path.join(folder, 'b');
    mkdirSync(second);
    chmodSync(writeProgram(folder, 'tool', '#!/bin/sh\necho first\n'), 0o644);
    writeProgram(second, 'tool', '#!/bin/sh\necho second\n');
    const result = await run(['tool'], { env: { PATH: `${folder}:${second}:${testEnv.PATH}` } });
    expect(result.stdout.toString()).toBe('second\n');
  });
});

describe('input', () => {
  const big = Buffer.alloc(2 * 1024 * 1024, 'x');

  it('arrives whole and is closed', async () => {
    expect((await run(['wc', '-c'], { stdin: big })).stdout.toString().trim()).toBe(String(big.length));
    expect((await run(['cat'])).exitCode).toBe(0);
  });

  it.each([
    ['is never read', 'exit 0'],
    ['is closed unread while the program goes on', 'exec 0<&-; sleep 0.2; exit 0'],
    ['is read a little', 'head -c 1 >/dev/null; exit 0'],
    ['is never read and the program lives a while', 'sleep 0.3; exit 0'],
  ])('of 2 MiB that %s neither breaks nor hangs us', async (_name, script) => {
    expect(await run(['sh', '-c', script], { stdin: big })).toMatchObject({ exitCode: 0, endedBy: 'itself' });
  });
});

describe('output', () => {
  it('over the limit ends the process and is marked', async () => {
    const result = await run(['sh', '-c', 'while :; do echo xxxxxxxxxxxxxxxx; done'], { maxOutputBytes: 1_000 });
    expect(result).toMatchObject({ truncated: true, endedBy: 'output-limit', timedOut: false });
    expect(result.stdout).toHaveLength(1_000);
    expect((await run(['sh', '-c', 'yes >&2'], { maxOutputBytes: 1_000 })).truncated).toBe(true);
  });

  it('of exactly the limit is whole', async () => {
    const result = await run(['printf', '%s', 'x'.repeat(1_000)], { maxOutputBytes: 1_000 });
    expect(result).toMatchObject({ truncated: false, exitCode: 0 });
  });

  it('that is closed early does not end a program that lives on', async () => {
    const file = path.join(tempFolder(), 'done');
    const result = await run(['sh', '-c', 'exec >&- 2>&-; sleep 0.4; : > "$1"; exit 7', 'sh', file]);
    expect(result).toMatchObject({ exitCode: 7, outputHeld: false });
    expect(readFileSync(file)).toHaveLength(0);
  });

  it('held open by a daemon does not hang us, and the daemon is ended', async () => {
    const file = path.join(tempFolder(), 'pid');
    const result = await run([
      'sh',
      '-c',
      'setsid sh -c \'echo $$ > "$1"; sleep 301\' sh "$1" & while [ ! -s "$1" ]; do sleep 0.01; done; echo answer',
      'sh',
      file,
    ]);
    expect(result).toMatchObject({ exitCode: 0, outputHeld: true, endedBy: 'itself', left: [] });
    expect(result.stdout.toString()).toBe('answer\n');
    expect(isAlive(await pidFrom(file))).toBe(false);
  });

  it('goes to sinks that are waited for, unbounded and with nothing held', async () => {
    let bytes = 0;
    let open = 0;
    let overlaps = 0;
    const onStdout = async (chunk: Buffer) => {
      open += 1;
      if (open > 1) overlaps += 1;
      await sleep(1);
      bytes += chunk.length;
      open -= 1;
    };
    const result = await run(['head', '-c', '8388608', '/dev/zero'], {
      ...{ purpose: 'agent', maxOutputBytes: 10, onStdout, onStderr: () => undefined },
    });
    expect([bytes, overlaps, result.stdout.length, result.truncated]).toEqual([8_388_608, 0, 0, false]);
  });

  it('is read to its end although the sink is slower than the drain', async () => {
    const chunks: Buffer[] = [];
    const onStdout = async (chunk: Buffer) => {
      await sleep(400);
      chunks.push(chunk);
    };
    const result = await run(['head', '-c', '180000', '/dev/zero'], {
      purpose: 'agent',
      onStdout,
      onStderr: () => undefined,
    });
    expect(Buffer.concat(chunks)).toHaveLength(180_000);
    expect(result.outputHeld).toBe(false);
  });

  it('whose sink throws rejects and ends the process', async () => {
    const onStdout = () => {
      throw new Error('a bug in the sink');
    };
    const started = await seam.start(
      hookRequest(['sh', '-c', 'echo x; exec sleep 301'], { purpose: 'agent', onStdout, onStderr: () => undefined }),
    );
    if (!started.ok) throw new Error(started.error.text);
    await expect(started.value.done).rejects.toThrow('a bug in the sink');
    await started.value.end();
    expect(isAlive(started.value.pid)).toBe(false);
  });
});

describe('the checker and the clock', () => {
  it('a time-out ends a program that ignores TERM', async () => {
    const result = await run(['sh', '-c', 'trap "" TERM; echo on; while :; do sleep 0.05; done'], {
      timeoutMs: 300,
      graceMs: 100,
    });
    expect(result).toMatchObject({ timedOut: true, endedBy: 'time-out', signal: 'SIGKILL', left: [] });
    expect(result.stdout.toString()).toBe('on\n');
  });

  it('end signals go in the order that was asked for', async () => {
    const file = path.join(tempFolder(), 'log');
    const script =
      'trap "echo INT >> $1" INT; trap "echo TERM >> $1" TERM; echo $$ > "$1"; while :; do sleep 0.02; done';
    const started = await seam.start(
      hookRequest(['sh', '-c', script, 'sh', file], { endSignals: ['SIGINT', 'SIGTERM'], graceMs: 200 }),
    );
    if (!started.ok) throw new Error(started.error.text);
    await pidFrom(file);
    await started.value.end();
    expect(readFileSync(file, 'utf8').split('\n').slice(1)).toEqual(['INT', 'TERM', '']);
    expect((await started.value.done).signal).toBe('SIGKILL');
  });

  it('endAll ends what runs', async () => {
    const own = createSeam({ approvals: (proof) => proof === anyProof });
    const started = await own.start(hookRequest(['sleep', '301']));
    if (!started.ok) throw new Error(started.error.text);
    await own.endAll();
    expect(isAlive(started.value.pid)).toBe(false);
  });
});

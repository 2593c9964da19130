/** How the packaged command ends: what is passed on, and what is turned into a denial. Real wrapper, Electron and main. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeProbe, type Probe } from './probe.js';

let probe: Probe;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sallyport-home-'));
  probe = await makeProbe(inject('appFolder'));
});

afterAll(async () => {
  await probe.remove();
  await rm(home, { recursive: true, force: true });
});

const env = () => ({ PATH: process.env['PATH'] ?? '', HOME: home, SALLYPORT_HOME: join(home, 'state') });
const start = (args: readonly string[], input = '') =>
  execa(probe.command, args, { reject: false, extendEnv: false, env: env(), input, maxBuffer: 64 * 1024 * 1024 });
/** A command that is still running. `said` grows; terminals and programs both write to it. */
function begin(program: string, args: readonly string[], more: Record<string, string> = {}) {
  const running = execa(program, args, {
    reject: false,
    extendEnv: false,
    env: { ...env(), ...more },
    stdin: 'pipe',
    all: true,
  });
  let said = '';
  running.all.setEncoding('utf8').on('data', (text: string) => (said += text));
  return {
    running,
    /** Waits until the text was written, and answers all that was. */
    until: async (text: string): Promise<string> => {
      while (!said.includes(text)) {
        if (running.exitCode !== null) throw new Error(`ended without ${JSON.stringify(text)}: ${said}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return said;
    },
  };
}

const pidIn = (text: string): number => Number(/ready (\d+)\n/.exec(text)?.[1]);

describe('arguments', () => {
  it('arrive as they were given', async () => {
    const args = ['run', '--agent', 'practice', '--', 'say "hi"; echo $HOME', '', '--', 'a\nb', '*', 'ä €'];
    const ended = await start(['arguments', ...args]);
    expect(JSON.parse(ended.stdout)).toEqual(args);
  });

  it('arrive even where Chromium, Electron or Node know a switch of that name', async () => {
    const args = ['--version', '--help', '-h', '-v', '--type=renderer', '--headless', '--no-sandbox', '--inspect'];
    args.push('--js-flags=--expose-gc', '--require', '/nowhere.cjs', '--profile', 'p', '--user-data-dir=/nowhere');
    const ended = await start(['arguments', ...args]);
    expect(JSON.parse(ended.stdout)).toEqual(args);
  });
});

describe('streams', () => {
  it('bring all of a long input and all of a long answer', async () => {
    const payload = 'p'.repeat(4 * 1024 * 1024);
    expect(JSON.parse((await start(['dispatch', 'read-stdin'], payload)).stdout)).toEqual({ bytes: payload.length });
    for (const args of [['write-much'], ['dispatch', 'write-much']]) {
      const ended = await start(args);
      expect(ended.exitCode).toBe(0);
      expect((JSON.parse(ended.stdout) as { text: string }).text).toHaveLength(8 * 1024 * 1024);
    }
  });

  it('carry nothing but what the command wrote', async () => {
    expect(await start(['silent'])).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('may be closed: a command with no standard input works', async () => {
    const ended = await execa('/bin/sh', ['-c', '"$0" arguments 1 <&-', probe.command], {
      reject: false,
      extendEnv: false,
      env: env(),
    });
    expect(ended).toMatchObject({ exitCode: 0, stdout: '["1"]' });
  });
});

describe('dispatch', () => {
  it.each(['throw', 'throw-later', 'crash', 'half-answer-then-crash', 'silent', 'exit-3', 'exit-9', 'exit-2'])(
    'denies when the program does this: %s',
    async (act) => {
      const ended = await start(['dispatch', act]);
      expect(ended.exitCode).toBe(2);
      expect(ended.stdout).toBe('');
      if (act !== 'exit-2') expect(ended.stderr.trim()).not.toBe('');
    },
  );

  it('is known behind global options', async () => {
    expect((await start(['--state-dir', join(home, 'other'), 'dispatch', 'x'])).exitCode).toBe(2);
    expect((await start(['--state-dir=dispatch', 'exit-3'])).exitCode).not.toBe(2);
  });

  it.each(['SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGABRT'] as const)('denies when the program gets %s', async (signal) => {
    const { running, until } = begin(probe.command, ['dispatch', 'wait']);
    process.kill(pidIn(await until('\n')), signal);
    const ended = await running;
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr.trim()).not.toBe('');
  });
});

describe('other commands', () => {
  it('end with the status of the command', async () => {
    expect((await start(['exit-3'])).exitCode).toBe(3);
    expect((await start(['exit-9'])).exitCode).toBe(9);
  });

  it.each(['crash', 'throw', 'throw-later'])('end with 70 and a text on this: %s', async (act) => {
    const ended = await start([act]);
    expect(ended.exitCode).toBe(70);
    expect(ended.stderr.trim()).not.toBe('');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('pass %s on to the program and end with it', async (signal) => {
    const { running, until } = begin(probe.command, ['wait']);
    const program = pidIn(await until('\n'));
    running.kill(signal);
    // Electron takes signals over once its loop runs; the program then dies of this one, which the wrapper calls 70 (measured).
    expect([130, 70]).toContain((await running).exitCode);
    expect(() => process.kill(program, 0)).toThrow();
  });

  it('are interrupted once when the whole group is, by a terminal', async () => {
    // `script` gives the command a terminal of its own; the character 3 is Ctrl-C, and 4 ends the input.
    const { running, until } = begin('script', ['-qec', `exec "${probe.command}" wait-and-count`, '/dev/null'], {
      SHELL: '/bin/sh',
    });
    await until('ready');
    running.stdin.write('\x03');
    await until('interrupted');
    running.stdin.write('\x04');
    const ended = await running;
    expect(ended.all).toContain('interrupted 1');
    expect(ended.exitCode).toBe(31);
  });
});

/** `sallyport run` where its terminal, its output or its arguments go wrong: the run is recorded all the same, and its agent does not live on. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMAND, newestRun, newUser, onTerminal, sallyport, start, type User } from './command.js';

let user: User;
beforeEach(() => {
  user = newUser(null);
});
afterEach(() => {
  user.remove();
});

const script = (...commands: string[]) =>
  JSON.stringify({ steps: commands.map((command) => ({ tool: 'shell', input: { command } })) });
const argv = (...args: string[]) => [process.execPath, COMMAND, 'run', '--agent', 'practice', ...args];
/** The argv of a shell that has the command as `"$@"`. */
const inShell = (text: string, command: readonly string[]) => ['bash', '-c', text, 'bash', ...command];
const isUp = () => expect.poll(() => user.has('up'), { timeout: 30_000 }).toBe(true);
const record = () => newestRun(user);

function processesOf(runId: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`SALLYPORT_RUN=${runId}`);
    } catch {
      return false;
    }
  });
}

describe('a terminal that goes away', () => {
  it('ends the run as killed, recorded first, with the exit code of a stopped run', async () => {
    // The outer shell leads the session and dies of the hang-up; the inner one outlives it, to tell how the command ended.
    const telling = inShell('trap : HUP; "$@"; echo $? > code', argv('--', script('touch up; sleep 300')));
    const terminal = onTerminal(user, inShell('"$@"; true', telling));
    await isUp();
    const { id } = record();
    terminal.kill('SIGKILL');
    await expect.poll(() => record().phase, { timeout: 30_000 }).toBe('done');
    expect(record()).toMatchObject({ outcome: 'killed', reason: 'the terminal was closed (SIGHUP)' });
    expect(processesOf(id)).toEqual([]);
    await expect.poll(() => user.has('code') && user.read('code'), { timeout: 30_000 }).toBe('130\n');
  });

  it('Ctrl-\\ ends the agent too', async () => {
    const terminal = onTerminal(user, argv('--', script('touch up; sleep 300')));
    await isUp();
    const { id } = record();
    terminal.type('\x1c');
    await terminal.expect('grey');
    expect((await terminal.end()).status).toBe(130);
    expect(processesOf(id)).toEqual([]);
  });
});

describe('an output that goes away', () => {
  const twoCalls = script('sleep 1', 'touch second');

  it('a reader that leaves does not end the run', async () => {
    const ended = await start(user, inShell('"$@" | head -1; exit ${PIPESTATUS[0]}', argv('--', twoCalls))).done;
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect(user.has('second')).toBe(true);
    expect(record()).toMatchObject({ phase: 'done', outcome: 'succeeded' });
  });

  it('nor does a full disk, which is said on standard error', async () => {
    const ended = await start(user, inShell('"$@" > /dev/full', argv('--', twoCalls))).done;
    expect(ended.code).toBe(0);
    expect(ended.err).toMatch(/^sallyport: standard output cannot be written \(ENOSPC\).*\n$/);
    expect(record()).toMatchObject({ phase: 'done', outcome: 'succeeded' });
  });

  it('nor do both at once', async () => {
    const ended = await start(user, inShell('"$@" > /dev/full 2>&1', argv('--', twoCalls))).done;
    expect(ended).toEqual({ code: 0, out: '', err: '' });
    expect(record()).toMatchObject({ phase: 'done', outcome: 'succeeded' });
  });

  it('half a list is not the whole one, and a denial that nobody could read is still one', async () => {
    const list = [process.execPath, COMMAND, 'runs', 'list'];
    expect((await start(user, inShell('"$@" > /dev/full', list)).done).code).toBe(4);
    const asked = spawnSync(
      'bash',
      ['-c', '"$@" > /dev/full', 'bash', process.execPath, COMMAND, 'dispatch', 'call.asked', '--profile', 'practice'],
      {
        env: user.env,
        cwd: user.workspace,
        input: JSON.stringify({
          cwd: user.workspace,
          session: 's',
          call: { id: 'c', tool: 'shell', input: { command: 'ls' } },
        }),
      },
    );
    expect(asked.status).toBe(2);
  });
});

describe('arguments that cannot be taken', () => {
  it('a pipe or a device is no hook document', async () => {
    const fifo = join(user.home, 'fifo');
    spawnSync('mkfifo', [fifo]);
    for (const file of [fifo, '/dev/zero']) {
      const ended = await start(user, argv('--hook', file, '--', script('touch mark'))).done;
      expect(ended.code).toBe(4);
      expect(ended.err).toContain(`the hook file ${file} is not a regular file; nothing was started`);
    }
    expect((await start(user, argv('--hook', join(user.home, 'none'), '--', 'x')).done).code).toBe(2);
    expect(user.has('mark')).toBe(false);
  });

  it('a prompt that is too long for one argument is refused with what to do', async () => {
    const words = Array.from({ length: 3 }, () => 'x'.repeat(60_000));
    const ended = await start(user, argv('--', ...words)).done;
    expect(ended.code).toBe(2);
    expect(ended.err).toContain('its limit is 128 KiB');
    expect(ended.err).toContain('into a file in the workspace');
  });

  it('a missing agent is exit 4, and recorded as failed', async () => {
    expect((await sallyport(user, 'run', '--agent', 'claude-code', '--', 'x')).code).toBe(4);
    expect(record()).toMatchObject({ phase: 'done', outcome: 'failed', startedAt: null });
  });
});

/** `sallyport run` with the built-in practice agent: the first thing that a newcomer sees, and the faults around a run. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startKeyring, type Keyring } from '../support/keyring.js';
import {
  COMMAND,
  FORBIDDEN,
  hooksFile,
  inSession,
  newestRun,
  newUser,
  onTerminal,
  prints,
  runApproving,
  sallyport,
  shHook,
  start,
  type User,
} from './command.js';

const EXAMPLE = resolve(dirname(fileURLToPath(import.meta.url)), '../../examples/practice-hooks.json');

let user: User;
let ring: Keyring;
beforeAll(async () => {
  ring = await startKeyring('open');
});
afterAll(async () => {
  await ring.end();
  ring.remove();
});
beforeEach(() => {
  user = inSession(newUser(null), ring);
});
afterEach(() => {
  user.remove();
});

const script = (...steps: object[]) => JSON.stringify({ steps });
const shell = (command: string) => ({ tool: 'shell', input: { command } });
const argv = (...args: string[]) => [process.execPath, COMMAND, 'run', '--agent', 'practice', ...args];

/** Pids whose environment says that they belong to this run. */
function processesOf(runId: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`SALLYPORT_RUN=${runId}`);
    } catch {
      return false;
    }
  });
}

describe('the practice run', () => {
  it('shows a denial, an approval and a leak that turns it red, at a terminal', async () => {
    const terminal = onTerminal(user, argv('--hook', EXAMPLE, '--', 'Set the project up.'));
    await terminal.expect('argument 2   {"schema_version":1');
    await terminal.expect('anything else leaves it inert: ');
    await new Promise((done) => setTimeout(done, 1_000));
    terminal.type('approve\r');
    await terminal.expect('DENIED   write');
    await terminal.expect('publishing needs a person');
    await new Promise((done) => setTimeout(done, 1_000));
    terminal.type('y\r');
    await terminal.expect('red');
    await terminal.expect('leaked: practice-secret in the agent');
    expect((await terminal.end()).status).toBe(1);
    expect(user.has('published.txt')).toBe(true);
    expect(user.has('.env')).toBe(false);
    const run = newestRun(user);
    expect(run.facts).toMatchObject({ toolCalls: 4, guarded: 4, denials: 1, approvalsGranted: 1 });
    expect(run).toMatchObject({ outcome: 'succeeded', exitScan: { state: 'leaked', leaked: 1, redactionFailed: 0 } });
    // The secret itself is in the agent's session alone: not on the screen, and in no file of the run.
    const [session] = readdirSync(user.at('.practice-agent'));
    const [secret = 'none'] = /practice_secret_[0-9a-f]{32}/.exec(user.read(`.practice-agent/${session}`)) ?? [];
    expect(secret).not.toBe('none');
    expect(terminal.screen()).not.toContain(secret);
    for (const name of readdirSync(run.folder)) {
      if (name === 'gate') continue;
      expect(readFileSync(join(run.folder, name), 'utf8')).not.toContain(secret.slice('practice_secret_'.length));
    }
    expect(readFileSync(join(run.folder, 'stdout.log'), 'utf8')).toContain('[REDACTED:practice-secret:');
  });

  it('what was typed before the question stood there does not answer it', async () => {
    const terminal = onTerminal(user, argv('--hook', EXAMPLE, '--', 'Set the project up.'));
    terminal.type('approve\r');
    await terminal.expect('anything else leaves it inert: ');
    terminal.type('approve\r');
    await new Promise((done) => setTimeout(done, 1_500));
    terminal.type('no\r');
    await terminal.expect('left out of this run');
    await terminal.end();
  });

  it('without a terminal nobody is asked, and both are refused', async () => {
    const ended = await start(user, argv('--hook', EXAMPLE, '--', 'Set the project up.')).done;
    expect(ended.err).toContain('there is no terminal to ask at');
    expect(ended.code).toBe(3);
    expect(user.has('.env')).toBe(false);
    const approved = await runApproving(user, (approve) =>
      argv('--hook', EXAMPLE, ...approve, '--', 'Set the project up.'),
    );
    expect(approved.code).toBe(1);
    expect(user.has('published.txt')).toBe(false);
    expect(newestRun(user).facts.approvalsDenied).toBe(1);
  });

  it('a failure of the agent is red', async () => {
    const ended = await start(user, argv('--', JSON.stringify({ steps: [], ok: false }))).done;
    expect(ended.code).toBe(1);
    expect(ended.out).toContain('red');
  });

  it('a policy hook at run.before refuses the run with exit 3', async () => {
    const file = hooksFile(user, shHook('never', 'run.before', prints({ action: 'deny', reason: 'not today' })));
    const ended = await runApproving(user, (approve) =>
      argv('--hook', file, ...approve, '--', script(shell('touch mark'))),
    );
    expect(ended.code).toBe(3);
    expect(ended.out).toContain('not today');
    expect(user.has('mark')).toBe(false);
    expect(newestRun(user)).toMatchObject({ outcome: 'denied', phase: 'done', startedAt: null });
  });
});

describe('what goes wrong', () => {
  it('the owner is killed in mid-run: the next call does not run, and the next start cleans up', async () => {
    const file = hooksFile(user, FORBIDDEN);
    const started = start(
      user,
      argv('--hook', file, '--', script(shell('touch first; sleep 3'), shell('touch second'), shell('sleep 300'))),
    );
    await expect.poll(() => user.has('first'), { timeout: 30_000 }).toBe(true);
    const { id } = newestRun(user);
    process.kill(started.pid, 'SIGKILL');
    await expect.poll(() => processesOf(id).length, { timeout: 30_000 }).toBe(0);
    expect(user.has('second')).toBe(false);
    const next = await start(user, argv('--', script(shell('true')))).done;
    expect(next.err).toContain(`run ${id} was left behind`);
    const show = await sallyport(user, 'runs', 'show', id);
    expect(show.out).toContain('interrupted');
  });

  it('an agent that forks away is ended with the run', async () => {
    const started = start(user, argv('--', script(shell('(setsid sleep 301 &) ; touch forked; sleep 300'))));
    await expect.poll(() => user.has('forked'), { timeout: 30_000 }).toBe(true);
    const { id } = newestRun(user);
    expect(processesOf(id).length).toBeGreaterThan(1);
    process.kill(started.pid, 'SIGINT');
    const ended = await started.done;
    expect(ended.code).toBe(130);
    expect(ended.out).toContain('grey');
    expect(processesOf(id)).toEqual([]);
  });

  it('a registry file with two broken hooks: both are named by path, nothing starts', async () => {
    const bad = {
      schema_version: 1,
      id: 'a',
      name: 'a',
      point: 'tool.before',
      scope: 'global',
      mode: 'blocking',
      handler: { kind: 'command', argv: [] },
    };
    user.put(
      join(user.state, 'hooks/global.json'),
      JSON.stringify({ schema_version: 1, hooks: [bad, { ...bad, id: 'b', mode: 'nope' }] }),
      0o600,
    );
    const ended = await start(user, argv('--', script(shell('touch mark')))).done;
    expect(ended.code).toBe(3);
    expect(ended.out).toContain('hooks[0].handler.argv');
    expect(ended.out).toContain('hooks[1].mode');
    expect(user.has('mark')).toBe(false);
  });

  it('a registry file that breaks in mid-run: the last good form stays in force', async () => {
    const global = join(user.state, 'hooks/global.json');
    user.put(global, JSON.stringify({ ...FORBIDDEN, scope: 'global' }), 0o600);
    const breakIt = shell(`echo '{"hooks": [' > '${global}'; sleep 0.1`);
    const ended = await start(
      user,
      argv('--', script(breakIt, { tool: 'write', input: { path: '.env', content: 'x' } })),
    ).done;
    expect(user.has('.env')).toBe(false);
    expect(ended.out).toContain('its last good form stays in force');
  });

  it('a guard that the agent deletes stays in force for the run, which turns amber', async () => {
    const global = join(user.state, 'hooks/global.json');
    user.put(global, JSON.stringify({ ...FORBIDDEN, scope: 'global' }), 0o600);
    const remove = shell(`rm '${global}'`);
    const ended = await start(
      user,
      argv('--', script(remove, { tool: 'write', input: { path: '.env', content: 'x' } })),
    ).done;
    expect(user.has('.env')).toBe(false);
    expect(ended.out).toContain('amber');
    expect(ended.code).toBe(0);
  });

  it('an agent cannot approve: inside a run nothing is asked and --approve is refused', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const inner = `'${process.execPath}' '${COMMAND}' run --agent practice --approve ${digest} -- x > inner.txt 2>&1; echo $? >> inner.txt`;
    await start(user, argv('--', script(shell(inner)))).done;
    expect(user.read('inner.txt')).toContain('inside a run nothing can be approved');
    expect(user.read('inner.txt').trim().endsWith('3')).toBe(true);
  });

  it('nor can it change the registry: a hook of the same id would replace a guard', async () => {
    const file = user.put(
      join(user.home, 'weaker.json'),
      JSON.stringify({ ...FORBIDDEN, scope: 'global', enabled: false }),
    );
    const inner = `'${process.execPath}' '${COMMAND}' --state-dir '${user.state}' hook add '${file}' > inner.txt 2>&1; echo $? >> inner.txt`;
    await start(user, argv('--', script(shell(inner)))).done;
    expect(user.read('inner.txt')).toContain('inside a run the registry is not changed');
    expect((await sallyport(user, 'hook', 'list')).out).not.toContain('no-secrets-files');
    expect((await sallyport(user, 'hook', 'add', file)).code).toBe(0);
  });

  it('Ctrl-C at the first question ends in grey, and nothing was started', async () => {
    const file = hooksFile(user, shHook('g', 'tool.before', 'true'));
    const terminal = onTerminal(user, argv('--hook', file, '--', script(shell('touch mark'))));
    await terminal.expect('anything else leaves it inert: ');
    terminal.type('\x03');
    await terminal.expect('grey');
    expect((await terminal.end()).status).toBe(130);
    expect(user.has('mark')).toBe(false);
  });

  it('usage errors say what to do and exit 2; a missing agent and a bad state folder exit 4', async () => {
    expect((await sallyport(user, 'run', '--agent', 'nobody', '--', 'x')).code).toBe(2);
    expect((await sallyport(user, 'run', '--agent', 'practice', '--')).code).toBe(2);
    expect((await sallyport(user, 'run', '--agent', 'practice', '--workspace', '/no/such', '--', 'x')).code).toBe(2);
    expect((await sallyport(user, 'run', '--agent', 'practice', '--bypass', 'all', '--', 'x')).code).toBe(2);
    expect((await sallyport(user, 'run', '--agent', 'practice', '--bypass', 'activate', '--', 'x')).code).toBe(3);
    expect((await sallyport(user, 'run', '--agent', 'claude-code', '--', 'x')).code).toBe(4);
    expect((await sallyport(user, '--state-dir', '/dev/null/x', 'runs', 'list')).code).toBe(4);
    expect((await sallyport(user, 'nonsense')).code).toBe(2);
  });
});

describe('the other commands', () => {
  it('lists, shows, traces and doctors what was run', async () => {
    const file = hooksFile(user, FORBIDDEN);
    await start(user, argv('--hook', file, '--', script({ tool: 'write', input: { path: '.env', content: 'x' } })))
      .done;
    const { id } = newestRun(user);
    expect((await sallyport(user, 'runs', 'list')).out).toContain(id.slice(0, 8));
    const shown = await sallyport(user, '--json', 'runs', 'show', id);
    expect(JSON.parse(shown.out)).toBeTypeOf('object');
    const traced = await sallyport(user, 'hook', 'traces');
    expect(traced.out).toContain('no-secrets-files');
    const doctor = await sallyport(user, 'doctor');
    expect(doctor.out).toContain('Practice agent: built in');
    expect(doctor.code).toBe(1);
  });

  it("the full command decides by builtins and denies at process hooks, exit 2 or the agent's own denial", () => {
    user.put(
      join(user.state, 'hooks/global.json'),
      JSON.stringify({
        schema_version: 1,
        hooks: [
          { ...FORBIDDEN, scope: 'global' },
          { ...shHook('p', 'command.before', prints({ action: 'allow' })), scope: 'global' },
        ],
      }),
      0o600,
    );
    const ask = (call: object, ...args: string[]) => {
      const input = JSON.stringify({ cwd: user.workspace, session: 's', call: { id: 'c', ...call } });
      const ran = spawnSync(process.execPath, [COMMAND, 'dispatch', ...args], {
        env: user.env,
        cwd: user.workspace,
        input,
        encoding: 'utf8',
      });
      return { code: ran.status, out: ran.stdout, err: ran.stderr };
    };
    const practice = ['call.asked', '--profile', 'practice'];
    expect(ask({ tool: 'write', input: { path: 'a.txt', content: '' } }, ...practice)).toMatchObject({
      code: 0,
      out: '{"answer":"go"}',
    });
    expect(ask({ tool: 'write', input: { path: '.env', content: '' } }, ...practice).out).toContain('"refuse"');
    expect(ask({ tool: 'shell', input: { command: 'ls' } }, ...practice).out).toContain('"refuse"');
    expect(ask({}, 'call.asked', '--profile', 'nobody').code).toBe(2);
    expect(ask({}, 'call.asked').code).toBe(2);
  });
});

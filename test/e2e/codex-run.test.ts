/**
 * `sallyport run` on the real Codex, beside a scripted model: every right outcome. Marker files prove what ran and
 * what did not. The model is gpt-5.5, which is offered apply_patch, unless a test says otherwise.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../shared/contracts/exit-scan.js';
import { CODEX_VERSIONS } from '../support/agents.mjs';
import { startKeyring, type Keyring } from '../support/keyring.js';
import {
  runAll,
  besideCodexModel,
  exec,
  newCodexUser,
  NO_SANDBOX,
  patch,
  patchText,
  type CodexUser,
} from './codex-user.js';
import {
  askedDigests,
  calls,
  FORBIDDEN,
  hooksFile,
  newestRun,
  onTerminal,
  prints,
  shHook,
  start,
  inSession,
  sallyport,
} from './command.js';

let user: CodexUser;
let ring: Keyring;

beforeAll(async () => {
  ring = await startKeyring('open');
});
afterAll(async () => {
  await ring.end();
  ring.remove();
});

const run = (scenario: unknown, hooks: readonly object[], options: readonly string[] = []) =>
  runAll(user, scenario, hooks, options);
const touch = (name: string) => exec(`touch ${name}`);
const modelLog = () => readFileSync(join(user.home, 'model.jsonl'), 'utf8');
const rewriteTo = (command: string) =>
  shHook('rewrite', 'command.before', prints({ action: 'modify', mutations: { args: { command } } }), {
    needs: { decisions: ['modify'] },
  });

describe.each(CODEX_VERSIONS)('Codex %s', (version) => {
  beforeEach(() => {
    user = inSession(newCodexUser(version), ring);
  });
  afterEach(() => {
    user.remove();
  });

  it('a harmless command runs, and the run is green', async () => {
    const { code, record, out } = await run(calls(touch('mark')), [FORBIDDEN]);
    expect(out).toContain('green');
    expect(user.has('mark')).toBe(true);
    expect(code).toBe(0);
    expect(record).toMatchObject({ outcome: 'succeeded', agentVersion: version, phase: 'done' });
    // The script that npm puts on PATH only starts another program; that one was approved and started.
    expect(record.agentProgram).toMatch(/\/bin\/codex$/);
    expect(record.facts).toMatchObject({
      toolCalls: 1,
      guarded: 1,
      unguarded: [],
      dispatchesWithoutCall: [],
      argsDiffer: [],
    });
  });

  it('a secret that a tool brings in turns the run red, its receipt verifies, and the next run is not blamed', async () => {
    const secret = `ghp_${randomBytes(27).toString('hex').slice(0, 36)}`;
    user.put(user.at('notes.txt'), `the deploy token is ${secret}\n`);
    const leaked = await run(calls(exec('cat notes.txt')), [FORBIDDEN]);
    expect(leaked.record.exitScan).toMatchObject({ state: 'leaked', redactionFailed: 0 });
    expect([leaked.code, leaked.out.includes('red'), leaked.out.includes(secret)]).toEqual([1, true, false]);
    const { findings } = JSON.parse(readFileSync(join(leaked.record.folder, 'findings.json'), 'utf8')) as {
      findings: Finding[];
    };
    expect(findings.every(({ part, path }) => part === 'agent_state' && path.startsWith(user.codexHome))).toBe(true);
    expect(findings.some(({ origin, path }) => origin === 'leaked' && path.includes('rollout-'))).toBe(true);
    for (const name of ['events.jsonl', 'stdout.log', 'traces.jsonl', 'run.json', 'findings.json', 'receipt.json'])
      expect(readFileSync(join(leaked.record.folder, name), 'utf8')).not.toContain(secret);
    expect(leaked.record.receipt).toMatchObject({ state: 'signed', why: null });
    const verified = await sallyport(user, 'receipt', 'verify', leaked.record.id);
    expect([verified.code, verified.err]).toEqual([0, '']);

    // The agent's databases hold the words of both sessions.
    const clean = await run(calls(touch('mark')), [FORBIDDEN]);
    expect(clean.record.exitScan).toMatchObject({ leaked: 0, redactionFailed: 0 });
    expect(clean.record.exitScan.state).not.toBe('incomplete');
    expect(clean.code).toBe(0);
    expect((await sallyport(user, 'receipt', 'verify', '--chain')).code).toBe(0);
  });

  it.each([
    ['in the sandbox', []],
    ['without it', NO_SANDBOX],
  ] as const)(
    'writing .env is denied by patch, by shell and by a patch in a shell command, %s',
    async (_name, options) => {
      const steps = calls(
        patch('*** Add File: .env', '+A=1'),
        exec('echo x > .env'),
        exec(`apply_patch <<'EOF'\n${patchText('*** Add File: .env', '+A=1')}\nEOF`),
        exec(`mkdir -p sub && cd sub && apply_patch <<'EOF'\n${patchText('*** Add File: ../.env', '+A=1')}\nEOF`),
        patch('*** Add File: fine.txt', '+fine'),
        exec(`apply_patch <<'EOF'\n${patchText('*** Add File: too.txt', '+fine')}\nEOF`),
      );
      const { record, out } = await run(steps, [FORBIDDEN], options);
      expect(user.has('.env')).toBe(false);
      expect(user.read('fine.txt')).toBe('fine\n');
      expect(user.read('too.txt')).toBe('fine\n');
      expect(record.facts).toMatchObject({ toolCalls: 6, denials: 4, guarded: 6, unguarded: [], argsDiffer: [] });
      expect(out).toContain('DENIED');
      expect(modelLog()).toContain('Command blocked by PreToolUse hook: ');
    },
  );

  it('a rewritten command runs in its new form, and what was executed is what was judged', async () => {
    const { record, out } = await run(calls(touch('old')), [rewriteTo('touch new')]);
    expect(out).toContain('green');
    expect(user.has('old')).toBe(false);
    expect(user.has('new')).toBe(true);
    expect(record.facts).toMatchObject({ modified: 1, argsDiffer: [] });
  });

  it("a rewrite grants nothing: the agent's own sandbox still judges it", async () => {
    const outside = `/var/tmp/sallyport-codex-${process.pid}`;
    try {
      const hook = rewriteTo(`touch ${outside}; touch ran`);
      const { record } = await run(calls(touch('old')), [hook]);
      expect(record.facts.modified).toBe(1);
      expect(user.has('ran')).toBe(true);
      expect(existsSync(outside)).toBe(false);
      // The same without the sandbox: it was the sandbox that kept it from happening.
      await run(calls(touch('old')), [hook], NO_SANDBOX);
      expect(existsSync(outside)).toBe(true);
    } finally {
      rmSync(outside, { force: true });
    }
  });

  it('a rewritten patch is applied in its new form', async () => {
    const command = patchText('*** Add File: new.txt', '+new');
    const rewrite = shHook(
      'rewrite',
      'file.before_write',
      prints({ action: 'modify', mutations: { args: { command } } }),
      {
        needs: { decisions: ['modify'] },
      },
    );
    const { record } = await run(calls(patch('*** Add File: old.txt', '+old')), [rewrite]);
    expect(user.has('old.txt')).toBe(false);
    expect(user.read('new.txt')).toBe('new\n');
    expect(record.facts).toMatchObject({ modified: 1, argsDiffer: [] });
  });

  describe('a failing guard denies and is traced', () => {
    it.each([
      ['missing program', { kind: 'command', argv: ['no-such-program-anywhere'] }, {}],
      ['exit 1', 'exit 1', {}],
      ['silence', 'true', {}],
      ['hanging', 'sleep 60', { timeout_seconds: 0.5 }],
      ['text before its JSON', `echo hello; ${prints({ action: 'allow' })}`, {}],
      ['two JSON objects', `${prints({ action: 'allow' })}; ${prints({ action: 'allow' })}`, {}],
    ] as const)('%s', async (_name, handler, more) => {
      const guard =
        typeof handler === 'string'
          ? shHook('guard', 'command.before', handler, more)
          : { ...shHook('guard', 'command.before', '', more), handler };
      const { record } = await run(calls(touch('mark')), [guard]);
      expect(user.has('mark')).toBe(false);
      expect(record.facts.denials).toBe(1);
      expect(readFileSync(join(record.folder, 'traces.jsonl'), 'utf8')).toContain('"status":"failed"');
    });
  });

  it('a guard that a person does not approve is left out, and the run says so', async () => {
    const file = hooksFile(user, shHook('guard', 'command.before', 'touch guard-ran; exit 1'));
    const terminal = onTerminal(user, besideCodexModel(user, calls(touch('mark')), ['--hook', file, '--', 'Go.']));
    for (const answer of ['approve', 'no']) {
      await terminal.expect('anything else leaves it inert: ');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      terminal.type(`${answer}\r`);
    }
    await terminal.end();
    expect(terminal.screen()).toContain('left out of this run');
    expect(user.has('guard-ran')).toBe(false);
    expect(user.has('mark')).toBe(true);
    expect(newestRun(user).notices.join()).toContain('not approved');
  });

  it("nothing of it is started before a person's yes to its program", async () => {
    const file = hooksFile(user, FORBIDDEN);
    const { err } = await start(user, besideCodexModel(user, calls(touch('mark')), ['--hook', file, '--', 'Go.'])).done;
    expect(askedDigests(err)).toHaveLength(1);
    // The agent makes its databases as soon as any of its commands runs.
    expect(existsSync(join(user.codexHome, 'state_5.sqlite')) || existsSync(join(user.codexHome, 'tmp'))).toBe(false);
  });

  it("nothing of the run is left in the user's settings, and no secret or token in its record", async () => {
    const before = readFileSync(join(user.codexHome, 'config.toml'), 'utf8');
    const { record } = await run(calls(exec('echo "$OPENAI_API_KEY"')), [FORBIDDEN]);
    expect(readFileSync(join(user.codexHome, 'config.toml'), 'utf8')).toBe(before);
    expect(existsSync(join(user.codexHome, 'hooks.json'))).toBe(false);
    for (const name of ['run.json', 'events.jsonl', 'stdout.log', 'stderr.log']) {
      expect(readFileSync(join(record.folder, name), 'utf8')).not.toContain('made-up-key-0123456789');
    }
    expect(existsSync(join(record.folder, 'gate/token'))).toBe(false);
  });

  it('a turn may not end while a guard objects, and the agent goes back to work', async () => {
    const guard = shHook(
      'done',
      'turn.stopping',
      `if [ -e finished ]; then ${prints({ action: 'allow' })}; else ${prints({ action: 'deny', reason: 'not finished' })}; fi`,
    );
    const scenario = [{ text: 'I am done.' }, { calls: [touch('finished')] }, { text: 'Now I am.' }];
    const { record } = await run(scenario, [guard]);
    expect(user.has('finished')).toBe(true);
    expect(record.outcome).toBe('succeeded');
    expect(modelLog()).toContain('not finished');
  });

  it('a call may name its own folder, and the policy follows it there', async () => {
    mkdirSync(user.at('.git'));
    user.put(user.at('.git/config'), 'mine');
    const inGit = { name: 'exec_command', input: { cmd: 'echo evil > config', workdir: user.at('.git') } };
    const { record } = await run(calls(inGit), [FORBIDDEN], NO_SANDBOX);
    expect(user.read('.git/config')).toBe('mine');
    expect(record.facts.denials).toBe(1);
  });

  it('a launcher that goes missing in mid-run denies every further call, and the run says so', async () => {
    const { code, record, out } = await run(
      calls(exec(`rm '${user.state}/bin/sallyport-hook'`), touch('mark')),
      [FORBIDDEN],
      NO_SANDBOX,
    );
    expect(user.has('mark')).toBe(false);
    expect(record.facts.guarded).toBe(1);
    expect(out).toContain('the hook launcher was changed or removed');
    expect(modelLog()).toContain('the hook launcher failed, so this is denied');
    expect(out).toContain('amber');
    expect(code).toBe(0);
  });

  it('a guard at the end of the turn that is gone round turns the run red', async () => {
    const guard = shHook('done', 'turn.stopping', prints({ action: 'deny', reason: 'not yet' }));
    const { code, out } = await run(
      calls(exec(`printf '#!/bin/sh\\necho "{}"\\n' > '${user.state}/bin/sallyport-hook'`)),
      [guard],
      NO_SANDBOX,
    );
    expect(code).toBe(1);
    expect(out).toContain('red');
    expect(out).toContain('the hook launcher was changed or removed');
  });

  it('a proxy in the environment does not take the traffic of the gate', async () => {
    const proxied = {
      ...user,
      env: { ...user.env, HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' },
    };
    const { record } = await runAll(proxied, calls(touch('mark'), exec('echo x > .env')), [FORBIDDEN]);
    expect(user.has('.env')).toBe(false);
    expect(user.has('mark')).toBe(true);
    expect(record.facts).toMatchObject({ guarded: 2, denials: 1 });
  });

  it('the gate is killed in mid-run: the next tool call does not run', async () => {
    const file = hooksFile(user, FORBIDDEN);
    const scenario = calls(exec('touch first; sleep 3'), touch('second'));
    const refused = await start(user, besideCodexModel(user, scenario, ['--hook', file, '--', 'Go.'])).done;
    const approve = askedDigests(refused.err).flatMap((digest) => ['--approve', digest]);
    const argv = besideCodexModel(user, scenario, ['--hook', file, ...approve, '--', 'Go.'], { lingers: true });
    const started = start(user, argv);
    await expect.poll(() => user.has('first'), { timeout: 60_000 }).toBe(true);
    process.kill(newestRun(user).ownerPid ?? 0, 'SIGKILL');
    const agent = newestRun(user).agentPid ?? 0;
    await expect.poll(() => existsSync(`/proc/${agent}`), { timeout: 60_000 }).toBe(false);
    await started.done;
    expect(user.has('second')).toBe(false);
  });

  it('a gate that nobody reaches any more denies, and the turn is sent back three times at most', async () => {
    const guard = shHook('done', 'turn.stopping', prints({ action: 'allow' }));
    const socket = exec(`rm '${user.state}'/runs/*/gate/s`);
    const { code, out, record } = await run(calls(socket, touch('mark')), [FORBIDDEN, guard], NO_SANDBOX);
    expect(user.has('mark')).toBe(false);
    expect(modelLog()).toContain('the gate of this run does not answer');
    expect(record.facts).toMatchObject({ guarded: 1, notExecuted: 1 });
    // Nobody let the turn end, so it is no success.
    expect(out).toContain('red');
    expect(code).toBe(1);
    // The two calls, the end of the turn, and once more for each time that it was sent back.
    expect(modelLog().trim().split('\n')).toHaveLength(3 + 3);
  });

  it('an error of the model turns the run red', async () => {
    const { code, out, record } = await run([{ error: { status: 400, message: 'no such thing' } }], [FORBIDDEN]);
    expect(code).toBe(1);
    expect(out).toContain('red');
    expect(record.outcome).toBe('failed');
  });

  it('a level of bypass that it does not have is refused', async () => {
    const { code, record } = await run(calls(touch('mark')), [FORBIDDEN], ['--bypass', 'activate']);
    expect(code).toBe(3);
    expect(record).toMatchObject({ outcome: 'denied', agentPid: null });
    expect(user.has('mark')).toBe(false);
  });

  it('Ctrl-C ends it with SIGINT first, in grey, and the tree is gone', async () => {
    const file = hooksFile(user, FORBIDDEN);
    const mark = `sleep 3${process.pid}`;
    const terminal = onTerminal(
      user,
      besideCodexModel(user, calls(exec(`touch started; ${mark}`)), ['--hook', file, '--', 'Go.']),
    );
    await terminal.expect('Type "approve"');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    terminal.type('approve\r');
    await expect.poll(() => user.has('started'), { timeout: 60_000 }).toBe(true);
    const { agentPid } = newestRun(user);
    terminal.type('\x03');
    await terminal.expect('grey');
    expect((await terminal.end()).status).toBe(130);
    // After SIGTERM it would have died of the signal; after SIGINT it ends by itself with status 1 (measured).
    expect(newestRun(user)).toMatchObject({ outcome: 'killed', phase: 'done', exitCode: 1, exitSignal: null });
    expect(existsSync(`/proc/${agentPid}`)).toBe(false);
  });
});

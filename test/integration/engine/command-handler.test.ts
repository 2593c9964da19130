import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HookDocument } from '../../../shared/contracts/hook.js';
import type { HookEvent } from '../../../shared/contracts/event.js';
import { newId } from '../../../shared/ids.js';
import type { JsonObject } from '../../../shared/json.js';
import { resolveHook, type ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import { createMemoryApprovals } from '../../../electron/core/approvals/memory-store.js';
import { hookSubject } from '../../../electron/core/approvals/subjects.js';
import { runCommandHandler, type CommandHandlerInput } from '../../../electron/core/engine/handlers/command.js';
import { createConcurrency } from '../../../electron/core/engine/handlers/concurrency.js';
import { createSeam } from '../../../electron/core/spawn/seam.js';
import { isAlive, pidFrom, tempFolder, testEnv, writeProgram } from '../../support/processes.js';

const SECRET = 'hunter2secret';
const ALLOW = '{"schema_version":1,"action":"allow"}';

function hookOf(argv: readonly string[], more: Partial<HookDocument> = {}): ResolvedHook {
  const document: HookDocument = {
    ...{ schema_version: 1, id: 'guard', name: 'Guard', point: 'tool.before', scope: 'global', mode: 'blocking' },
    handler: { kind: 'command', argv: [...argv] },
    ...more,
  };
  return resolveHook(document, null);
}

/** One workspace, one store, one seam that asks the store. */
function scene() {
  const root = tempFolder();
  const workspace = path.join(root, 'ws');
  const bin = path.join(root, 'bin');
  for (const folder of [workspace, bin]) mkdirSync(folder);
  const approvals = createMemoryApprovals();
  const seam = createSeam({ approvals: approvals.check });
  const concurrency = createConcurrency();
  const userEnv = { PATH: `${bin}:${testEnv.PATH}` };
  const approve = async (hook: ResolvedHook) => {
    const subject = await hookSubject(hook, { workspace, userEnv });
    if (!subject.ok) throw new Error(subject.error.text);
    const voice = { surface: 'terminal', user: 'me', when: 1, expires: null } as const;
    await approvals.approve(subject.value, subject.value.digest, voice);
  };
  const event = (data: JsonObject = { args: { token: SECRET } }): HookEvent => ({
    ...{ schema_version: 1, event_id: newId('hookevt'), timestamp: 1.5, point: 'tool.before', session_id: 'native' },
    ...{ run_id: newId('run'), trace_id: newId('trace'), workspace, depth: 0, data },
  });
  const run = (hook: ResolvedHook, more: Partial<CommandHandlerInput> = {}) =>
    runCommandHandler({ hook, event: event(), seam, approvals, concurrency, sessionKey: 's', userEnv, ...more });
  const approveAndRun = async (hook: ResolvedHook, more: Partial<CommandHandlerInput> = {}) => {
    await approve(hook);
    return run(hook, more);
  };
  /** A hook that runs a shell text out of a file in the workspace. */
  const script = (text: string, more: Partial<HookDocument> = {}) => {
    writeFileSync(path.join(workspace, 'hook.sh'), text);
    return hookOf(['sh', 'hook.sh'], more);
  };
  return { root, workspace, bin, userEnv, approvals, approve, approveAndRun, run, script, event, seam };
}

describe('a decision', () => {
  it('comes from the handler, which gets the event as one line and its facts in the environment', async () => {
    const { workspace, script, approveAndRun, event } = scene();
    const given = event({ args: { text: 'zwei\nZeilen “ü”' } });
    const hook = script(`cat > got; env > env; pwd > cwd; echo '${ALLOW}'`);
    expect(await approveAndRun(hook, { event: given })).toEqual({
      ...{ kind: 'decision', exitStatus: 0, decision: { schema_version: 1, action: 'allow' } },
    });
    const got = readFileSync(path.join(workspace, 'got'), 'utf8');
    expect(got.split('\n')).toHaveLength(2);
    expect(JSON.parse(got)).toEqual(given);
    expect(readFileSync(path.join(workspace, 'cwd'), 'utf8').trim()).toBe(workspace);
    const env = readFileSync(path.join(workspace, 'env'), 'utf8');
    for (const line of [
      `SALLYPORT_HOOK_EVENT_ID=${given.event_id}`,
      'SALLYPORT_HOOK_ID=guard',
      `SALLYPORT_RUN=${given.run_id}`,
    ]) {
      expect(env.split('\n')).toContain(line);
    }
  });

  it('survives an event of 2 MiB that the handler never reads', async () => {
    const { script, approveAndRun, event } = scene();
    const big = event({ args: { text: 'x'.repeat(2 * 1024 * 1024) } });
    expect((await approveAndRun(script(`echo '${ALLOW}'`), { event: big })).kind).toBe('decision');
    expect((await approveAndRun(script(`exec 0<&-; sleep 0.1; echo '${ALLOW}'`), { event: big })).kind).toBe(
      'decision',
    );
  });

  it('may be left out by an observational handler only', async () => {
    const { script, approveAndRun } = scene();
    expect(await approveAndRun(script('exit 0', { mode: 'observational' }))).toEqual({ kind: 'silent', exitStatus: 0 });
    expect(await approveAndRun(script('exit 0'))).toMatchObject({
      kind: 'failed',
      cause: 'no-decision',
      exitStatus: 0,
    });
  });
});

describe('a failure', () => {
  it.each<[string, string, object, Partial<HookDocument>]>([
    ['time-out', 'sleep 301', { cause: 'timed-out', timedOut: true }, { timeout_seconds: 0.3 }],
    ['time-out after the decision', `echo '${ALLOW}'; sleep 301`, { cause: 'timed-out' }, { timeout_seconds: 0.3 }],
    ['exit status', `echo '${ALLOW}'; exit 1`, { cause: 'exit-status', exitStatus: 1 }, {}],
    ['a signal', `echo '${ALLOW}'; kill -9 $$`, { cause: 'exit-status', exitStatus: null }, {}],
    ['output over the limit', 'yes', { cause: 'output-limit', truncated: true }, {}],
    ['errors over the limit', `echo '${ALLOW}'; yes >&2`, { cause: 'output-limit', truncated: true }, {}],
    ['a decision over the limit', `echo '${ALLOW}'`, { cause: 'output-limit' }, { max_output_bytes: 10 }],
    ['text before', `echo hi; echo '${ALLOW}'`, { cause: 'not-a-decision' }, {}],
    ['text after', `echo '${ALLOW}'; echo hi`, { cause: 'not-a-decision' }, {}],
    ['two decisions', `echo '${ALLOW}'; echo '${ALLOW}'`, { cause: 'not-a-decision' }, {}],
    ['a byte order mark', `printf '\\357\\273\\277%s' '${ALLOW}'`, { cause: 'not-a-decision' }, {}],
    ['no UTF-8', `printf '{"\\377":1}'`, { cause: 'not-a-decision' }, {}],
    ['an unknown action', `echo '{"schema_version":1,"action":"yes"}'`, { cause: 'not-a-decision' }, {}],
    ['no output', 'cat >/dev/null', { cause: 'no-decision', exitStatus: 0 }, {}],
    [
      'an answer outside its needs',
      `echo '{"schema_version":1,"action":"request_approval"}'`,
      { cause: 'not-allowed' },
      {},
    ],
    [
      'a denial by an observer',
      `echo '{"schema_version":1,"action":"deny"}'`,
      { cause: 'not-allowed' },
      { mode: 'observational' },
    ],
    ['the event as answer', 'cat', { cause: 'not-a-decision' }, {}],
    ['the event as error text', 'cat >&2; exit 3', { cause: 'exit-status', exitStatus: 3 }, {}],
  ])('%s', async (_name, text, expected, more) => {
    const { script, approveAndRun } = scene();
    const result = await approveAndRun(script(text, more));
    expect(result).toMatchObject({ kind: 'failed', ...expected });
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  it('is a program that went away, or that cannot be started, whatever was approved', async () => {
    const { bin, approve, run } = scene();
    const file = writeProgram(bin, 'guard', `#!/bin/sh\necho '${ALLOW}'\n`);
    const hook = hookOf(['guard']);
    await approve(hook);
    expect((await run(hook)).kind).toBe('decision');
    rmSync(file);
    expect(await run(hook)).toMatchObject({ kind: 'failed', cause: 'broken', exitStatus: null });
    expect(await run(hookOf(['never-there'], { id: 'other' }))).toMatchObject({ kind: 'failed', cause: 'broken' });
  });

  it('by time-out ends the whole tree', async () => {
    const { workspace, script, approveAndRun } = scene();
    const hook = script(`setsid sh -c 'echo $$ > pid; exec sleep 301' & sleep 301`, { timeout_seconds: 0.5 });
    expect(await approveAndRun(hook)).toMatchObject({ cause: 'timed-out' });
    expect(isAlive(await pidFrom(path.join(workspace, 'pid')))).toBe(false);
  });
});

describe('what was not approved does not run', () => {
  it('when it never was', async () => {
    const { workspace, script, run } = scene();
    expect(await run(script('touch ran'))).toMatchObject({ kind: 'unapproved' });
    expect(() => readFileSync(path.join(workspace, 'ran'))).toThrow();
  });

  it.each<[string, (at: ReturnType<typeof scene>) => void]>([
    ['its script was edited', (at) => at.script(`touch ran; echo '${ALLOW}'`)],
    ['another program stands earlier on PATH', (at) => writeProgram(at.bin, 'sh', '#!/bin/bash\ntouch ran\n')],
    [
      'its script became a link to another',
      (at) => {
        rmSync(path.join(at.workspace, 'hook.sh'));
        writeFileSync(path.join(at.root, 'other.sh'), 'touch ran\n');
        symlinkSync(path.join(at.root, 'other.sh'), path.join(at.workspace, 'hook.sh'));
      },
    ],
  ])('when %s since', async (_name, change) => {
    const at = scene();
    const hook = at.script(`echo '${ALLOW}'`);
    expect((await at.approveAndRun(hook)).kind).toBe('decision');
    change(at);
    expect((await at.run(hook)).kind).toBe('changed');
    expect(() => readFileSync(path.join(at.workspace, 'ran'))).toThrow();
  });

  it('when its link leads to another program since', async () => {
    const at = scene();
    const link = path.join(at.bin, 'guard');
    const good = writeProgram(at.root, 'good', `#!/bin/sh\necho '${ALLOW}'\n`);
    const evil = writeProgram(at.root, 'evil', `#!/bin/sh\ntouch ran; echo '${ALLOW}'\n`);
    symlinkSync(good, link);
    const hook = hookOf(['guard']);
    expect((await at.approveAndRun(hook)).kind).toBe('decision');
    rmSync(link);
    symlinkSync(evil, link);
    expect((await at.run(hook)).kind).toBe('changed');
    expect(() => readFileSync(path.join(at.workspace, 'ran'))).toThrow();
  });

  it('and what changes itself while it runs is a failure, also with a decision', async () => {
    const { script, approveAndRun } = scene();
    const hook = script(`echo '${ALLOW}'; echo '# more' >> hook.sh`);
    expect(await approveAndRun(hook)).toMatchObject({ kind: 'failed', cause: 'changed-during-run' });
  });

  it('and a program swapped between the check and the start is refused by the seam', async () => {
    const at = scene();
    const link = path.join(at.bin, 'guard');
    symlinkSync(writeProgram(at.root, 'good', `#!/bin/sh\necho '${ALLOW}'\n`), link);
    const hook = hookOf(['guard']);
    await at.approve(hook);
    const evil = writeProgram(at.root, 'evil', `#!/bin/sh\ntouch ran; echo '${ALLOW}'\n`);
    const swapping: CommandHandlerInput['seam'] = {
      run: async (request) => {
        rmSync(link);
        symlinkSync(evil, link);
        const result = await at.seam.run(request);
        rmSync(link);
        symlinkSync(path.join(at.root, 'good'), link);
        return result;
      },
    };
    expect(await at.run(hook, { seam: swapping })).toMatchObject({ kind: 'failed', cause: 'changed-during-run' });
    expect(() => readFileSync(path.join(at.workspace, 'ran'))).toThrow();
  });

  it('and a yes taken back counts from the next time', async () => {
    const at = scene();
    const hook = at.script(`echo '${ALLOW}'`);
    expect((await at.approveAndRun(hook)).kind).toBe('decision');
    await at.approvals.revoke('hook-argv', `hook-argv ${hook.key}`);
    expect((await at.run(hook)).kind).toBe('unapproved');
  });
});

describe('order and hygiene', () => {
  it('executions of one hook in one session follow one another; the wait counts toward the time-out', async () => {
    const { workspace, script, approve, run } = scene();
    const hook = script(`mkdir lock || exit 9; sleep 0.1; rmdir lock; echo '${ALLOW}'`);
    await approve(hook);
    const results = await Promise.all([run(hook), run(hook), run(hook)]);
    expect(results.map((result) => result.kind)).toEqual(['decision', 'decision', 'decision']);
    const slow = script('touch "started-$SALLYPORT_HOOK_EVENT_ID"; sleep 301', { timeout_seconds: 0.4 });
    await approve(slow);
    const both = await Promise.all([run(slow), run(slow)]);
    expect(both.map((result) => result.kind === 'failed' && result.cause)).toEqual(['timed-out', 'timed-out']);
    expect(both[1]).toMatchObject({ error: expect.stringMatching(/waited|before it could start/) as string });
    expect(readdirSync(workspace).filter((name) => name.startsWith('started-'))).toHaveLength(1);
  });

  it('tells when entries were removed from PATH, by kind and count alone', async () => {
    const { workspace, script, approve, userEnv, approvals, run } = scene();
    const dirty = { PATH: `.:${workspace}:${userEnv.PATH}` };
    const hook = script(`echo '${ALLOW}'`);
    await approve(hook);
    const seen: unknown[] = [];
    const result = await run(hook, { userEnv: dirty, onHygiene: (hygiene) => seen.push(hygiene) });
    expect(result.kind).toBe('decision');
    expect(seen).toEqual([{ removed: 2, kinds: ['dot', 'full-path'] }]);
    expect(approvals.records()).toHaveLength(1);
  });
});

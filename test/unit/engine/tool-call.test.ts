import { describe, expect, it } from 'vitest';
import { judgeToolCall } from '../../../electron/core/engine/tool-call.js';
import type { HookEvent } from '../../../shared/contracts/event.js';
import type { JsonObject } from '../../../shared/json.js';
import { bench, call, decides, FAILS } from './bench.js';

const changes = (args: JsonObject) => decides('modify', { mutations: { args } });
const argsOf = (event: HookEvent) => event.data['args'] as JsonObject;

describe('judging a tool call', () => {
  it('allows what nobody objects to', async () => {
    const { input } = bench();
    expect(await judgeToolCall(input, call({ command: 'ls' }))).toMatchObject({ verdict: 'allow', changed: false });
  });

  it('meets tool.before, then file.before_write, then command.before, each once', async () => {
    const { input, add, ran } = bench();
    add('c', 'command.before', decides('allow'));
    add('f', 'file.before_write', decides('allow'));
    add('t', 'tool.before', decides('allow'));
    await judgeToolCall(input, call({ command: 'echo x > a', path: 'a' }));
    expect(ran.map((one) => one.id)).toEqual(['t', 'f', 'c']);
    expect(ran[1]?.event.data['paths']).toEqual(['a']);
    expect(ran[2]?.event.data['command']).toBe('echo x > a');
  });

  it('stops at the first denial and says who and why', async () => {
    const { input, add, ran } = bench();
    add('a', 'tool.before', decides('deny', { reason: 'not here' }));
    add('b', 'tool.before', decides('allow'));
    const judged = await judgeToolCall(input, call({ command: 'ls' }));
    expect(judged).toMatchObject({
      verdict: 'deny',
      reason: 'not here',
      deniedBy: { hookId: 'a', point: 'tool.before' },
    });
    expect(ran).toHaveLength(1);
  });

  it('denies without a reason too, with a default text', async () => {
    const { input, add } = bench();
    add('a', 'tool.before', decides('deny'));
    expect((await judgeToolCall(input, call({}))).reason).toBe('denied by hook global:a');
  });

  it('a later allow never lifts an earlier request, and one prompt names everyone who asked', async () => {
    const { input, add } = bench();
    add('a', 'tool.before', decides('request_approval', { reason: 'sure?' }));
    add('b', 'tool.before', decides('allow'));
    add('c', 'command.before', decides('request_approval', { reason: 'really?' }));
    const judged = await judgeToolCall(input, call({ command: 'rm x' }));
    expect(judged.verdict).toBe('ask');
    expect(judged.asks.map((ask) => `${ask.hookId} ${ask.reason}`)).toEqual(['a sure?', 'c really?']);
  });

  it('a request never skips a guard: a later denial wins', async () => {
    const { input, add } = bench();
    add('a', 'tool.before', decides('request_approval'));
    add('b', 'command.before', decides('deny'));
    expect((await judgeToolCall(input, call({ command: 'x' }))).verdict).toBe('deny');
  });
});

describe('modify', () => {
  it('classifies anew: a change into a write meets file.before_write', async () => {
    const { input, add } = bench();
    add('m', 'tool.before', changes({ path: '.git/config' }));
    add('w', 'file.before_write', decides('deny', { reason: 'no writes there' }));
    const judged = await judgeToolCall(input, call({ note: 'x' }));
    expect(judged).toMatchObject({ verdict: 'deny', reason: 'no writes there' });
  });

  it('later hooks see the changed arguments, and filters match the changed event', async () => {
    const { input, add, ran } = bench();
    add('m', 'tool.before', changes({ path: 'protected/x' }));
    add('g', 'tool.before', decides('deny'), { filters: { paths: ['protected/**'] } });
    expect((await judgeToolCall(input, call({ path: 'free/x' }))).verdict).toBe('deny');
    expect(argsOf(ran[1]!.event)).toEqual({ path: 'protected/x' });
  });

  it('second look: an earlier guard judges the final form, and may deny it', async () => {
    const { input, add, ran } = bench();
    add('g', 'tool.before', (event) =>
      argsOf(event)['command'] === 'evil' ? decides('deny', { reason: 'evil' }) : decides('allow'),
    );
    add('m', 'tool.before', changes({ command: 'evil' }));
    const judged = await judgeToolCall(input, call({ command: 'good' }));
    expect(judged).toMatchObject({ verdict: 'deny', reason: 'evil' });
    expect(ran.map((one) => one.id)).toEqual(['g', 'm', 'g']);
  });

  it('second look reaches a guard whose filters did not match before', async () => {
    const { input, add } = bench();
    add('g', 'tool.before', decides('deny', { reason: 'protected' }), { filters: { paths: ['protected/**'] } });
    add('m', 'file.before_write', changes({ path: 'protected/x' }));
    expect(await judgeToolCall(input, call({ path: 'free/x' }))).toMatchObject({
      verdict: 'deny',
      reason: 'protected',
    });
  });

  it('second look: asking is allowed, changing again is a failure, the same change is no change', async () => {
    const asked = bench();
    asked.add('g', 'tool.before', (event) =>
      argsOf(event)['command'] === 'b' ? decides('request_approval') : decides('allow'),
    );
    asked.add('m', 'tool.before', changes({ command: 'b' }));
    expect((await judgeToolCall(asked.input, call({ command: 'a' }))).verdict).toBe('ask');

    const again = bench();
    again.add('one', 'tool.before', (event) => changes({ command: `${String(argsOf(event)['command'])}+` }));
    again.add('two', 'tool.before', changes({ command: 'final' }));
    const refused = await judgeToolCall(again.input, call({ command: 'a' }));
    expect(refused.verdict).toBe('deny');
    expect(refused.reason).toContain('after they were final');

    const same = bench();
    same.add('one', 'tool.before', changes({ command: 'x' }));
    same.add('two', 'tool.before', (event) => changes(argsOf(event)));
    expect(await judgeToolCall(same.input, call({ command: 'a' }))).toMatchObject({
      verdict: 'allow',
      args: { command: 'x' },
    });
  });

  it.each([
    ['another field', { mutations: { tool_name: 'Other' } }, 'only "args" may be modified'],
    ['no object', { mutations: { args: 'text' } }, 'must be an object'],
    ['another type', { mutations: { args: { command: 1, cwd: '/' } } }, 'may not become a number'],
    ['a protected argument', { mutations: { args: { command: 'x', sandbox: false } } }, '"sandbox"'],
    ['a protected argument taken away', { mutations: { args: { command: 'x' } } }, '"cwd"'],
    ['over 1 MiB', { mutations: { args: { command: 'x'.repeat(1_100_000), cwd: '/' } } }, 'over 1 MiB'],
  ])('refuses a change of %s, and denies', async (_name, decision, text) => {
    const { input, add } = bench();
    add('m', 'tool.before', decides('modify', decision));
    const judged = await judgeToolCall(input, call({ command: 'ls', cwd: '/' }, ['sandbox', 'cwd']));
    expect(judged.verdict).toBe('deny');
    expect(judged.reason).toContain(text);
  });
});

describe('failure', () => {
  it('a failing guard denies by default', async () => {
    const { input, add, traces } = bench();
    add('g', 'tool.before', FAILS);
    const judged = await judgeToolCall(input, call({}));
    expect(judged.verdict).toBe('deny');
    expect(judged.reason).toContain('it broke');
    expect(traces[0]).toMatchObject({
      hook_id: 'g',
      status: 'failed',
      error: 'it broke',
      exit_status: 1,
      decision: null,
    });
  });

  it('so does one that stays silent, one that throws, and one that answers what it did not declare', async () => {
    const silent = bench();
    silent.add('g', 'tool.before', { kind: 'silent', exitStatus: 0 });
    expect((await judgeToolCall(silent.input, call({}))).reason).toContain('no decision');
    const throws = bench();
    throws.add('g', 'tool.before', () => {
      throw new Error('boom');
    });
    expect((await judgeToolCall(throws.input, call({}))).reason).toContain('boom');
    const undeclared = bench();
    undeclared.add('g', 'tool.before', decides('modify', { mutations: { args: {} } }), {
      needs: { decisions: ['allow', 'deny'] },
    });
    expect((await judgeToolCall(undeclared.input, call({}))).reason).toContain('does not declare');
  });

  it.each(['continue', 'warn', 'disable'] as const)(
    '%s lets pass, counts it, and says so where it should',
    async (policy) => {
      const { input, add, warnings, ran } = bench();
      add('g', 'tool.before', FAILS, { failure_policy: policy });
      expect((await judgeToolCall(input, call({}))).verdict).toBe('allow');
      expect(input.session.failedOpen).toBe(1);
      expect(warnings).toHaveLength(policy === 'continue' ? 0 : 1);
      await judgeToolCall(input, call({}));
      expect(ran).toHaveLength(policy === 'disable' ? 1 : 2);
    },
  );

  it('three failures in a row open the circuit: denied without being run', async () => {
    const { input, add, ran, warnings } = bench();
    add('g', 'tool.before', FAILS);
    for (let i = 0; i < 5; i += 1) expect((await judgeToolCall(input, call({}))).verdict).toBe('deny');
    expect(ran).toHaveLength(3);
    expect(warnings).toHaveLength(1);
  });

  it('what one form of a hook does to itself does not switch another form of it off', async () => {
    const { input, add } = bench();
    add('g', 'tool.before', FAILS, { failure_policy: 'disable' });
    add('g', 'command.before', FAILS);
    for (let i = 0; i < 5; i += 1) expect((await judgeToolCall(input, call({ command: 'x' }))).verdict).toBe('deny');
  });

  it('a success in between resets the count', async () => {
    const { input, add, ran } = bench();
    let n = 0;
    add('g', 'tool.before', () => (++n % 3 === 0 ? decides('allow') : FAILS));
    for (let i = 0; i < 9; i += 1) await judgeToolCall(input, call({}));
    expect(ran).toHaveLength(9);
  });

  it('depth over 3 is refused without being run', async () => {
    const { input, add, ran } = bench();
    add('g', 'tool.before', decides('allow'));
    const deep = { ...input, envelope: { ...input.envelope, depth: 4 } };
    expect((await judgeToolCall(deep, call({}))).verdict).toBe('deny');
    expect(ran).toHaveLength(0);
  });

  it('inert is not failed: no effect, traced once', async () => {
    const { input, add, traces } = bench();
    add('g', 'tool.before', { kind: 'inert', why: 'never approved' });
    for (let i = 0; i < 3; i += 1) expect((await judgeToolCall(input, call({}))).verdict).toBe('allow');
    expect(traces).toHaveLength(1);
    expect(traces[0]).toMatchObject({ status: 'inert', error: 'never approved' });
    expect(input.session.failedOpen).toBe(0);
  });
});

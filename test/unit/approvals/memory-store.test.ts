import { describe, expect, it } from 'vitest';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { createMemoryApprovals } from '../../../electron/core/approvals/memory-store.js';
import type { ApprovalVoice } from '../../../electron/core/approvals/store.js';
import { agentProgramSubject, subjectDigest } from '../../../electron/core/approvals/subjects.js';
import type { ApprovalProof, IntendedStart } from '../../../electron/core/spawn/request.js';

const voice: ApprovalVoice = { surface: 'terminal', user: 'me', when: 1, expires: null };

function hook(argv: readonly string[], more: { env?: Record<string, string>; key?: string } = {}): ApprovalSubject {
  const key = more.key ?? 'hook-argv global::guard';
  const content = {
    hook: key,
    handler: { kind: 'command', argv, env: more.env ?? {} },
    program: { found: '/bin/guard', real: '/opt/guard', digest: null },
    interpreter: null,
    files: [],
  };
  const digest = subjectDigest({ kind: 'hook-argv', key, content });
  if (!digest.ok) throw new Error(digest.error);
  return {
    ...{ kind: 'hook-argv', key, content, digest: digest.value, title: 't', argv, program: '/opt/guard' },
    ...{ envNames: [], cwd: '/ws', files: [], notCovered: [] },
  };
}

function startOf(subject: ApprovalSubject, more: Partial<IntendedStart> = {}): IntendedStart {
  return {
    ...{ purpose: 'hook', argv: subject.argv, cwd: '/ws', env: {} },
    program: { found: '/bin/guard', real: '/opt/guard' },
    ...more,
  };
}

describe('approvals in memory', () => {
  it('know nothing at first, then exactly what was approved', async () => {
    const store = createMemoryApprovals();
    const [one, two] = [hook(['guard', 'a']), hook(['guard', 'b'])];
    expect([store.state(one), store.covers(one), store.proofFor(one)]).toEqual(['unapproved', false, null]);
    expect((await store.approve(one, one.digest, voice)).ok).toBe(true);
    expect([store.state(one), store.state(two), store.proofFor(two)]).toEqual(['approved', 'changed', null]);
    expect(store.state(hook(['guard', 'a'], { key: 'hook-argv global::other' }))).toBe('unapproved');
    expect(store.records()).toEqual([
      {
        ...{ kind: 'hook-argv', key: one.key, digest: one.digest, title: 't', shown: one.content, kept: 'memory' },
        ...voice,
      },
    ]);
  });

  it('keep a set of digests for one subject', async () => {
    const store = createMemoryApprovals();
    const [one, two] = [hook(['guard', 'a']), hook(['guard', 'b'])];
    for (const subject of [one, two]) await store.approve(subject, subject.digest, voice);
    expect([store.covers(one), store.covers(two)]).toEqual([true, true]);
    expect(await store.revoke(one.kind, one.key, one.digest)).toBe(1);
    expect([store.state(one), store.state(two)]).toEqual(['changed', 'approved']);
    expect(await store.revoke(one.kind, one.key)).toBe(1);
    expect(store.state(two)).toBe('unapproved');
    expect(await store.revoke(one.kind, one.key)).toBe(0);
  });

  it('refuse what changed since it was shown, and a digest that is not the content’s', async () => {
    const store = createMemoryApprovals();
    const [shown, now] = [hook(['guard', 'a']), hook(['guard', 'b'])];
    const changed = await store.approve(now, shown.digest, voice);
    expect(changed.ok ? null : changed.error.code).toBe('changed-since-shown');
    const forged = { ...now, digest: shown.digest };
    const refused = await store.approve(forged, shown.digest, voice);
    expect(refused.ok ? null : refused.error.code).toBe('not-genuine');
    await store.approve(shown, shown.digest, voice);
    expect(store.covers(forged)).toBe(false);
    expect(store.proofFor(forged)).toBeNull();
  });

  it('end when they expire', async () => {
    let now = 10;
    const store = createMemoryApprovals(() => now);
    const subject = hook(['guard']);
    await store.approve(subject, subject.digest, { ...voice, expires: 20 });
    const proof = store.proofFor(subject);
    expect(proof !== null && store.check(proof, startOf(subject))).toBe(true);
    now = 20;
    expect(store.state(subject)).toBe('unapproved');
    expect(proof !== null && store.check(proof, startOf(subject))).toBe(false);
  });
});

describe('a proof', () => {
  const subject = hook(['guard', 'a'], { env: { MODE: 'strict', PATH: '/x' } });
  const env = { MODE: 'strict', PATH: '/cleaned', MORE: '1' };
  async function given() {
    const store = createMemoryApprovals();
    await store.approve(subject, subject.digest, voice);
    const proof = store.proofFor(subject);
    if (proof === null) throw new Error('not covered');
    return { store, proof };
  }

  it('holds for exactly the approved start', async () => {
    const { store, proof } = await given();
    expect(store.check(proof, startOf(subject, { env }))).toBe(true);
  });

  it.each<[string, Partial<IntendedStart>]>([
    ['another argument', { argv: ['guard', 'b'] }],
    ['one argument more', { argv: ['guard', 'a', 'b'] }],
    ['one argument less', { argv: ['guard'] }],
    ['another real program', { program: { found: '/bin/guard', real: '/tmp/guard' } }],
    ['another place in PATH', { program: { found: '/tmp/guard', real: '/opt/guard' } }],
    ['another purpose', { purpose: 'agent' }],
    ['another folder', { cwd: '/elsewhere' }],
    ['another declared value', { env: { MODE: 'lax' } }],
    ['a declared value missing', { env: {} }],
  ])('does not hold for %s', async (_name, more) => {
    const { store, proof } = await given();
    expect(store.check(proof, startOf(subject, { env, ...more }))).toBe(false);
  });

  it('cannot be made by anyone else: same shape, copy, another store', async () => {
    const { store, proof } = await given();
    const other = await given();
    const start = startOf(subject, { env });
    for (const forged of [{}, { ...proof }, structuredClone(proof), Object.create(proof) as object]) {
      expect(store.check(forged as ApprovalProof, start)).toBe(false);
    }
    expect(store.check(other.proof, start)).toBe(false);
    expect(Object.isFrozen(proof)).toBe(true);
  });

  it('ends with the approval, and does not follow later changes of the subject', async () => {
    const { store, proof } = await given();
    await store.revoke(subject.kind, subject.key);
    expect(store.check(proof, startOf(subject, { env }))).toBe(false);

    const mutable = { ...hook(['guard', 'a']) };
    await store.approve(mutable, mutable.digest, voice);
    const second = store.proofFor(mutable);
    mutable.cwd = '/elsewhere';
    expect(second !== null && store.check(second, startOf(mutable, { cwd: '/elsewhere' }))).toBe(false);
  });

  it('of content that is not what it should be holds for nothing', async () => {
    const store = createMemoryApprovals();
    const key = 'hook-argv global::odd';
    for (const content of [
      {},
      { handler: { argv: [1] }, program: 'x' },
      { handler: [], program: { found: '/bin/guard', real: '/opt/guard' } },
    ]) {
      const digest = subjectDigest({ kind: 'hook-argv', key, content });
      if (!digest.ok) throw new Error(digest.error);
      const odd: ApprovalSubject = { ...subject, key, content, digest: digest.value };
      await store.approve(odd, odd.digest, voice);
      const proof = store.proofFor(odd);
      if (proof === null) throw new Error('not covered');
      for (const argv of [[], ['1'], ['guard', 'a']])
        expect(store.check(proof, startOf(subject, { argv, env }))).toBe(false);
    }
  });

  it('of an agent holds for its program with any arguments after the fixed ones', async () => {
    const store = createMemoryApprovals();
    const made = agentProgramSubject({
      ...{
        agent: 'practice',
        title: 'Practice',
        program: '/usr/bin/node',
        version: '1',
        digest: `sha256:${'0'.repeat(64)}`,
      },
      ...{ argv: ['/usr/bin/node', '/app/practice.mjs'], cwd: '/' },
    });
    if (!made.ok) throw new Error(made.error.text);
    await store.approve(made.value, made.value.digest, voice);
    const proof = store.proofFor(made.value);
    if (proof === null) throw new Error('not covered');
    const program = { found: '/usr/bin/node', real: '/usr/bin/node' };
    const start = (argv: string[], more: Partial<IntendedStart> = {}) =>
      store.check(proof, { purpose: 'agent', argv, cwd: '/ws', env: {}, program, ...more });
    expect(start(['/usr/bin/node', '/app/practice.mjs', 'prompt'])).toBe(true);
    expect(start(['/usr/bin/node', '/ws/evil.mjs'])).toBe(false);
    expect(start(['/usr/bin/node'])).toBe(false);
    expect(start(['/usr/bin/node', '/app/practice.mjs'], { purpose: 'hook' })).toBe(false);
    expect(start(['/usr/bin/node', '/app/practice.mjs'], { program: { found: '/x', real: '/x' } })).toBe(false);
  });
});

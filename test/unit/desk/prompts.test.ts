import { describe, expect, it } from 'vitest';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { practice } from '../../../electron/core/agents/practice.js';
import { createPrompts } from '../../../electron/core/desk/prompts.js';
import { subjectView } from '../../../electron/core/desk/subject-view.js';
import type { Question } from '../../../electron/core/gate/ports.js';

const subject = (digest: string): ApprovalSubject => ({
  ...{ kind: 'hook-argv', key: 'hook-argv global::x', digest, title: 'Hook x', argv: ['x'], program: '/bin/x' },
  ...{ envNames: [], cwd: '/', files: [], notCovered: [], content: {} },
});
const question = (id: string, args = { command: 'echo' }): Question => ({ id, toolName: 'shell', args, askedBy: [] });
const run = { id: 'run_x', adapter: practice, workspace: '/tmp' };
const never = new AbortController().signal;
const yes = { kind: 'approve' } as const;
const no = { kind: 'deny', message: '' } as const;

function queue(trustSeconds = 60) {
  let clock = 1_000;
  const prompts = createPrompts({
    show: (one) => subjectView(one, 'unapproved', null),
    changed: () => undefined,
    now: () => (clock += 1),
    trustSeconds,
  });
  const trust = (again: () => Promise<Result<ApprovalSubject, string>>, withdrawn = never) =>
    prompts.trustFor('run_x')({ subject: subject('sha256:a'), again, withdrawn });
  const ask = (id: string, withdrawn = never) =>
    prompts.personFor(run).answer(question(id), { seconds: 60, withdrawn, redact: (data) => data });
  return { prompts, trust, ask };
}
const same = () => Promise.resolve(ok(subject('sha256:a')));

describe('the queue of prompts', () => {
  it('holds all that waits at once, oldest first, of either kind', async () => {
    const { prompts, trust, ask } = queue();
    void trust(same);
    void ask('ask_b');
    void ask('ask_c');
    await expect.poll(() => prompts.list().length).toBe(3);
    expect(prompts.list().map((prompt) => prompt.kind)).toEqual(['trust', 'question', 'question']);
    expect(
      prompts
        .list()
        .slice(1)
        .map((prompt) => prompt.id),
    ).toEqual(['ask_b', 'ask_c']);
  });

  it('lets a no through whatever stands on the screen, and a yes never', async () => {
    const { prompts, ask } = queue();
    const answered = ask('ask_b');
    await expect.poll(() => prompts.list().length).toBe(1);
    const stale = { id: 'ask_b', shownDigest: 'sha256:old' };
    expect(await prompts.answer({ ...stale, answer: yes })).toMatchObject({ ok: false });
    expect(await prompts.answer({ ...stale, answer: { kind: 'approve-for-run' } })).toMatchObject({ ok: false });
    expect(await prompts.answer({ ...stale, answer: no })).toEqual({ ok: true });
    expect(await answered).toEqual({ answer: 'deny', why: 'the user said no' });
  });

  it('a second answer while the first is looked at comes too late, also where it is a no', async () => {
    const { prompts, trust } = queue();
    let settle: (value: Result<ApprovalSubject, string>) => void = () => undefined;
    const trusted = trust(() => new Promise((resolve) => (settle = resolve)));
    const [shown] = prompts.list();
    const answer = { id: shown?.id ?? '', shownDigest: 'sha256:a' };
    const first = prompts.answer({ ...answer, answer: yes });
    expect(await prompts.answer({ ...answer, answer: no })).toMatchObject({ ok: false });
    settle(ok(subject('sha256:a')));
    expect(await first).toEqual({ ok: true });
    expect(await trusted).toMatchObject({ answer: 'yes' });
  });

  it('a window that is closed while a yes is looked at wins: a yes that came through would be one nobody sees', async () => {
    const { prompts, trust } = queue();
    let settle: (value: Result<ApprovalSubject, string>) => void = () => undefined;
    const trusted = trust(() => new Promise((resolve) => (settle = resolve)));
    const id = prompts.list()[0]?.id ?? '';
    const first = prompts.answer({ id, shownDigest: 'sha256:a', answer: yes });
    prompts.dismiss(id);
    settle(ok(subject('sha256:a')));
    expect(await first).toMatchObject({ ok: false });
    expect(await trusted).toEqual({ answer: 'no' });
  });

  it('what is gone from disk cannot be approved, and can still be denied', async () => {
    const { prompts, trust } = queue();
    const trusted = trust(() => Promise.resolve(fail('the script is not there')));
    const answer = { id: prompts.list()[0]?.id ?? '', shownDigest: 'sha256:a' };
    expect(await prompts.answer({ ...answer, answer: yes })).toMatchObject({
      ok: false,
      text: expect.stringContaining('the script is not there') as string,
    });
    expect(await prompts.answer({ ...answer, answer: no })).toEqual({ ok: true });
    expect(await trusted).toEqual({ answer: 'no' });
  });

  it('nobody in time, a withdrawal and the end of the app are each a no', async () => {
    const late = queue(0.02);
    expect(await late.trust(same)).toMatchObject({ answer: 'unanswered' });
    const { prompts, trust, ask } = queue();
    const withdrawn = new AbortController();
    const [trusted, asked] = [trust(same, withdrawn.signal), ask('ask_b', withdrawn.signal)];
    await expect.poll(() => prompts.list().length).toBe(2);
    withdrawn.abort();
    expect(await trusted).toEqual({ answer: 'no' });
    expect(await asked).toMatchObject({ answer: 'deny' });
    const [second, third] = [trust(same), ask('ask_c')];
    await expect.poll(() => prompts.list().length).toBe(2);
    prompts.close('bye');
    expect(await second).toEqual({ answer: 'no' });
    expect(await third).toEqual({ answer: 'deny', why: 'bye' });
    expect(await trust(same)).toEqual({ answer: 'no' });
    expect(await ask('ask_d')).toEqual({ answer: 'deny', why: 'bye' });
    expect(prompts.list()).toEqual([]);
  });
});

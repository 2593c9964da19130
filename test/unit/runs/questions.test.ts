import { describe, expect, it } from 'vitest';
import type { PersonAnswer, Question } from '../../../electron/core/gate/ports.js';
import { createQuestions, type Person } from '../../../electron/core/runs/questions.js';

const question = (id: string): Question => ({ id, toolName: 'Bash', args: {}, askedBy: [] });
const never = new AbortController().signal;

/** A person whose answers the test gives, one after the other. */
function person() {
  const shown: { id: string; say: (answer: PersonAnswer) => void }[] = [];
  const them: Person = {
    answer: (asked) =>
      new Promise((resolve) => {
        shown.push({ id: asked.id, say: resolve });
      }),
  };
  return { them, shown };
}

describe('questions', () => {
  it('without a person everything is denied, and says why', async () => {
    expect(await createQuestions(null, 600).ask(question('a'), never)).toMatchObject({ answer: 'deny' });
  });

  it('shows one at a time, oldest first', async () => {
    const { them, shown } = person();
    const questions = createQuestions(them, 600);
    const first = questions.ask(question('a'), never);
    const second = questions.ask(question('b'), never);
    await expect.poll(() => shown.map((one) => one.id)).toEqual(['a']);
    shown[0]?.say({ answer: 'once' });
    expect(await first).toEqual({ answer: 'once' });
    await expect.poll(() => shown.map((one) => one.id)).toEqual(['a', 'b']);
    shown[1]?.say({ answer: 'deny', why: 'no' });
    expect(await second).toEqual({ answer: 'deny', why: 'no' });
  });

  it('no answer in time is a denial', async () => {
    const { them } = person();
    expect(await createQuestions(them, 0.05).ask(question('a'), never)).toEqual({
      answer: 'deny',
      why: 'nobody answered within 0.05 s',
    });
  });

  it('a call that is gone, and a run that ends, withdraw their questions', async () => {
    const { them } = person();
    const gone = new AbortController();
    const questions = createQuestions(them, 600);
    const first = questions.ask(question('a'), gone.signal);
    const second = questions.ask(question('b'), never);
    gone.abort();
    expect(await first).toEqual({ answer: 'deny', why: 'the call is gone' });
    questions.close('the run has ended');
    expect(await second).toEqual({ answer: 'deny', why: 'the run has ended' });
    expect(await questions.ask(question('c'), never)).toEqual({ answer: 'deny', why: 'the run has ended' });
  });

  it('a prompt that breaks is a denial, and the next question is still asked', async () => {
    let count = 0;
    const questions = createQuestions(
      { answer: () => (++count === 1 ? Promise.reject(new Error('no screen')) : Promise.resolve({ answer: 'once' })) },
      600,
    );
    const first = await questions.ask(question('a'), never);
    expect(first.answer === 'deny' ? first.why : '').toContain('no screen');
    expect(await questions.ask(question('b'), never)).toEqual({ answer: 'once' });
  });
});

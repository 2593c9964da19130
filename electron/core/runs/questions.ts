import type { PersonAnswer, Question } from '../gate/ports.js';

/** Somebody who can be asked at run time: the terminal now, the app's prompt window later. */
export interface Person {
  /** Shows one question and waits; the signal withdraws it (time-out, the call is gone, the run ends). */
  readonly answer: (
    question: Question,
    context: { readonly seconds: number; readonly withdrawn: AbortSignal },
  ) => Promise<PersonAnswer>;
}

export interface Questions {
  readonly ask: (question: Question, withdrawn: AbortSignal) => Promise<PersonAnswer>;
  /** Denies everything that waits and everything that comes. */
  readonly close: (why: string) => void;
}

const no = (why: string): PersonAnswer => ({ answer: 'deny', why });

/**
 * One queue: one question at a time, oldest first, each bounded by the profile's approval time
 * counted from when it was asked. No answer, nobody there, a broken prompt: each is a denial.
 */
export function createQuestions(person: Person | null, approvalSeconds: number): Questions {
  const closed = new AbortController();
  let queue: Promise<unknown> = Promise.resolve();

  const ask: Questions['ask'] = (question, withdrawn) => {
    if (person === null)
      return Promise.resolve(no('it needs a person, and there is no terminal or window to ask one in'));
    if (closed.signal.aborted) return Promise.resolve(no(String(closed.signal.reason)));
    const timeout = AbortSignal.timeout(approvalSeconds * 1_000);
    const over = AbortSignal.any([withdrawn, closed.signal, timeout]);
    const why = () =>
      timeout.aborted
        ? `nobody answered within ${approvalSeconds} s`
        : closed.signal.aborted
          ? String(closed.signal.reason)
          : 'the call is gone';
    const turn = queue.then(() => askNow(person, question, approvalSeconds, over, why));
    queue = turn;
    return Promise.race([turn, aborted(over).then(() => no(why()))]);
  };
  return {
    ask,
    close: (why) => {
      closed.abort(why);
    },
  };
}

async function askNow(
  person: Person,
  question: Question,
  seconds: number,
  over: AbortSignal,
  why: () => string,
): Promise<PersonAnswer> {
  if (over.aborted) return no(why());
  try {
    return await person.answer(question, { seconds, withdrawn: over });
  } catch (error) {
    return no(
      over.aborted
        ? why()
        : `the question could not be shown: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}

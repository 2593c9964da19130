import type { PersonAnswer, Question } from '../gate/ports.js';

/** What goes with a question to whoever shows it. */
export interface QuestionContext {
  /** Time from now until it is denied. */
  readonly seconds: number;
  readonly withdrawn: AbortSignal;
  /** Takes the values that the run knows as secrets out of what is shown. */
  readonly redact: <T>(data: T) => T;
}

/** Somebody who can be asked at run time: at the terminal, or by the app's prompt window. */
export interface Person {
  /** True where the person's own queue holds all questions at once; else they are asked one after the other. */
  readonly queues?: boolean;
  /** Shows one question and waits; the signal withdraws it (time-out, the call is gone, the run ends). */
  readonly answer: (question: Question, context: QuestionContext) => Promise<PersonAnswer>;
}

export interface Questions {
  readonly ask: (question: Question, withdrawn: AbortSignal) => Promise<PersonAnswer>;
  /** Denies everything that waits and everything that comes. */
  readonly close: (why: string) => void;
}

const no = (why: string): PersonAnswer => ({ answer: 'deny', why });

/**
 * One question at a time, oldest first (unless the person keeps the queue), each bounded by the profile's approval time
 * counted from when it was asked. No answer, nobody there, a broken prompt: each is a denial.
 */
export function createQuestions(
  person: Person | null,
  approvalSeconds: number,
  redact: QuestionContext['redact'] = (data) => data,
): Questions {
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
    const until = Date.now() + approvalSeconds * 1_000;
    const askInTurn = () =>
      askNow(person, question, { seconds: (until - Date.now()) / 1_000, withdrawn: over, redact }, why);
    const turn = person.queues === true ? askInTurn() : queue.then(askInTurn);
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
  context: QuestionContext,
  why: () => string,
): Promise<PersonAnswer> {
  const { withdrawn } = context;
  if (withdrawn.aborted) return no(why());
  try {
    return await person.answer(question, context);
  } catch (error) {
    return no(
      withdrawn.aborted
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

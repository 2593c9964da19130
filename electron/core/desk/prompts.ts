import type { PromptAnswer, PromptView, SubjectView } from '../../../shared/bridge/views.js';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { newId } from '../../../shared/ids.js';
import type { PersonAnswer } from '../gate/ports.js';
import type { Person } from '../runs/questions.js';
import type { LaunchServices, TrustAnswer, TrustQuestion } from '../runs/request.js';
import type { AnswerOf } from '../../../shared/bridge/channels.js';
import { questionView, type AskingRun } from './question-view.js';

type Outcome = AnswerOf<'prompts.answer'>;

/** The one queue of all that waits for a person: approvals of what is executable, and questions of live runs. */
export interface PromptQueue {
  readonly trustFor: (runId: string) => LaunchServices['trust'];
  readonly personFor: (run: AskingRun) => Person;
  /** How many wait for a person on behalf of a run. */
  readonly waiting: (runId: string) => number;
  /** Oldest first. */
  readonly list: () => readonly PromptView[];
  /** The first answer to a prompt counts; a yes counts only for the digest that stood on the screen. */
  readonly answer: (answer: PromptAnswer) => Promise<Outcome>;
  /** Closed without an answer: a no. */
  readonly dismiss: (id: string) => void;
  /** Says no to all that waits and to all that comes. */
  readonly close: (why: string) => void;
}

export interface PromptInput {
  readonly show: (subject: ApprovalSubject) => SubjectView;
  readonly changed: () => void;
  readonly now: () => number;
  /** Time after which an unanswered trust prompt is a no, in seconds. */
  readonly trustSeconds: number;
}

interface Entry {
  readonly runId: string;
  readonly view: () => PromptView;
  readonly answer: (answer: PromptAnswer['answer']) => Promise<Outcome>;
  /** No, because nobody will answer any more. */
  readonly end: (why: string) => void;
  /** An answer is being looked at; a second one comes too late. */
  taken: boolean;
}

const OK: Outcome = { ok: true };
const no = (text: string): Outcome => ({ ok: false, text });
const TOO_LATE = no('This does not wait any more: it was answered already, was withdrawn, or its time ran out.');
const CHANGED = no(
  'What is asked about changed after it was shown, so nothing was approved. Look at the new content and answer again.',
);

export function createPrompts(input: PromptInput): PromptQueue {
  const entries = new Map<string, Entry>();
  let closed: string | null = null;

  /** Opens a prompt; what it returns takes it away again, once. */
  const open = (id: string, entry: Entry): (() => boolean) => {
    entries.set(id, entry);
    input.changed();
    return () => {
      const was = entries.delete(id);
      if (was) input.changed();
      return was;
    };
  };
  return {
    trustFor: (runId) => (question) =>
      closed === null ? askTrust(input, open, runId, question) : Promise.resolve({ answer: 'no' }),
    personFor: (run) => ({
      queues: true,
      answer: async (question, { seconds, withdrawn, redact }) => {
        const openedAt = input.now();
        const view = await questionView(question, run, redact, { openedAt, deniedAt: openedAt + seconds });
        if (closed !== null) return { answer: 'deny', why: closed };
        return askQuestion(open, view, withdrawn);
      },
    }),
    waiting: (runId) => [...entries.values()].filter((entry) => entry.runId === runId).length,
    list: () => [...entries.values()].map((entry) => entry.view()).sort((a, b) => a.openedAt - b.openedAt),
    answer: async ({ id, shownDigest, answer }) => {
      const entry = entries.get(id);
      if (entry === undefined || entry.taken) return TOO_LATE;
      // A no needs no second look: it is a no to whatever stands there.
      if (answer.kind !== 'deny' && digestOf(entry.view()) !== shownDigest) return CHANGED;
      entry.taken = true;
      try {
        return await entry.answer(answer);
      } finally {
        entry.taken = false;
      }
    },
    dismiss: (id) => entries.get(id)?.end('the question was closed without an answer'),
    close: (why) => {
      closed = why;
      for (const entry of [...entries.values()]) entry.end(why);
    },
  };
}

type Open = (id: string, entry: Entry) => () => boolean;

function digestOf(view: PromptView): string {
  return view.kind === 'trust' ? view.subject.digest : view.digest;
}

function askTrust(input: PromptInput, open: Open, runId: string, question: TrustQuestion): Promise<TrustAnswer> {
  const { again, withdrawn } = question;
  const [id, openedAt] = [newId('ask'), input.now()];
  let { subject } = question;
  return new Promise((resolve) => {
    const settle = (answer: TrustAnswer): boolean => {
      clearTimeout(timer);
      withdrawn.removeEventListener('abort', withdraw);
      const was = takeAway();
      if (was) resolve(answer);
      return was;
    };
    const withdraw = () => void settle({ answer: 'no' });
    const approve = async (): Promise<Outcome> => {
      const now = await again();
      if (!now.ok) {
        return no(`It cannot be approved as it now is: ${now.error}. Deny it, or mend that and answer again.`);
      }
      if (now.value.digest !== subject.digest) {
        subject = now.value;
        input.changed();
        return CHANGED;
      }
      return settle({ answer: 'yes', subject }) ? OK : TOO_LATE;
    };
    const takeAway = open(id, {
      runId,
      taken: false,
      view: () => ({ kind: 'trust', id, runId, openedAt, subject: input.show(subject) }),
      answer: async ({ kind }) => {
        if (kind === 'approve') return approve();
        if (kind === 'deny') return settle({ answer: 'no' }) ? OK : TOO_LATE;
        return no('Something executable is approved as exactly this, not for one run. Nothing was approved.');
      },
      end: withdraw,
    });
    const why = `nobody answered within ${Math.round(input.trustSeconds)} s whether this may run`;
    const timer = setTimeout(() => settle({ answer: 'unanswered', why }), input.trustSeconds * 1_000);
    if (withdrawn.aborted) withdraw();
    else withdrawn.addEventListener('abort', withdraw, { once: true });
  });
}

function askQuestion(
  open: Open,
  view: Extract<PromptView, { kind: 'question' }>,
  withdrawn: AbortSignal,
): Promise<PersonAnswer> {
  return new Promise((resolve) => {
    const settle = (answer: PersonAnswer): boolean => {
      withdrawn.removeEventListener('abort', withdraw);
      const was = takeAway();
      if (was) resolve(answer);
      return was;
    };
    const end = (why: string) => void settle({ answer: 'deny', why });
    // Whoever withdrew it knows better why, and has answered.
    const withdraw = () => {
      end('the question was withdrawn');
    };
    const takeAway = open(view.id, {
      runId: view.runId,
      taken: false,
      view: () => view,
      answer: async (answer) => (settle(personAnswer(answer)) ? OK : TOO_LATE),
      end,
    });
    if (withdrawn.aborted) withdraw();
    else withdrawn.addEventListener('abort', withdraw, { once: true });
  });
}

function personAnswer(answer: PromptAnswer['answer']): PersonAnswer {
  switch (answer.kind) {
    case 'approve':
      return { answer: 'once' };
    case 'approve-for-run':
      return { answer: 'run' };
    case 'deny': {
      const message = answer.message.trim();
      return { answer: 'deny', why: message === '' ? 'the user said no' : `the user said no: ${message}` };
    }
  }
}

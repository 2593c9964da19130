import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { PersonAnswer, Question } from '../../core/gate/ports.js';
import type { Person } from '../../core/runs/questions.js';
import { describeSubject, shown } from './subject-text.js';
import type { Terminal } from './terminal.js';

/** What is typed before a question has stood on the screen this long does not count, in milliseconds. */
const GUARD_MS = 800;

export interface TrustOptions {
  /** What changed since it was approved before, as text; empty for what is new. */
  readonly change: string;
  /** A yes is kept, rather than void when this command ends. */
  readonly kept: boolean;
  readonly withdrawn: AbortSignal;
}

/** Asks whether exactly this may run. Only the whole word `approve` is a yes. */
export async function askTrust(
  terminal: Terminal,
  subject: ApprovalSubject,
  { change, kept, withdrawn }: TrustOptions,
): Promise<boolean> {
  terminal.write(`\nThis wants to run on your machine, with your rights:\n${describeSubject(subject)}${change}`);
  const long = kept ? ', now and later, as long as it stays as it is' : ' until this command ends';
  terminal.write(`Type "approve" to let exactly this run${long}; anything else leaves it inert: `);
  const line = await terminal.readLine({ guardMs: GUARD_MS, withdrawn });
  if (line === null) terminal.write('\n');
  return line?.trim().toLowerCase() === 'approve';
}

/** The person at a terminal, for questions while the run lives. */
export function terminalPerson(terminal: Terminal): Person {
  return {
    answer: async (question, { seconds, withdrawn }) => {
      terminal.write(describeQuestion(question, Math.round(seconds)));
      for (;;) {
        terminal.write('  y = yes, once   r = yes, for this run   n [why] = no > ');
        const line = await terminal.readLine({ guardMs: GUARD_MS, withdrawn });
        if (line === null) {
          terminal.write('\n  (no answer: denied)\n');
          return { answer: 'deny', why: 'nobody answered' };
        }
        const answer = readAnswer(line);
        if (answer !== null) return answer;
      }
    },
  };
}

function readAnswer(line: string): PersonAnswer | null {
  const text = line.trim();
  if (/^y(es)?$/i.test(text)) return { answer: 'once' };
  if (/^r(un)?$/i.test(text)) return { answer: 'run' };
  const no = /^no?(?:\s+(.*))?$/i.exec(text);
  if (no === null) return null;
  return { answer: 'deny', why: no[1] === undefined ? 'the user said no' : `the user said no: ${no[1]}` };
}

function describeQuestion(question: Question, seconds: number): string {
  const rows = [
    '',
    `The agent waits for you (${seconds} s, then it is denied): ${shown(question.toolName)}`,
    ...Object.entries(question.args).map(([name, value]) => `  ${shown(name)}: ${shown(asText(value))}`),
    ...question.askedBy.map(
      (who) => `  asked by ${shown(who.who)}${who.reason === '' ? '' : `: ${shown(who.reason)}`}`,
    ),
  ];
  return `${rows.join('\n')}\n`;
}

/** Longest text of one argument that is shown whole, in characters. */
const MAX_SHOWN = 20_000;

/** A text that does not fit a screen is shown by both its ends, and what is missing is said, so that nothing hides in it. */
function asText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= MAX_SHOWN) return text;
  const half = MAX_SHOWN / 2;
  const hidden = text.length - MAX_SHOWN;
  return `${text.slice(0, half)} […${hidden} characters are NOT SHOWN here…] ${text.slice(-half)}`;
}

/**
 * Redacts by rules in a stream of bytes. A secret is looked for in whole lines, and a key of several lines
 * until it is complete, so that no cut of the stream can hide one; it holds back what is not decided yet.
 */
import { findSecrets, secretText } from './rules/find.js';

/** What stands in a secret's place. */
export type Mark = (rule: string, secret: string) => string;

/** Most that is held back for an end of line, in bytes; twice this is looked at together in a longer one. */
const WINDOW = 131_072;
/** A key without its end is one, after so many bytes. */
const LONGEST_KEY = 65_536;
const KEY_BEGINS = /-----BEGIN ?(?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** A text with every secret that a rule finds replaced. */
export function redactByRules(text: string, mark: Mark): string {
  return replaceIn(text, mark).shown;
}

function replaceIn(text: string, mark: Mark, upTo = text.length): { readonly shown: string; readonly end: number } {
  const parts: string[] = [];
  let at = 0;
  for (const hit of findSecrets(text)) {
    if (hit.start >= upTo) break;
    parts.push(text.slice(at, hit.start), mark(hit.rule, secretText(text, hit)));
    at = hit.end;
  }
  const end = Math.max(at, upTo);
  parts.push(text.slice(at, end));
  return { shown: parts.join(''), end };
}

/** A name that wants a value, at the end of a text; looked for in this many bytes. */
const NAME_ENDS = /[^\n]{0,200}key["'\\]{0,4}\s{0,8}(?:[:=]>?)?\s{0,40}$/i;
const NAME_TAIL = 300;

export interface RuleStream {
  readonly push: (bytes: Buffer) => Buffer;
  readonly end: () => Buffer;
}

/** A stream's redactor. One byte is one character here: rules are about ASCII, and nothing else may change. */
export function createRuleStream(mark: Mark): RuleStream {
  let held = '';

  const take = (last: boolean): string => {
    let out = '';
    // A line without end: a part of fixed size, so that the answer does not depend on how the stream was cut.
    while (held.length >= 2 * WINDOW) {
      const decided = decidedEnd(held.slice(0, 2 * WINDOW));
      const step =
        decided > 0
          ? { shown: redactByRules(held.slice(0, decided), mark), end: decided }
          : replaceIn(held.slice(0, 2 * WINDOW), mark, WINDOW);
      out += step.shown;
      held = held.slice(step.end);
    }
    const end = last ? held.length : decidedEnd(held);
    if (end === 0) return out;
    out += redactByRules(held.slice(0, end), mark);
    held = held.slice(end);
    return out;
  };
  return {
    push: (bytes) => {
      held += bytes.toString('latin1');
      return Buffer.from(take(false), 'latin1');
    },
    end: () => Buffer.from(take(true), 'latin1'),
  };
}

/** Up to where nothing that comes can change what is found: after the last line end, but before a key that is not complete. */
function decidedEnd(text: string): number {
  const lines = text.lastIndexOf('\n') + 1;
  if (lines === 0) return 0;
  for (const match of text.slice(0, lines).matchAll(KEY_BEGINS)) {
    const body = text.slice(match.index + match[0].length, lines);
    const over = /-----END|[^A-Za-z0-9+/=\s\\:,.()-]/.exec(body);
    if (over === null && body.length < LONGEST_KEY) return match.index;
  }
  // The value of a name that ends here may stand in the next line.
  const from = Math.max(0, lines - NAME_TAIL);
  const name = NAME_ENDS.exec(text.slice(from, lines));
  return name === null ? lines : from + name.index;
}

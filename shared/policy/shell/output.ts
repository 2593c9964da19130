/**
 * What a command prints or feeds to another, when its text alone says it: `echo`, `printf`, `cat` and
 * `tee` of literal text, here documents and here strings. Anything else is unknown, never guessed.
 */
import type { Redirection, SyntaxNode } from 'unbash';
import type { Operand } from './options.js';
import { literalText, wordTexts, type Variables } from './words.js';

export const UNKNOWN: Operand = { texts: [], exact: false };
const MAX_TEXTS = 16;

/** The text a redirection gives to standard input; null when it concerns something else. */
export function redirectedInput(redirect: Redirection, variables: Variables): Operand | null {
  if (redirect.type === 'HereDoc') {
    const exact = redirect.body.parts === undefined || redirect.body.parts.every((part) => part.type === 'Literal');
    return { texts: [redirect.body.text], exact };
  }
  if (redirect.type === 'HereString') {
    return redirect.target === undefined ? UNKNOWN : wordTexts(redirect.target, variables);
  }
  if (redirect.operator !== '<' || redirect.target === undefined) return null;
  const part = redirect.target.parts?.length === 1 ? redirect.target.parts[0] : undefined;
  if (part?.type !== 'ProcessSubstitution' || part.operator !== '<') return UNKNOWN;
  return part.script === undefined ? UNKNOWN : outputOf(part.script.commands, null, variables);
}

/** What these nodes print one after the other, reading `input`. */
export function outputOf(nodes: readonly SyntaxNode[], input: Operand | null, variables: Variables): Operand {
  return nodes.map((node) => nodeOutput(node, input, variables)).reduce(followedBy, { texts: [''], exact: true });
}

function followedBy(a: Operand, b: Operand): Operand {
  if (a.texts.length * b.texts.length > MAX_TEXTS) return { texts: a.texts, exact: false };
  // What is unknown in between hides nothing of the rest.
  if (a.texts.length === 0 || b.texts.length === 0) return { texts: [...a.texts, ...b.texts], exact: false };
  return { texts: a.texts.flatMap((x) => b.texts.map((y) => x + y)), exact: a.exact && b.exact };
}

function nodeOutput(node: SyntaxNode, input: Operand | null, variables: Variables): Operand {
  switch (node.type) {
    case 'Statement':
      return nodeOutput(node.command, input, variables);
    case 'Subshell':
    case 'BraceGroup':
      return outputOf(node.body.commands, input, variables);
    case 'AndOr':
    case 'CompoundList':
      return outputOf(node.commands, input, variables);
    case 'Pipeline':
      return node.commands.reduce<Operand | null>((read, part) => nodeOutput(part, read, variables), input) ?? UNKNOWN;
    case 'Command': {
      const name = node.name === undefined ? null : literalText(node.name, variables)?.split('/').at(-1);
      const read = node.redirects.map((redirect) => redirectedInput(redirect, variables)).find((own) => own !== null);
      const words = node.args.map((arg): Operand =>
        arg.type === 'Word' ? wordTexts(arg, variables) : plain(arg.text),
      );
      return printed(name ?? '', words, read ?? input);
    }
    default:
      return UNKNOWN;
  }
}

function plain(text: string): Operand {
  return { texts: [text], exact: true };
}

function printed(name: string, words: readonly Operand[], input: Operand | null): Operand {
  if (name === 'echo') return echo(words);
  if (name === 'printf') return printf(words);
  if (name === 'tee') return input ?? UNKNOWN;
  if (name === 'cat' && words.every((word) => /^(-|\/dev\/stdin)?$/.test(word.texts[0] ?? ''))) return input ?? UNKNOWN;
  return [':', 'true', 'cd', 'sleep', 'export', 'set'].includes(name) ? plain('') : UNKNOWN;
}

function spaced(words: readonly Operand[]): Operand {
  return words.reduce(
    (sum, word, index) => followedBy(index === 0 ? sum : followedBy(sum, plain(' ')), word),
    plain(''),
  );
}

/** Shells disagree on whether `echo` decodes escapes: both readings. */
function echo(words: readonly Operand[]): Operand {
  const at = words.findIndex((word) => !/^-[neE]+$/.test(word.texts[0] ?? ''));
  const said = at < 0 ? plain('') : spaced(words.slice(at));
  return {
    texts: [...new Set(said.texts.flatMap((text) => [`${text}\n`, `${unescaped(text)}\n`]))],
    exact: said.exact,
  };
}

function printf(words: readonly Operand[]): Operand {
  const [format, ...values] = words[0]?.texts[0] === '--' ? words.slice(1) : words;
  if (format === undefined || format.texts[0]?.startsWith('-') === true) return UNKNOWN;
  const exact = [format, ...values].every((word) => word.exact && word.texts.length === 1);
  const own = unescaped(format.texts[0] ?? '');
  let left = values.map((word) => word.texts[0] ?? '');
  let text = '';
  do {
    const before = left.length;
    text += own.replace(/%(%|[-0-9.]*[a-zA-Z])/g, (_, kind: string) => {
      if (kind === '%') return '%';
      const [value = '', ...rest] = left;
      left = rest;
      return kind === 'b' ? unescaped(value) : value;
    });
    if (left.length === before) break;
  } while (left.length > 0);
  return { texts: [text], exact };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
};

function unescaped(text: string): string {
  return text.replace(/\\(x[0-9a-fA-F]{1,2}|0[0-7]{0,3}|[1-7][0-7]{0,2}|.)/g, (whole, code: string) => {
    if (/^x./.test(code)) return String.fromCharCode(parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCharCode(parseInt(code, 8) & 0xff);
    return ESCAPES[code] ?? (code === '\\' ? '\\' : whole);
  });
}

/**
 * What the words of a shell command may turn into. Pure: knows no files and no environment, so a
 * word that depends on either is never exact.
 */
import type { ParameterExpansionPart, Word, WordPart } from 'unbash';

/** The texts a word may become. `exact` is false when something in it is known only at run time. */
export interface WordTexts {
  readonly texts: readonly string[];
  readonly exact: boolean;
}

/** Literal values that the script itself gave its variables so far. */
export type Variables = ReadonlyMap<string, ReadonlySet<string>>;

/** More alternatives than this are not followed; the word counts as not exact. */
const MAX_TEXTS = 64;

/** The alternatives of a word: quotes removed, simple brace lists expanded, variables replaced by values the script gave them. */
export function wordTexts(word: Word, variables: Variables): WordTexts {
  const whole = word.parts === undefined ? { texts: [word.value], exact: true } : joinParts(word.parts, variables);
  if (word.text.startsWith('~') || beginsWithExpansion(word.parts)) return whole;
  // `~/x` is the home folder only when unquoted; a quoted one is a folder named `~`.
  return { texts: whole.texts.map((text) => (text.startsWith('~') ? `./${text}` : text)), exact: whole.exact };
}

function beginsWithExpansion(parts: readonly WordPart[] | undefined): boolean {
  const first = parts?.[0];
  if (first?.type === 'DoubleQuoted') return beginsWithExpansion(first.parts);
  return first?.type === 'SimpleExpansion' || first?.type === 'ParameterExpansion';
}

/** The one text of a word that does not depend on anything; null otherwise. */
export function literalText(word: Word, variables: Variables): string | null {
  const { texts, exact } = wordTexts(word, variables);
  return exact && texts.length === 1 ? (texts[0] ?? null) : null;
}

function joinParts(parts: readonly WordPart[], variables: Variables): WordTexts {
  let joined: WordTexts = { texts: [''], exact: true };
  for (const part of parts) joined = product(joined, partTexts(part, variables));
  return joined;
}

function product(left: WordTexts, right: WordTexts): WordTexts {
  if (left.texts.length * right.texts.length > MAX_TEXTS) return { texts: left.texts, exact: false };
  return {
    texts: left.texts.flatMap((a) => right.texts.map((b) => a + b)),
    exact: left.exact && right.exact,
  };
}

function partTexts(part: WordPart, variables: Variables): WordTexts {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return { texts: [part.value], exact: true };
    case 'DoubleQuoted':
    case 'LocaleString':
      return joinParts(part.parts, variables);
    case 'SimpleExpansion':
      return expansionTexts(part.text, variables);
    case 'ParameterExpansion':
      return parameterTexts(part, variables);
    case 'BraceExpansion':
      return braceTexts(part.text);
    default:
      // Globs, command and arithmetic expansions: what they become is not in the text. Their source
      // stands in for it, so that the literal rest of the word can still be judged.
      return { texts: [part.text], exact: false };
  }
}

function expansionTexts(source: string, variables: Variables): WordTexts {
  const name = /^\$\{?([A-Za-z_][A-Za-z0-9_]*|[0-9@*])\}?$/.exec(source)?.[1];
  if (name === 'HOME') return { texts: ['~'], exact: false };
  if (name === 'PWD') return { texts: ['.'], exact: false };
  const known = name === undefined ? undefined : variables.get(name);
  // A value the script gave may still have been replaced by a branch not taken: never exact.
  return { texts: known === undefined ? [source] : [...known], exact: false };
}

/** `${F:-x}`, `${F:=x}`, `${F+x}` may become `x`; `${a[0]}` any element of `a`; other operations stay unknown. */
function parameterTexts(part: ParameterExpansionPart, variables: Variables): WordTexts {
  const operation = part.operation;
  if (part.prefix !== undefined) return { texts: [part.text], exact: false };
  if (operation === undefined) {
    const plain = part.index === undefined ? part.text : `$${part.parameter}`;
    const found = expansionTexts(plain, variables);
    return found.texts[0] === plain ? { texts: [part.text], exact: false } : found;
  }
  if (operation.type !== 'Default' || operation.operator.endsWith('?')) return { texts: [part.text], exact: false };
  const known = variables.get(part.parameter) ?? [];
  return { texts: [...new Set([...known, ...wordTexts(operation.operand, variables).texts])], exact: false };
}

function braceTexts(source: string): WordTexts {
  const inner = source.slice(1, -1);
  if (/[{}$`"'\\]|\.\./.test(inner) || !inner.includes(',')) return { texts: [source], exact: false };
  return { texts: inner.split(','), exact: true };
}

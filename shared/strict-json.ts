/**
 * The one reader of JSON that comes from outside. It refuses what `JSON.parse` lets pass and what
 * two readers could understand differently: duplicate keys, `__proto__`, numbers that are not
 * finite, lone surrogates, too much depth. The scanner and the visitor are jsonc-parser's and say
 * where a fault stands; the value itself is `JSON.parse`'s, so both have to agree on the text.
 */
import {
  createScanner,
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  visit,
  type JSONPath,
  type JSONVisitor,
} from 'jsonc-parser';
import type { Json } from './json.js';
import { fail, ok, type Result } from './result.js';

/** Where in a text; both count from 1, the column in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** One fault, with the path of the value it stands in, such as `hooks[2].handler`; "" is the whole text. */
export interface JsonFault extends TextPosition {
  readonly path: string;
  readonly message: string;
}

export interface JsonLimits {
  /** Levels of objects and lists; `{}` has one. At most 256, so that no later walk overflows. */
  readonly depth: number;
}

/** More faults than this of one text help nobody. */
const MAX_FAULTS = 100;

/** The value of a strict JSON text, or its faults in the order of the text (at most 100, never none). */
export function parseStrictJson(text: string, limits: JsonLimits): Result<Json, JsonFault[]> {
  const tooDeep = findTooDeep(text, Math.min(limits.depth, 256));
  if (tooDeep !== null) return fail([tooDeep]);
  const faults = collectFaults(text);
  if (faults.length > 0) return fail(faults);
  try {
    return ok(JSON.parse(text) as Json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail([{ path: '', line: 1, column: 1, message: `not JSON: ${error.message}` }]);
  }
}

/** Depth is checked with the scanner, because the visitor recurses and would overflow first. */
function findTooDeep(text: string, limit: number): JsonFault | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    if (scanner.getTokenLength() === 0) return null;
    const first = text[scanner.getTokenOffset()];
    if (first === '}' || first === ']') depth -= 1;
    if (first !== '{' && first !== '[') continue;
    depth += 1;
    if (depth <= limit) continue;
    return {
      path: '',
      line: scanner.getTokenStartLine() + 1,
      column: scanner.getTokenStartCharacter() + 1,
      message: `nested more than ${limit} levels deep`,
    };
  }
}

function collectFaults(text: string): JsonFault[] {
  const faults: JsonFault[] = [];
  const keysInForce: Set<string>[] = [];
  const report = (message: string, line: number, column: number, path: JSONPath): void => {
    if (faults.length < MAX_FAULTS)
      faults.push({ path: formatPath(path), line: line + 1, column: column + 1, message });
  };
  const visitor: JSONVisitor = {
    onObjectBegin: () => {
      keysInForce.push(new Set());
    },
    onObjectEnd: () => {
      keysInForce.pop();
    },
    onObjectProperty: (key, _offset, _length, line, column, path) => {
      const fault = keyFault(key, keysInForce.at(-1));
      if (fault !== null) report(fault, line, column, path());
      keysInForce.at(-1)?.add(key);
    },
    onLiteralValue: (value: unknown, offset, length, line, column, path) => {
      if (typeof value === 'string' && !value.isWellFormed()) report('has a lone surrogate', line, column, path());
      if (typeof value === 'number' && !Number.isFinite(value)) {
        report(`${text.slice(offset, offset + Math.min(length, 40))} is not a finite number`, line, column, path());
      }
    },
    onError: (code, offset, length, line, column) => {
      // After one syntax error the others are mostly its echo; the first of a place is enough.
      const found = text.slice(offset, offset + Math.min(length, 40));
      report(syntaxMessage(printParseErrorCode(code), found), line, column, []);
    },
  };
  visit(text, visitor, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  return faults;
}

function keyFault(key: string, keys: ReadonlySet<string> | undefined): string | null {
  if (key === '__proto__') return 'the key "__proto__" is refused';
  if (!key.isWellFormed()) return 'a key has a lone surrogate';
  if (keys?.has(key) === true) return `the key ${JSON.stringify(key)} stands here twice`;
  return null;
}

function syntaxMessage(code: string, found: string): string {
  const here = found === '' ? 'the end of the text' : JSON.stringify(found);
  const known = SYNTAX_MESSAGES[code] ?? 'not JSON';
  return `${known}; here stands ${here}`;
}

const SYNTAX_MESSAGES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'neither a JSON word (true, false, null) nor a text in double quotes',
  InvalidNumberFormat: 'not a JSON number',
  PropertyNameExpected: 'a key in double quotes is expected (no trailing comma)',
  ValueExpected: 'a value is expected (no trailing comma)',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing brace is expected',
  CloseBracketExpected: 'a closing bracket is expected',
  EndOfFileExpected: 'the text should end after one value',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number is not complete',
  InvalidUnicode: 'not a \\u escape with four hexadecimal digits',
  InvalidEscapeCharacter: 'not an escape that JSON knows',
  InvalidCharacter: 'a control character must be written as an escape',
};

/** `['hooks', 2, 'handler']` as `hooks[2].handler`; keys that are no plain names as `["a b"]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(String(step))) text += text === '' ? String(step) : `.${String(step)}`;
    else text += `[${JSON.stringify(String(step))}]`;
  }
  return text;
}

/** Looks up where values of a text stand; a path that is not there gets its nearest parent's place. */
export function positionsIn(text: string): (path: readonly (string | number)[]) => TextPosition {
  const root = parseTree(text);
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return (path) => {
    for (let length = path.length; root !== undefined && length >= 0; length -= 1) {
      const node = findNodeAtLocation(root, path.slice(0, length));
      if (node === undefined) continue;
      // A fault of a whole member is best seen at its key.
      const shown = node.parent?.type === 'property' && node.type !== 'object' ? node.parent : node;
      return toPosition(lineStarts, shown.offset);
    }
    return { line: 1, column: 1 };
  };
}

function toPosition(lineStarts: readonly number[], offset: number): TextPosition {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 };
}

/**
 * Finds the files that a shell command writes, from its text alone, with a real shell parser.
 * What counts as a write: creating, changing, removing or renaming a file or folder, and changing
 * its mode or owner. Redirections, the commands of shell/writers.ts, and what runs inside
 * `sh -c`, `eval`, `env`, `xargs`, `find -exec`, substitutions, functions and here documents fed to a shell.
 * Not seen through: other programs (`python -c`, `make`, scripts on disk, git's own folder).
 * It must not guess: what only run time knows makes `computed` true, and the literal rest of such
 * a word is still listed, so that a name like `.env` at its end can be judged.
 */
import { forEachChild, parse } from 'unbash';
import type { Command, ParsedScript, Redirection, Statement, SyntaxNode, Word } from 'unbash';
import { namesMatched } from './shell/globs.js';
import { literal, type Operand } from './shell/options.js';
import { changeFolder, enter, join, MAX_FOLDERS, union, type Place } from './shell/places.js';
import { outputOf, redirectedInput, UNKNOWN } from './shell/output.js';
import { assign, givePositions, giveValues, remember } from './shell/values.js';
import { wordTexts } from './shell/words.js';
import { innerCommands, type Inner } from './shell/wrappers.js';
import { writtenBy } from './shell/writers.js';

export interface ShellWrites {
  /**
   * Paths as written, `cd` to literal folders applied: absolute, relative to where the command
   * starts, or beginning with `~/` (the home folder). After a `cd` that may have failed both
   * readings are listed. No duplicates, in the order found.
   */
  readonly targets: readonly string[];
  /** True when something may be written that `targets` does not name exactly. */
  readonly computed: boolean;
  /** False when the text is no shell script that the parser knows; then `targets` is what was found anyway. */
  readonly parsed: boolean;
}

/** Commands inside commands inside …: deeper than this is not followed, and counts as computed. */
const MAX_DEPTH = 12;
/** More inner scripts and function calls than this are not followed: what calls itself twice would take forever. */
const MAX_STEPS = 500;

interface Scan {
  readonly targets: Set<string>;
  readonly variables: Map<string, Set<string>>;
  readonly functions: Map<string, SyntaxNode>;
  /** True when the script may let `*` match a leading dot. */
  readonly dots: boolean;
  /** What standard input gives, as far as the text says; null: whatever the caller's is. */
  input: Operand | null;
  computed: boolean;
  parsed: boolean;
  depth: number;
  steps: number;
}

/** Reads a command line. Never throws: what cannot be read is `parsed: false`. */
export function shellWrites(command: string): ShellWrites {
  const scan: Scan = {
    targets: new Set(),
    variables: new Map(),
    functions: new Map(),
    dots: /dotglob|GLOBIGNORE|glob_?dots|\(.*D.*\)/i.test(command),
    input: null,
    computed: false,
    parsed: true,
    depth: 0,
    steps: 0,
  };
  scanText(scan, command, { folders: [''], known: true });
  return { targets: [...scan.targets], computed: scan.computed || !scan.parsed, parsed: scan.parsed };
}

function scanText(scan: Scan, text: string, place: Place): Place {
  if (tooFar(scan)) return place;
  scan.depth += 1;
  const after = scanScript(scan, parse(text), place);
  scan.depth -= 1;
  return after;
}

/** Counts one step into something inside; true, and computed, when it is not to be followed. */
function tooFar(scan: Scan): boolean {
  scan.steps += 1;
  if (scan.depth < MAX_DEPTH && scan.steps <= MAX_STEPS) return false;
  scan.computed = true;
  return true;
}

function scanScript(scan: Scan, script: ParsedScript, place: Place): Place {
  if (script.errors !== undefined && script.errors.length > 0) scan.parsed = false;
  return scanStatements(scan, script.commands, place);
}

function scanStatements(scan: Scan, statements: readonly Statement[], start: Place): Place {
  let place = start;
  for (const statement of statements) {
    const after = scanNode(scan, statement.command, place);
    // A `cd` may have failed, and a background list has a folder of its own.
    place = statement.background === true ? place : union(place, after);
  }
  return place;
}

/** Scans one node; the answer is where the shell is if the node succeeded. */
function scanNode(scan: Scan, node: SyntaxNode, place: Place): Place {
  switch (node.type) {
    case 'Command':
      return scanCommand(scan, node, place);
    case 'AndOr': {
      let sure = place;
      let any = place;
      node.commands.forEach((command, index) => {
        const onlyAfterSuccess = node.operators[index - 1] === '&&';
        sure = scanNode(scan, command, index === 0 || onlyAfterSuccess ? sure : any);
        any = union(any, sure);
      });
      return node.operators.includes('||') ? any : sure;
    }
    case 'Pipeline':
      // Each part of a pipe has its own folder; a single command with `!` or `time` does not.
      if (node.commands.length === 1 && node.commands[0] !== undefined) return scanNode(scan, node.commands[0], place);
      scanPipe(scan, node.commands, place);
      return place;
    case 'Subshell':
      scanStatements(scan, node.body.commands, place);
      return place;
    case 'BraceGroup':
      return scanStatements(scan, node.body.commands, place);
    case 'Redirected':
      for (const redirect of node.redirects) scanRedirect(scan, redirect, place);
      return withInput(scan, inputOf(scan, node.redirects), () => scanNode(scan, node.command, place));
    case 'Function': {
      const name = wordTexts(node.name, scan.variables).texts[0];
      const after = scanNode(scan, node.body, place);
      if (name !== undefined) scan.functions.set(name, node.body);
      return after;
    }
    case 'CompoundList':
      return scanStatements(scan, node.commands, place);
    case 'Statement':
      return scanNode(scan, node.command, place);
    case 'For':
      for (const word of node.wordlist ?? []) scanWord(scan, word, place);
      for (const word of node.wordlist ?? []) remember(scan, node.name.value, wordTexts(word, scan.variables).texts);
      return scanStatements(scan, node.body.commands, place);
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      if (node.script !== undefined) scanScript(scan, node.script, place);
      return place;
    default:
      return scanChildren(scan, node, place);
  }
}

function scanPipe(scan: Scan, nodes: readonly SyntaxNode[], place: Place): void {
  let input = scan.input;
  for (const node of nodes) {
    const read = input;
    withInput(scan, read, () => scanNode(scan, node, place));
    input = outputOf([node], read, scan.variables);
  }
}

function withInput<T>(scan: Scan, input: Operand | null, work: () => T): T {
  const before = scan.input;
  scan.input = input;
  const result = work();
  scan.input = before;
  return result;
}

function inputOf(scan: Scan, redirects: readonly Redirection[]): Operand | null {
  const own = redirects.map((redirect) => redirectedInput(redirect, scan.variables)).filter((input) => input !== null);
  return own.at(-1) ?? scan.input;
}

/** if, while, case, words …: every part may run, from wherever the parts before it may have left the shell. */
function scanChildren(scan: Scan, node: SyntaxNode, start: Place): Place {
  let place = start;
  forEachChild(node, (child) => {
    if (child.type === 'ParameterExpansion' && child.operation?.type === 'Default') {
      // `${F:=x}` gives F its value.
      remember(scan, child.parameter, wordTexts(child.operation.operand, scan.variables).texts);
    }
    if (child.type === 'Assignment') assign(scan, child);
    place = union(place, scanNode(scan, child, place));
  });
  return place;
}

function scanWord(scan: Scan, word: Word, place: Place): void {
  if (word.parts !== undefined) scanChildren(scan, word, place);
}

function scanCommand(scan: Scan, command: Command, place: Place): Place {
  for (const redirect of command.redirects) scanRedirect(scan, redirect, place);
  for (const item of command.prefix) {
    if (item.type !== 'Assignment') continue;
    scanChildren(scan, item, place);
    assign(scan, item);
  }
  if (command.name === undefined) return place;
  scanWord(scan, command.name, place);
  const words = command.args.map((arg): Operand => {
    scanChildren(scan, arg, place);
    if (arg.type === 'Word') return substitution(scan, arg) ?? wordTexts(arg, scan.variables);
    assign(scan, arg);
    return { texts: [arg.text], exact: arg.value.type === 'Word' && arg.value.parts === undefined };
  });
  const name = wordTexts(command.name, scan.variables);
  return withInput(scan, inputOf(scan, command.redirects), () => runWords(scan, [name, ...words], place));
}

/** `<(…)` and `>(…)` are no files; what can be read from them is part of the operand. */
function substitution(scan: Scan, word: Word): Operand | null {
  const part = word.parts?.length === 1 ? word.parts[0] : undefined;
  if (part?.type !== 'ProcessSubstitution') return null;
  const read = part.operator === '<' && part.script !== undefined;
  return { ...literal('/dev/fd/63'), output: read ? outputOf(part.script.commands, null, scan.variables) : UNKNOWN };
}

/** What runs in `<(…)` and `>(…)` was scanned with the word. */
function isSubstitution(word: Word): boolean {
  return word.parts?.length === 1 && word.parts[0]?.type === 'ProcessSubstitution';
}

function runWords(scan: Scan, all: readonly Operand[], place: Place): Place {
  const [head, ...words] = all;
  const name = head?.texts[0]?.split('/').at(-1);
  if (head === undefined || name === undefined) return place;
  if (!head.exact || head.texts.length > 1) {
    scan.computed = true;
    // The values it may have are still looked at.
    if (!tooFar(scan)) {
      scan.depth += 1;
      for (const text of head.texts)
        runWords(scan, [...text.split(/\s+/).filter(Boolean).map(literal), ...words], place);
      scan.depth -= 1;
    }
    return place;
  }
  if (name === 'cd' || name === 'pushd' || name === 'popd') return changeFolder(name, words, place);
  callFunction(scan, name, words, place);
  giveValues(scan, name, words);
  for (const part of innerCommands(name, words) ?? []) runInner(scan, part, place);
  const written = writtenBy(name, words, scan);
  if (written.computed) scan.computed = true;
  for (const path of written.paths) addTarget(scan, path, place);
  for (const text of written.scripts ?? []) runScript(scan, text, place);
  if (name === 'find') findWrites(scan, words, place);
  if (name === 'time' || name === 'strace') addOption(scan, words, place, '-o');
  return place;
}

function callFunction(scan: Scan, name: string, words: readonly Operand[], place: Place): void {
  const body = scan.functions.get(name);
  if (body === undefined) return;
  givePositions(scan, [literal(name), ...words]);
  if (tooFar(scan)) return;
  scan.depth += 1;
  // A call of itself adds no command, only values: those count as computed already.
  scan.functions.delete(name);
  scanNode(scan, body, place);
  scan.functions.set(name, body);
  scan.depth -= 1;
}

function runInner(scan: Scan, inner: Inner, place: Place): void {
  if (inner.kind === 'script') {
    if (inner.args !== undefined) givePositions(scan, inner.args);
    runScript(scan, inner.text, place);
    return;
  }
  if (inner.kind === 'stdin') {
    // From a here document, a here string or a literal pipe it is read, from anywhere else it is unknown.
    runScript(scan, scan.input ?? UNKNOWN, place);
    return;
  }
  const there = inner.folder === null ? place : enter(inner.folder, place);
  const name = inner.words[0]?.texts[0]?.split('/').at(-1) ?? '';
  // Operands that come at run time (`xargs rm`, `find -exec rm {} +`) are files that nobody can name here.
  if (inner.appends && (writtenBy(name, inner.words.slice(1), scan).paths.length > 0 || writesOperands(scan, name))) {
    scan.computed = true;
  }
  if (inner.fromInput) runAppended(scan, inner.words, there);
  runWords(scan, inner.words, there);
}

/** `xargs`: the command with the words that standard input gives it, at its end or in place of `{}`. */
function runAppended(scan: Scan, words: readonly Operand[], place: Place): void {
  for (const text of scan.input?.texts ?? []) {
    const read = text.split(/\s+/).filter(Boolean).slice(0, MAX_FOLDERS);
    if (read.length === 0) continue;
    if (!words.some((word) => word.texts.some((own) => own.includes('{}')))) {
      runWords(scan, [...words, ...read.map(literal)], place);
      continue;
    }
    for (const value of read) {
      const filled = words.map((word) => ({ ...word, texts: word.texts.map((own) => own.replaceAll('{}', value)) }));
      runWords(scan, filled, place);
    }
  }
}

function runScript(scan: Scan, script: Operand, place: Place): void {
  if (!script.exact) scan.computed = true;
  for (const text of script.texts) scanText(scan, text, place);
}

function writesOperands(scan: Scan, name: string): boolean {
  const probe: Operand = { texts: ['x'], exact: true };
  const written = writtenBy(name, [probe, probe], scan);
  return written.paths.length > 0 || written.computed || name === 'sed' || name === 'perl';
}

function findWrites(scan: Scan, words: readonly Operand[], place: Place): void {
  words.forEach((word, index) => {
    const text = word.texts[0];
    if (text === '-delete') scan.computed = true;
    if (['-fprint', '-fprint0', '-fls', '-fprintf'].includes(text ?? '')) {
      const file = words[index + 1];
      if (file !== undefined) addTarget(scan, file, place);
    }
  });
}

function addOption(scan: Scan, words: readonly Operand[], place: Place, option: string): void {
  const at = words.findIndex((word) => word.texts[0] === option);
  const file = at < 0 ? undefined : words[at + 1];
  if (file !== undefined) addTarget(scan, file, place);
}

const NO_FILE = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/;

function scanRedirect(scan: Scan, redirect: Redirection, place: Place): void {
  scanChildren(scan, redirect, place);
  if (redirect.type !== 'Redirect' || redirect.target === undefined) return;
  if (redirect.operator === '<' || redirect.operator === '<&') return;
  const target = wordTexts(redirect.target, scan.variables);
  if (redirect.operator === '>&' && /^(\d+-?|-)$/.test(target.texts[0] ?? '')) return;
  if (isSubstitution(redirect.target)) return;
  // zsh's `>! file`: the word after it is the file, which bash takes for an argument.
  if (target.texts[0] === '!') scan.computed = true;
  addTarget(scan, target, place);
}

function addTarget(scan: Scan, target: Operand, place: Place): void {
  if (!target.exact) scan.computed = true;
  for (const text of target.texts) {
    if (text === '' || text === '-' || NO_FILE.test(text)) continue;
    if (!target.exact) for (const name of namesMatched(text, scan.dots)) addTarget(scan, literal(name), place);
    const relative = !text.startsWith('/') && !text.startsWith('~/');
    if (relative && !place.known) scan.computed = true;
    for (const folder of place.folders) scan.targets.add(join(folder, text));
  }
}

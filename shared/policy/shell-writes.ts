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
import { literalText, wordTexts } from './shell/words.js';
import { innerCommands, type Inner } from './shell/wrappers.js';
import { writtenBy, type Operand } from './shell/writers.js';

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
/** More possible working folders than this are not followed. */
const MAX_FOLDERS = 16;

/** Where the command may be at this moment: folders relative to the start; `known` is false after a computed `cd`. */
interface Place {
  readonly folders: readonly string[];
  readonly known: boolean;
}

interface Scan {
  readonly targets: Set<string>;
  readonly variables: Map<string, Set<string>>;
  computed: boolean;
  parsed: boolean;
  depth: number;
}

/** Reads a command line. Never throws: what cannot be read is `parsed: false`. */
export function shellWrites(command: string): ShellWrites {
  const scan: Scan = { targets: new Set(), variables: new Map(), computed: false, parsed: true, depth: 0 };
  scanText(scan, command, { folders: [''], known: true });
  return { targets: [...scan.targets], computed: scan.computed || !scan.parsed, parsed: scan.parsed };
}

function scanText(scan: Scan, text: string, place: Place): Place {
  if (scan.depth >= MAX_DEPTH) {
    scan.computed = true;
    return place;
  }
  scan.depth += 1;
  const after = scanScript(scan, parse(text), place);
  scan.depth -= 1;
  return after;
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
      node.commands.forEach((command, index) => {
        if (index > 0 && readsScript(scan, command)) scan.computed = true;
        scanNode(scan, command, place);
      });
      return place;
    case 'Subshell':
      scanStatements(scan, node.body.commands, place);
      return place;
    case 'BraceGroup':
      return scanStatements(scan, node.body.commands, place);
    case 'Redirected':
      for (const redirect of node.redirects) scanRedirect(scan, redirect, place);
      return scanNode(scan, node.command, place);
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

/** if, while, case, functions, words …: every part may run, from wherever the parts before it may have left the shell. */
function scanChildren(scan: Scan, node: SyntaxNode, start: Place): Place {
  let place = start;
  forEachChild(node, (child) => {
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
    const value = item.value;
    if (command.name === undefined && value.type === 'Word') {
      remember(scan, item.name, wordTexts(value, scan.variables).texts);
    }
  }
  if (command.name === undefined) return place;
  scanWord(scan, command.name, place);
  const words = command.args.map((arg): Operand => {
    scanChildren(scan, arg, place);
    if (arg.type === 'Word')
      return isSubstitution(arg) ? { texts: ['-'], exact: true } : wordTexts(arg, scan.variables);
    if (arg.value.type === 'Word') remember(scan, arg.name, wordTexts(arg.value, scan.variables).texts);
    return { texts: [arg.text], exact: arg.value.type === 'Word' && arg.value.parts === undefined };
  });
  const input = command.redirects.find((redirect) => redirect.type !== 'Redirect');
  return runWords(scan, [wordTexts(command.name, scan.variables), ...words], place, input);
}

/** `<(…)` and `>(…)` are no files; what runs in them was scanned with the word. */
function isSubstitution(word: Word): boolean {
  return word.parts?.length === 1 && word.parts[0]?.type === 'ProcessSubstitution';
}

function runWords(scan: Scan, all: readonly Operand[], place: Place, input?: Redirection): Place {
  const [head, ...words] = all;
  const name = head?.texts[0]?.split('/').at(-1);
  if (head === undefined || name === undefined) return place;
  if (!head.exact || head.texts.length > 1) {
    scan.computed = true;
    return place;
  }
  if (name === 'cd' || name === 'pushd' || name === 'popd') return changeFolder(scan, name, words, place);
  const inner = innerCommands(name, words);
  for (const part of inner ?? []) runInner(scan, part, place, input);
  const written = writtenBy(name, words);
  if (written.computed) scan.computed = true;
  for (const path of written.paths) addTarget(scan, path, place);
  if (name === 'find') findWrites(scan, words, place);
  if (name === 'time' || name === 'strace') addOption(scan, words, place, '-o');
  return place;
}

function runInner(scan: Scan, inner: Inner, place: Place, input: Redirection | undefined): void {
  if (inner.kind === 'script') {
    if (!inner.text.exact) scan.computed = true;
    for (const text of inner.text.texts) scanText(scan, text, place);
    return;
  }
  if (inner.kind === 'stdin') {
    scanStandardInput(scan, input, place);
    return;
  }
  const there = inner.folder === null ? place : enter(inner.folder, place);
  const name = inner.words[0]?.texts[0]?.split('/').at(-1) ?? '';
  // Operands that come at run time (`xargs rm`, `find -exec rm {} +`) are files that nobody can name here.
  if (inner.appends && (writtenBy(name, inner.words.slice(1)).paths.length > 0 || writesOperands(name))) {
    scan.computed = true;
  }
  runWords(scan, inner.words, there, input);
}

function writesOperands(name: string): boolean {
  const probe: Operand = { texts: ['x'], exact: true };
  const written = writtenBy(name, [probe, probe]);
  return written.paths.length > 0 || written.computed || name === 'sed' || name === 'perl';
}

/** A shell that reads its script: from a here document or string it is scanned, from anywhere else it is unknown. */
function scanStandardInput(scan: Scan, input: Redirection | undefined, place: Place): void {
  if (input?.type === 'HereDoc') {
    if (input.body.parts !== undefined && input.body.parts.some((part) => part.type !== 'Literal'))
      scan.computed = true;
    scanText(scan, input.body.text, place);
  } else if (input?.type === 'HereString' && input.target !== undefined) {
    const texts = wordTexts(input.target, scan.variables);
    if (!texts.exact) scan.computed = true;
    for (const text of texts.texts) scanText(scan, text, place);
  } else {
    scan.computed = true;
  }
}

/** True for `… | sh`: the script comes through the pipe. */
function readsScript(scan: Scan, node: SyntaxNode): boolean {
  if (node.type !== 'Command' || node.name === undefined) return false;
  const name = literalText(node.name, scan.variables)?.split('/').at(-1) ?? '';
  const words = node.args.filter((arg): arg is Word => arg.type === 'Word');
  const inner =
    innerCommands(
      name,
      words.map((word) => wordTexts(word, scan.variables)),
    ) ?? [];
  return inner.some((part) => part.kind === 'stdin') && !node.redirects.some((r) => r.type !== 'Redirect');
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

function changeFolder(scan: Scan, name: string, words: readonly Operand[], place: Place): Place {
  const target = words.find((word) => !/^-[LPe@n]+$|^--$/.test(word.texts[0] ?? ''));
  if (name === 'popd' || target === undefined) {
    return name === 'cd' ? { folders: ['~'], known: true } : { folders: place.folders, known: false };
  }
  if (target.texts[0] === '-' || /^[-+]\d/.test(target.texts[0] ?? '')) return { folders: place.folders, known: false };
  return enter(target, place);
}

function enter(target: Operand, place: Place): Place {
  const folders = place.folders.flatMap((folder) => target.texts.map((text) => join(folder, text)));
  return bounded({ folders, known: place.known && target.exact });
}

function union(a: Place, b: Place): Place {
  if (a === b) return a;
  return bounded({ folders: [...a.folders, ...b.folders], known: a.known && b.known });
}

function bounded(place: Place): Place {
  const folders = [...new Set(place.folders)];
  if (folders.length <= MAX_FOLDERS) return { folders, known: place.known };
  return { folders: folders.slice(0, MAX_FOLDERS), known: false };
}

function join(folder: string, path: string): string {
  if (path.startsWith('/') || path === '~' || path.startsWith('~/')) return path;
  return folder === '' ? path : `${folder.replace(/\/$/, '')}/${path}`;
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
    const relative = !text.startsWith('/') && !text.startsWith('~/');
    if (relative && !place.known) scan.computed = true;
    for (const folder of place.folders) scan.targets.add(join(folder, text));
  }
}

function remember(scan: Scan, name: string, texts: readonly string[]): void {
  const known = scan.variables.get(name) ?? new Set<string>();
  for (const text of texts) if (known.size < MAX_FOLDERS) known.add(text);
  scan.variables.set(name, known);
}

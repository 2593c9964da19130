/**
 * What git writes outside its own bookkeeping: files of the work tree, configuration, and repositories
 * in places that the command names. What `commit`, `add` and the like write into `.git` is by design and not listed.
 */
import { afterPrefix, baseName, first, flagged, literal, NOTHING, splitOptions, valuesOf, within } from './options.js';
import type { Operand, Parsed, Rule, Surroundings, Written } from './options.js';

const READS = [
  ...['status', 'log', 'diff', 'show', 'rev-parse', 'rev-list', 'ls-files', 'ls-tree', 'ls-remote', 'blame', 'grep'],
  ...['describe', 'cat-file', 'for-each-ref', 'shortlog', 'help', 'version', 'config', 'check-ignore', 'var'],
];

const VALUES = ['-C', '-c', '--git-dir', '--work-tree', '--exec-path', '--namespace', '--config-env'];

interface Call {
  readonly verb: string;
  readonly rest: readonly Operand[];
  readonly around: Surroundings;
  /** The repository's own folder, as far as the command says so. */
  readonly gitDir: Operand;
}

/** Values that the command gave a variable; never exact, since a branch not taken may have given them. */
function given(around: Surroundings, name: string): readonly Operand[] {
  const known = around.variables.get(name);
  return known === undefined || known.size === 0 ? [] : [{ texts: [...known], exact: false }];
}

export const git: Rule = (words, around) => {
  const at = verbAt(words);
  const before = splitOptions(words.slice(0, at), VALUES);
  const folders = valuesOf(before, '-C');
  const folder = folders.reduce<Operand | undefined>((sum, next) => within(sum, next), undefined);
  const verb = words[at] === undefined ? '' : first(words[at]);
  const gitDirs = [...valuesOf(before, '--git-dir'), ...given(around, 'GIT_DIR')];
  const call: Call = { verb, rest: words.slice(at + 1), around, gitDir: gitDirs[0] ?? literal('.git') };
  const written = byVerb(call);
  const named = READS.includes(verb)
    ? []
    : gitDirs.filter((dir) => verb === 'init' || dir.texts.some((text) => baseName(text) !== '.git'));
  const aliases = valuesOf(before, '-c').filter((word) => /^alias\.[^=]*=!/.test(first(word)));
  return {
    paths: [...written.paths, ...named].map((path) => within(folder, path)).concat(traces(around)),
    computed: written.computed,
    scripts: [...(written.scripts ?? []), ...aliases.map((word) => afterPrefix(word, first(word).indexOf('!') + 1))],
  };
};

function verbAt(words: readonly Operand[]): number {
  for (let i = 0; i < words.length; i += 1) {
    const text = first(words[i] as Operand);
    if (VALUES.includes(text)) i += 1;
    else if (!text.startsWith('-')) return i;
  }
  return words.length;
}

/** `GIT_TRACE=/a/file` and its kin append to that file; `1` and `true` mean standard error. */
function traces(around: Surroundings): readonly Operand[] {
  return [...around.variables.keys()]
    .filter((name) => /^GIT_TRACE/.test(name))
    .flatMap((name) => given(around, name))
    .filter((value) => value.texts.some((text) => text.startsWith('/')));
}

function byVerb(call: Call): Written {
  const { verb, rest } = call;
  const parsed = splitOptions(
    rest,
    [
      '--output',
      '-o',
      '-f',
      '--file',
      '-b',
      '-c',
      '--separate-git-dir',
      '--template',
      '-x',
      '--exec',
      '--remote',
      '--format',
      '--depth',
      '--branch',
      '-m',
      '-s',
      '--source',
      '--pathspec-from-file',
      '--type',
      '--default',
      '--value',
    ].filter((name) => takes(verb, name)),
  );
  const { operands } = parsed;
  const separate = valuesOf(parsed, '--separate-git-dir');
  switch (verb) {
    case 'rm':
    case 'mv':
    case 'restore':
      return { paths: operands, computed: false };
    case 'checkout': {
      const separator = rest.findIndex((word) => first(word) === '--');
      return { paths: separator >= 0 ? rest.slice(separator + 1) : [], computed: true };
    }
    case 'apply':
    case 'clean':
    case 'am':
    case 'stash':
      return { paths: [], computed: true };
    case 'config':
      return config(parsed, call);
    case 'init':
      return { paths: [...operands.slice(0, 1), ...separate], computed: false };
    case 'clone':
      return { paths: [...cloned(operands), ...separate], computed: false };
    case 'worktree':
      return {
        paths: ['add', 'move', 'remove'].includes(first(operands[0] ?? literal(''))) ? operands.slice(1, 3) : [],
        computed: false,
      };
    case 'bundle':
      return { paths: first(operands[0] ?? literal('')) === 'create' ? operands.slice(1, 2) : [], computed: false };
    case 'submodule': {
      const own = first(operands[0] ?? literal(''));
      if (own === 'foreach') return { paths: [], computed: false, scripts: operands.slice(1, 2) };
      return { paths: own === 'add' ? operands.slice(2) : [], computed: own === 'update' };
    }
    case 'diff':
    case 'log':
    case 'show':
    case 'archive':
    case 'format-patch':
      return { paths: valuesOf(parsed, '--output', ...(takes(verb, '-o') ? ['-o'] : [])), computed: false };
    case 'rebase':
      return { paths: [], computed: false, scripts: valuesOf(parsed, '-x', '--exec') };
    case 'bisect':
      if (first(operands[0] ?? literal('')) !== 'run') return NOTHING;
      return { paths: [], computed: false, scripts: [literal(rest.slice(1).map(first).join(' '))] };
    default:
      return NOTHING;
  }
}

/** The same letter takes a value with one verb and none with another. */
function takes(verb: string, option: string): boolean {
  if (option === '-o') return ['archive', 'format-patch', 'clone'].includes(verb);
  if (option === '-f') return verb === 'config';
  if (option === '-b') return ['clone', 'init', 'worktree', 'checkout', 'submodule'].includes(verb);
  if (option === '-c') return verb === 'clone';
  if (option === '-x') return verb === 'rebase';
  if (option === '-s') return verb === 'restore';
  if (option === '-m') return false;
  return true;
}

function cloned(operands: readonly Operand[]): readonly Operand[] {
  const [source, folder] = operands;
  if (folder !== undefined || source === undefined) return folder === undefined ? [] : [folder];
  return [
    {
      texts: source.texts.map((url) => baseName(url.replace(/\/?\.git\/?$/, '')).replace(/^.*:/, '')),
      exact: source.exact,
    },
  ];
}

const CONFIG_READS = [
  '--get',
  '--get-all',
  '--get-regexp',
  '--get-urlmatch',
  '--get-color',
  '--get-colorbool',
  '--list',
  '-l',
];
const CONFIG_WRITES = [
  '--unset',
  '--unset-all',
  '--add',
  '--replace-all',
  '--rename-section',
  '--remove-section',
  '--edit',
  '-e',
];

/** `git config` writes when it gets a value or an action; by default the repository's own configuration. */
function config(parsed: Parsed, { gitDir, around }: Call): Written {
  const verb = first(parsed.operands[0] ?? literal(''));
  const acts =
    ['set', 'unset', 'edit', 'rename-section', 'remove-section'].includes(verb) || flagged(parsed, ...CONFIG_WRITES);
  const reads = ['list', 'get'].includes(verb) || CONFIG_READS.some((name) => parsed.flags.has(name));
  if (!acts && (reads || parsed.operands.length < 2)) return NOTHING;
  const files = valuesOf(parsed, '-f', '--file');
  if (files.length > 0) return { paths: files, computed: false };
  if (flagged(parsed, '--global')) {
    const own = given(around, 'GIT_CONFIG_GLOBAL');
    return { paths: own.length > 0 ? own : [literal('~/.gitconfig')], computed: false };
  }
  if (flagged(parsed, '--system')) return { paths: given(around, 'GIT_CONFIG_SYSTEM'), computed: false };
  const named = given(around, 'GIT_CONFIG');
  const name = flagged(parsed, '--worktree') ? 'config.worktree' : 'config';
  return { paths: named.length > 0 ? named : [within(gitDir, literal(name))], computed: false };
}

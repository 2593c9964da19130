/**
 * Commands that run another command: what of their words is that command. Seen through, so that
 * `env X=1 sh -c '…'`, `xargs tee` or `find -exec rm` meet the same look as what they start.
 */
import { splitOptions, type Operand } from './writers.js';

export type Inner =
  /** Words of another command; `appends` when further operands come at run time. */
  | {
      readonly kind: 'words';
      readonly words: readonly Operand[];
      readonly appends: boolean;
      readonly folder: Operand | null;
    }
  /** Text that a shell runs. */
  | { readonly kind: 'script'; readonly text: Operand }
  /** A shell that reads its script from standard input. */
  | { readonly kind: 'stdin' };

const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'mksh', 'rbash'];

/** Wrappers whose command follows their options: which options take a value, and how many operands come first. */
const PREFIXES: Readonly<Record<string, { readonly takes: readonly string[]; readonly skip: number }>> = {
  sudo: { takes: ['-u', '-g', '-h', '-p', '-C', '-r', '-t', '-U', '-D', '-R', '-T'], skip: 0 },
  doas: { takes: ['-u', '-C'], skip: 0 },
  command: { takes: [], skip: 0 },
  builtin: { takes: [], skip: 0 },
  exec: { takes: ['-a'], skip: 0 },
  nohup: { takes: [], skip: 0 },
  nice: { takes: ['-n', '--adjustment'], skip: 0 },
  ionice: { takes: ['-c', '-n', '-p'], skip: 0 },
  chrt: { takes: [], skip: 1 },
  taskset: { takes: [], skip: 1 },
  time: { takes: ['-o', '-f', '--output', '--format'], skip: 0 },
  timeout: { takes: ['-s', '-k', '--signal', '--kill-after'], skip: 1 },
  stdbuf: { takes: ['-i', '-o', '-e', '--input', '--output', '--error'], skip: 0 },
  setsid: { takes: [], skip: 0 },
  setarch: { takes: [], skip: 1 },
  unshare: { takes: ['-S', '-G', '--setuid', '--setgid', '--map-user', '--map-group'], skip: 0 },
  strace: { takes: ['-o', '-e', '-p', '-s', '-u', '-E'], skip: 0 },
  busybox: { takes: [], skip: 0 },
  toybox: { takes: [], skip: 0 },
  watch: { takes: ['-n', '--interval'], skip: 0 },
};

const XARGS_VALUES = [
  '-I',
  '-n',
  '-P',
  '-d',
  '-L',
  '-s',
  '-E',
  '-a',
  '--max-args',
  '--max-procs',
  '--delimiter',
  '--arg-file',
];

function text(word: Operand | undefined): string {
  return word?.texts[0] ?? '';
}

/** The words from the first operand on: options end there, since what follows belongs to the inner command. */
function fromFirstOperand(words: readonly Operand[], takes: readonly string[], skip: number): readonly Operand[] {
  let left = skip;
  for (let i = 0; i < words.length; i += 1) {
    const word = text(words[i]);
    if (word === '--') return words.slice(i + 1 + left);
    if (word.startsWith('-') && word !== '-') {
      if (takes.includes(word)) i += 1;
    } else if (left > 0) left -= 1;
    else return words.slice(i);
  }
  return [];
}

function plain(words: readonly Operand[], appends = false, folder: Operand | null = null): readonly Inner[] {
  return words.length === 0 ? [] : [{ kind: 'words', words, appends, folder }];
}

function shell(words: readonly Operand[]): readonly Inner[] {
  const at = words.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(text(word)));
  if (at >= 0) {
    const script = words.slice(at + 1).find((word) => !/^[-+][a-zA-Z]/.test(text(word)));
    return script === undefined ? [] : [{ kind: 'script', text: script }];
  }
  const operands = splitOptions(words, ['-o', '+o', '-O', '+O', '--rcfile', '--init-file']);
  // `-s` reads standard input even with operands; a script file is a program and is not seen through.
  return operands.operands.length === 0 || operands.flags.has('-s') ? [{ kind: 'stdin' }] : [];
}

function env(words: readonly Operand[]): readonly Inner[] {
  let folder: Operand | null = null;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as Operand;
    const own = text(word);
    if (own === '-S' || own === '--split-string') {
      const script = words[i + 1];
      return script === undefined ? [] : [{ kind: 'script', text: script }];
    }
    if (own.startsWith('-S') || own.startsWith('--split-string=')) {
      const cut = own.startsWith('-S') ? 2 : own.indexOf('=') + 1;
      return [{ kind: 'script', text: { texts: word.texts.map((value) => value.slice(cut)), exact: word.exact } }];
    }
    if (own === '-C' || own === '--chdir') folder = words[(i += 1)] ?? null;
    else if (own.startsWith('--chdir='))
      folder = { texts: word.texts.map((value) => value.slice(8)), exact: word.exact };
    else if (own === '-u' || own === '--unset') i += 1;
    else if (!own.startsWith('-') && !/^[A-Za-z_][A-Za-z0-9_]*=/.test(own)) return plain(words.slice(i), false, folder);
  }
  return [];
}

function find(words: readonly Operand[]): readonly Inner[] {
  const found: Inner[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const own = text(words[i]);
    if (['-exec', '-execdir', '-ok', '-okdir'].includes(own)) {
      const rest = words.slice(i + 1);
      const end = rest.findIndex((word) => text(word) === ';' || text(word) === '+');
      found.push(...plain(end < 0 ? rest : rest.slice(0, end), true));
    }
  }
  return found;
}

/** The commands inside a command, or null when it is none that runs others. */
export function innerCommands(name: string, words: readonly Operand[]): readonly Inner[] | null {
  if (SHELLS.includes(name)) return shell(words);
  if (name === 'env') return env(words);
  if (name === 'find') return find(words);
  if (name === 'xargs') return plain(fromFirstOperand(words, XARGS_VALUES, 0), true);
  if (name === 'parallel') return plain(fromFirstOperand(words, ['-j', '-a', '--jobs'], 0), true);
  if (name === 'eval') return [{ kind: 'script', text: joined(words) }];
  if (name === 'trap') return words[0] === undefined ? [] : [{ kind: 'script', text: words[0] }];
  if (name === 'flock' || name === 'script' || name === 'su') return commandOption(name, words);
  const prefix = Object.hasOwn(PREFIXES, name) ? PREFIXES[name] : undefined;
  if (prefix === undefined) return null;
  if (name === 'command' && words.some((word) => /^-[vV]/.test(text(word)))) return [];
  const inner = fromFirstOperand(words, prefix.takes, prefix.skip);
  if (name === 'watch') return inner.length === 0 ? [] : [{ kind: 'script', text: joined(inner) }];
  // `sudo X=1 command`, as with env.
  return name === 'sudo' ? env(inner) : plain(inner);
}

function commandOption(name: string, words: readonly Operand[]): readonly Inner[] | null {
  const parsed = splitOptions(words, ['-c', '--command', '-w', '-E', '--timeout', '-s', '--shell']);
  const script = (parsed.values.get('-c') ?? parsed.values.get('--command'))?.[0];
  if (script !== undefined) return [{ kind: 'script', text: script }];
  return name === 'flock' ? plain(parsed.operands.slice(1)) : null;
}

function joined(words: readonly Operand[]): Operand {
  return { texts: [words.map(text).join(' ')], exact: words.every((word) => word.exact && word.texts.length === 1) };
}

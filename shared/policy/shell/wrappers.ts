/**
 * Commands that run another command: what of their words is that command. Seen through, so that
 * `env X=1 sh -c '…'`, `xargs tee` or `find -exec rm` meet the same look as what they start.
 */
import { afterPrefix, splitOptions, type Operand } from './options.js';

export type Inner =
  /** Words of another command; `appends` when further operands come at run time. */
  | {
      readonly kind: 'words';
      readonly words: readonly Operand[];
      readonly appends: boolean;
      readonly folder: Operand | null;
      /** True when the further operands are read from standard input (`xargs`). */
      readonly fromInput: boolean;
    }
  /** Text that a shell runs; `args` are its `$0`, `$1`, …, when it has its own. */
  | { readonly kind: 'script'; readonly text: Operand; readonly args?: readonly Operand[] }
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
  setpriv: { takes: ['--reuid', '--regid', '--groups', '--inh-caps', '--bounding-set', '--pdeathsig'], skip: 0 },
  prlimit: { takes: ['-p', '--pid', '-o', '--output'], skip: 0 },
  choom: { takes: ['-n', '--adjust', '-p', '--pid'], skip: 0 },
  nsenter: { takes: ['-t', '--target', '-S', '-G', '--setuid', '--setgid'], skip: 0 },
  runuser: { takes: ['-u', '-g', '-G'], skip: 0 },
  chroot: { takes: [], skip: 1 },
  pkexec: { takes: ['--user'], skip: 0 },
  'systemd-run': { takes: ['-p', '-E', '-u', '--unit', '--property'], skip: 0 },
  fakeroot: { takes: ['-l', '-s', '-i'], skip: 0 },
  unbuffer: { takes: [], skip: 0 },
  ltrace: { takes: ['-o', '-e', '-p', '-s', '-u'], skip: 0 },
  numactl: { takes: ['-m', '-N', '-C'], skip: 0 },
  'dbus-run-session': { takes: [], skip: 0 },
  'ssh-agent': { takes: ['-a', '-t'], skip: 0 },
  'xvfb-run': { takes: ['-n', '-s', '-e', '-f', '-p'], skip: 0 },
  linux32: { takes: [], skip: 0 },
  linux64: { takes: [], skip: 0 },
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
  return words.length === 0 ? [] : [{ kind: 'words', words, appends, folder, fromInput: false }];
}

const STDIN = ['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/** A script file: standard input and `<(…)` can be read, a file on disk is a program and is not seen through. */
function scriptFile(word: Operand): readonly Inner[] {
  if (word.output !== undefined) return [{ kind: 'script', text: word.output }];
  return STDIN.includes(text(word)) ? [{ kind: 'stdin' }] : [];
}

/**
 * Options as bash reads them: letters may be bundled, each `o` and `O` takes a following word, and the
 * script of `-c` is the first operand after all options.
 */
function shell(name: string, words: readonly Operand[]): readonly Inner[] {
  let [command, standardInput] = [false, false];
  let at = 0;
  for (; at < words.length; at += 1) {
    const own = text(words[at]);
    if (own === '--' || own === '-') {
      at += 1;
      break;
    }
    if (['--rcfile', '--init-file', '--emulate'].includes(own)) at += 1;
    if (own.startsWith('--')) continue;
    if (!/^[-+]./.test(own)) break;
    for (let i = 1; i < own.length; i += 1) {
      const letter = own.charAt(i);
      if (letter === 'c' && own.startsWith('-')) command = true;
      if (letter === 's') standardInput = true;
      if (letter !== 'o' && letter !== 'O') continue;
      // zsh takes the rest of the word as the option's name; the others the next word.
      if (name === 'zsh' && i + 1 < own.length) break;
      at += 1;
    }
  }
  const [script, ...args] = words.slice(at);
  if (command) return script === undefined ? [] : [{ kind: 'script', text: script, args }];
  if (script === undefined || standardInput) return [{ kind: 'stdin' }];
  return scriptFile(script);
}

function quoted(words: readonly Operand[]): string {
  return words.map((word) => ` '${text(word).replaceAll("'", "'\\''")}'`).join('');
}

/** env: assignments and options, then the command; `-S` (also in a cluster) splits a string into more of both. */
function env(words: readonly Operand[]): readonly Inner[] {
  let folder: Operand | null = null;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as Operand;
    const own = text(word);
    const split = /^-[v0i]*S/.exec(own)?.[0] ?? /^--s[a-z-]*(=|$)/.exec(own)?.[0];
    if (split !== undefined) {
      const attached = own.length > split.length;
      const string = attached ? afterPrefix(word, split.length) : words[i + 1];
      if (string === undefined) return [];
      const rest = words.slice(i + (attached ? 1 : 2));
      const exact = string.exact && rest.every((other) => other.exact);
      return [{ kind: 'script', text: { texts: string.texts.map((value) => `env ${value}${quoted(rest)}`), exact } }];
    }
    if (/^-[v0i]*C$/.test(own) || own === '--chdir') folder = words[(i += 1)] ?? null;
    else if (own.startsWith('--chdir=') || /^-C./.test(own)) folder = afterPrefix(word, own.startsWith('--') ? 8 : 2);
    else if (/^-[v0i]*u$/.test(own) || own === '--unset') i += 1;
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
  if (SHELLS.includes(name)) return shell(name, words);
  if (name === 'env') return env(words);
  if (name === 'find') return find(words);
  if (name === 'xargs') return fromInput(fromFirstOperand(words, XARGS_VALUES, 0));
  if (name === 'parallel') return fromInput(fromFirstOperand(words, ['-j', '-a', '--jobs'], 0));
  if (name === 'eval') return [{ kind: 'script', text: joined(text(words[0]) === '--' ? words.slice(1) : words) }];
  if (name === 'trap') return splitOptions(words).operands.slice(0, 1).map(asScript);
  if (name === 'source' || name === '.') return splitOptions(words).operands.slice(0, 1).flatMap(scriptFile);
  if (name === 'mapfile' || name === 'readarray') {
    return (splitOptions(words, ['-C', '-c', '-d', '-n', '-O', '-s', '-u']).values.get('-C') ?? []).map(asScript);
  }
  if (name === 'flock') return flock(words);
  if (name === 'script' || name === 'su' || name === 'runuser') {
    const script = commandOption(words);
    if (script !== null || name !== 'runuser') return script;
  }
  const prefix = Object.hasOwn(PREFIXES, name) ? PREFIXES[name] : undefined;
  if (prefix === undefined) return null;
  if (name === 'command' && words.some((word) => /^-[vV]/.test(text(word)))) return [];
  const inner = fromFirstOperand(words, prefix.takes, prefix.skip);
  if (name === 'watch') return inner.length === 0 ? [] : [{ kind: 'script', text: joined(inner) }];
  // `sudo X=1 command`, as with env.
  if (name === 'sudo' || name === 'doas' || name === 'runuser') return env(inner);
  return [...plain(inner), ...otherReading(words, inner)];
}

/** An option that is not in the table may have taken the next word: then the command begins one word later. */
function otherReading(words: readonly Operand[], inner: readonly Operand[]): readonly Inner[] {
  const before = text(words[words.length - inner.length - 1]);
  return /^-[^=]*$/.test(before) && before !== '--' ? plain(inner.slice(1)) : [];
}

function asScript(word: Operand): Inner {
  return { kind: 'script', text: word };
}

function fromInput(words: readonly Operand[]): readonly Inner[] {
  return words.length === 0 ? [] : [{ kind: 'words', words, appends: true, folder: null, fromInput: true }];
}

function flock(words: readonly Operand[]): readonly Inner[] {
  const [, ...rest] = fromFirstOperand(words, ['-w', '-E', '--timeout', '--wait', '--conflict-exit-code'], 0);
  return /^(-c|--command)$/.test(text(rest[0])) ? rest.slice(1, 2).map(asScript) : plain(rest);
}

function commandOption(words: readonly Operand[]): readonly Inner[] | null {
  const { values } = splitOptions(words, [
    '-c',
    '--command',
    '-E',
    '-s',
    '--shell',
    '-I',
    '-O',
    '-T',
    '-B',
    '-m',
    '-o',
  ]);
  const script = (values.get('-c') ?? values.get('--command'))?.[0];
  return script === undefined ? null : [asScript(script)];
}

function joined(words: readonly Operand[]): Operand {
  return { texts: [words.map(text).join(' ')], exact: words.every((word) => word.exact && word.texts.length === 1) };
}

/**
 * Which operands of a command are files that it writes, creates, changes or removes. A table of the
 * commands that people and agents use for it; a program that is not in it is not seen through.
 */

import { archiver, curl, tar } from './archives.js';
import { git } from './git.js';
import {
  first,
  flagged,
  NOTHING,
  splitOptions,
  valuesOf,
  afterPrefix,
  within,
  intoFolder,
  urlName,
} from './options.js';
import type { Operand, Rule, Surroundings, Written } from './options.js';
import { awk, editor, sed } from './scripts.js';

const all =
  (...takesValue: readonly string[]): Rule =>
  (words) => ({ paths: splitOptions(words, takesValue).operands, computed: false });

const allButFirst =
  (...takesValue: readonly string[]): Rule =>
  (words) => ({ paths: splitOptions(words, takesValue).operands.slice(1), computed: false });

const optionFiles =
  (...names: readonly string[]): Rule =>
  (words) => ({ paths: valuesOf(splitOptions(words, names), ...names), computed: false });

const outputOf =
  (...takesValue: readonly string[]): Rule =>
  (words) => ({
    paths: valuesOf(splitOptions(words, ['-o', '--output', ...takesValue]), '-o', '--output'),
    computed: false,
  });

/** The first of several files that a command numbers by itself. */
function suffixed(prefix: Operand, suffix: string): Operand {
  return { texts: prefix.texts.map((text) => text + suffix), exact: prefix.exact };
}

const unnamed: Rule = () => ({ paths: [], computed: true });

/** cp, mv, ln, install: the last operand or `-t`. With `touchesSources` the sources count as written too. */
const copyLike =
  (touchesSources: boolean | readonly string[], ...takesValue: readonly string[]): Rule =>
  (words) => {
    const parsed = splitOptions(words, ['-t', '--target-directory', '-S', '--suffix', ...takesValue]);
    const folder = valuesOf(parsed, '-t', '--target-directory')[0];
    if (parsed.flags.has('-d') && takesValue.includes('-m')) return { paths: parsed.operands, computed: false };
    const sources = folder === undefined ? parsed.operands.slice(0, -1) : parsed.operands;
    const destination = folder ?? parsed.operands.at(-1);
    if (destination === undefined) return NOTHING;
    const here: Operand = { texts: ['.'], exact: true };
    const paths = sources.length === 0 ? intoFolder(here, [destination]).slice(1) : intoFolder(destination, sources);
    // A link makes later writes through the new name reach what it points to.
    const touches = typeof touchesSources === 'boolean' ? touchesSources : flagged(parsed, ...touchesSources);
    return { paths: touches ? [...paths, ...sources, destination] : paths, computed: false };
  };

const dd: Rule = (words) => ({
  paths: words.filter((word) => first(word).startsWith('of=')).map((word) => afterPrefix(word, 3)),
  computed: words.some((word) => !word.exact && word.texts.some((text) => !text.includes('='))),
});

/** perl and ruby with -i edit their operands; their programs are not seen through. */
const inPlaceInterpreter: Rule = (words) => {
  const parsed = splitOptions(words, ['-e', '-E', '-I', '-M', '-m']);
  const edits = words.some((word) => /^-[a-zA-Z0-9]*i/.test(first(word)) && !/^-[IMmeE]/.test(first(word)));
  return { paths: edits ? parsed.operands : [], computed: false };
};

const wget: Rule = (words) => {
  const files = ['-O', '--output-document', '-o', '--output-file', '-a', '--append-output', '--save-cookies'];
  const parsed = splitOptions(words, [...files, '-P', '--directory-prefix', '-i', '-U', '--header']);
  const document = valuesOf(parsed, '-O', '--output-document');
  const named = document.length > 0 ? [] : parsed.operands.map(urlName);
  const folder = valuesOf(parsed, '-P', '--directory-prefix')[0];
  const placed = folder === undefined ? named : intoFolder(folder, named);
  return {
    paths: [...valuesOf(parsed, ...files), ...placed],
    computed: parsed.flags.has('-i') || parsed.flags.has('-r'),
  };
};

const outputO = optionFiles('-o', '--output');

const RULES: Readonly<Record<string, Rule>> = {
  tee: all(),
  sponge: all(),
  touch: all('-r', '-d', '-t', '--reference', '--date'),
  truncate: all('-s', '-r', '--size', '--reference'),
  rm: all(),
  rmdir: all(),
  unlink: all(),
  shred: all('-n', '-s'),
  mkdir: all('-m', '--mode'),
  mkfifo: all('-m', '--mode'),
  mknod: (words) => ({ paths: splitOptions(words, ['-m', '--mode']).operands.slice(0, 1), computed: false }),
  chmod: allButFirst('--reference'),
  chown: allButFirst('--reference', '--from'),
  chgrp: allButFirst('--reference'),
  chattr: allButFirst(),
  setfacl: allButFirst(),
  cp: copyLike(['-l', '-s', '--link', '--symbolic-link']),
  rsync: copyLike(false, '-e', '--exclude', '--include', '--rsh'),
  scp: copyLike(false, '-P', '-i', '-o', '-F'),
  mv: copyLike(true),
  // Later words may write through the new name, so what a link points to counts as well.
  ln: copyLike(true),
  link: copyLike(true),
  install: copyLike(false, '-m', '-o', '-g', '--mode', '--owner', '--group'),
  dd,
  sed,
  gsed: sed,
  perl: inPlaceInterpreter,
  ruby: inPlaceInterpreter,
  awk,
  gawk: awk,
  mawk: awk,
  curl,
  wget,
  tar,
  bsdtar: tar,
  unzip: unnamed,
  cpio: unnamed,
  patch: (words) => {
    const parsed = splitOptions(words, [
      '-p',
      '-i',
      '-d',
      '-o',
      '-r',
      '-B',
      '-D',
      '--output',
      '--reject-file',
      '--directory',
    ]);
    const files = [...parsed.operands, ...valuesOf(parsed, '-o', '--output', '-r', '--reject-file')];
    const folder = valuesOf(parsed, '-d', '--directory')[0];
    return { paths: files.map((file) => within(folder, file)), computed: true };
  },
  split: (words) => {
    const parsed = splitOptions(words, [
      '-a',
      '-b',
      '-C',
      '-l',
      '-n',
      '-t',
      '--additional-suffix',
      '--bytes',
      '--lines',
    ]);
    return { paths: parsed.operands.slice(1, 2).map((prefix) => suffixed(prefix, 'aa')), computed: true };
  },
  csplit: (words) => {
    const parsed = splitOptions(words, ['-f', '--prefix', '-b', '--suffix-format', '-n', '--digits']);
    return { paths: valuesOf(parsed, '-f', '--prefix').map((prefix) => suffixed(prefix, '00')), computed: true };
  },
  mktemp: (words) => {
    const parsed = splitOptions(words, ['-p', '--suffix']);
    return { paths: parsed.operands.map((name) => within(valuesOf(parsed, '-p')[0], name)), computed: true };
  },
  flock: (words) => {
    const file = splitOptions(words, ['-w', '--timeout', '-E', '--conflict-exit-code']).operands[0];
    return { paths: file === undefined || /^\d+$/.test(first(file)) ? [] : [file], computed: false };
  },
  shuf: outputOf('-n', '-i'),
  fallocate: all('-l', '-o', '--length', '--offset'),
  xxd: (words) => ({
    paths: splitOptions(words, ['-c', '-g', '-l', '-s', '-o', '-n', '-R', '-cols', '-len', '-seek']).operands.slice(1),
    computed: false,
  }),
  ar: archiver,
  strip: (words) => {
    const parsed = splitOptions(words, ['-o', '-F', '-K', '-N', '-R']);
    const output = valuesOf(parsed, '-o');
    return { paths: output.length > 0 ? output : parsed.operands, computed: false };
  },
  objcopy: (words) => ({
    paths: splitOptions(words, [
      '-I',
      '-O',
      '-F',
      '-B',
      '-j',
      '-R',
      '-N',
      '-K',
      '-L',
      '-G',
      '-W',
      '-b',
      '-i',
    ]).operands.slice(-1),
    computed: words.some((word) => /^--(dump|extract|split)-/.test(first(word))),
  }),
  zip: (words) => ({ paths: splitOptions(words).operands.slice(0, 1), computed: false }),
  gzip: all('-S'),
  gunzip: all('-S'),
  bzip2: all(),
  bunzip2: all(),
  xz: all(),
  unxz: all(),
  zstd: all('-o'),
  ed: editor,
  ex: editor,
  vi: editor,
  vim: editor,
  nvim: editor,
  nano: all(),
  uniq: allButFirst('-f', '-s', '-w'),
  sort: outputOf('-k', '-t', '-S', '-T'),
  openssl: optionFiles('-out'),
  'ssh-keygen': optionFiles('-f'),
  cc: outputO,
  gcc: outputO,
  'g++': outputO,
  clang: outputO,
  rustc: outputO,
  go: outputO,
  iconv: outputO,
  pandoc: outputO,
  jq: () => NOTHING,
  script: (words) => ({ paths: splitOptions(words, ['-c', '--command']).operands, computed: false }),
  git,
};

/** What a command writes, by its name (without folder) and its words. */
export function writtenBy(name: string, words: readonly Operand[], around: Surroundings): Written {
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  return rule === undefined ? NOTHING : rule(words, around);
}

/** What archivers and downloaders write. */
import { first, flagged, intoFolder, literal, splitOptions, urlName, valuesOf, within } from './options.js';
import type { Operand, Rule } from './options.js';

const TAR_VALUES = ['-f', '--file', '-C', '--directory', '-T', '-X', '-b', '-I', '-g', '-H', '-V', '-K', '-N'];
const TAR_LONG = ['--exclude', '--checkpoint-action', '--to-command', '--use-compress-program', '--index-file'];
const TAR_COMMANDS = ['--checkpoint-action', '--to-command', '--use-compress-program', '-I'];

/** The old style (`tar cfC a.tar dir`) in the new one: the values follow the cluster in its order. */
function dashed(words: readonly Operand[]): readonly Operand[] {
  const [cluster, ...rest] = words;
  if (cluster === undefined || !/^[A-Za-z]+$/.test(first(cluster))) return words;
  let taken = 0;
  const options = first(cluster)
    .split(/(?=.)/)
    .flatMap((letter) => {
      const value = TAR_VALUES.includes(`-${letter}`) ? rest[taken] : undefined;
      if (value !== undefined) taken += 1;
      return value === undefined ? [literal(`-${letter}`)] : [literal(`-${letter}`), value];
    });
  return [...options, ...rest.slice(taken)];
}

export const tar: Rule = (words) => {
  const parsed = splitOptions(dashed(words), [...TAR_VALUES, ...TAR_LONG, '--listed-incremental']);
  const archives = valuesOf(parsed, '-f', '--file');
  const folder = valuesOf(parsed, '-C', '--directory');
  const others = valuesOf(parsed, '-g', '--listed-incremental', '--index-file');
  const scripts = valuesOf(parsed, ...TAR_COMMANDS).map((word) => ({
    texts: word.texts.map((text) => text.replace(/^exec=/, '')),
    exact: word.exact,
  }));
  if (flagged(parsed, '-x', '--extract', '--get')) {
    const members = parsed.operands.map((member) => within(folder.at(-1), member));
    return { paths: [...folder, ...members, ...others], computed: true, scripts };
  }
  const changes = flagged(
    parsed,
    '-c',
    '-r',
    '-u',
    '-A',
    '--create',
    '--append',
    '--update',
    '--delete',
    '--concatenate',
  );
  const removed = parsed.flags.has('--remove-files') ? parsed.operands : [];
  return { paths: [...(changes ? archives : []), ...removed, ...others], computed: false, scripts };
};

/** ar: `r`, `q`, `d`, `m` and `s` change the archive, `x` writes its members. */
export const archiver: Rule = (words) => {
  const [mode, ...operands] = words;
  const letters = mode === undefined ? '' : first(mode);
  if (/x/.test(letters)) return { paths: operands.slice(1), computed: true };
  if (!/[rqdms]/.test(letters)) return { paths: [], computed: false };
  const archive = /[abi]/.test(letters) ? operands.slice(0, 2) : operands.slice(0, 1);
  return { paths: archive, computed: false };
};

const CURL_FILES = [
  '-D',
  '--dump-header',
  '-c',
  '--cookie-jar',
  '--trace',
  '--trace-ascii',
  '--stderr',
  '--libcurl',
].concat(['--etag-save', '--hsts', '--alt-svc']);
const CURL_VALUES = ['-H', '-d', '-X', '-u', '-A', '-b', '-e', '-F', '-T', '-m', '-w', '-x', '-K', '--config'];

export const curl: Rule = (words) => {
  const outputs = ['-o', '--output'];
  const parsed = splitOptions(words, [...outputs, ...CURL_FILES, ...CURL_VALUES, '--output-dir']);
  const folder = valuesOf(parsed, '--output-dir').at(-1);
  const remote = flagged(parsed, '-O', '--remote-name', '--remote-name-all');
  const named = [...valuesOf(parsed, ...outputs), ...(remote ? parsed.operands.map(urlName) : [])];
  return {
    paths: [
      ...(folder === undefined || named.length === 0
        ? named
        : intoFolder(folder, []).concat(named.map((file) => within(folder, file)))),
      ...valuesOf(parsed, ...CURL_FILES),
    ],
    computed: flagged(parsed, '-J', '--remote-header-name', '-K', '--config'),
  };
};

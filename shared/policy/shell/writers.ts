/**
 * Which operands of a command are files that it writes, creates, changes or removes. A table of the
 * commands that people and agents use for it; a program that is not in it is not seen through.
 */

/** One operand: its alternatives, and whether they are all there is. */
export interface Operand {
  readonly texts: readonly string[];
  readonly exact: boolean;
}

export interface Written {
  readonly paths: readonly Operand[];
  /** True when the command also writes files that its words do not name. */
  readonly computed: boolean;
}

type Rule = (words: readonly Operand[]) => Written;

/** Options split from operands. `values` holds the values of options that take one, by option name. */
interface Parsed {
  readonly operands: readonly Operand[];
  readonly values: ReadonlyMap<string, readonly Operand[]>;
  readonly flags: ReadonlySet<string>;
}

const NOTHING: Written = { paths: [], computed: false };

function first(word: Operand): string {
  return word.texts[0] ?? '';
}

function afterPrefix(word: Operand, length: number): Operand {
  return { texts: word.texts.map((text) => text.slice(length)), exact: word.exact };
}

/** Splits words as getopt does; `takesValue` names the options that take the next word (`-t`, `--target-directory`). */
export function splitOptions(words: readonly Operand[], takesValue: readonly string[] = []): Parsed {
  const operands: Operand[] = [];
  const values = new Map<string, Operand[]>();
  const flags = new Set<string>();
  const give = (name: string, value: Operand | undefined) => {
    if (value !== undefined) values.set(name, [...(values.get(name) ?? []), value]);
  };
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as Operand;
    const text = first(word);
    if (text === '--') return { operands: [...operands, ...words.slice(i + 1)], values, flags };
    if (!text.startsWith('-') || text === '-') operands.push(word);
    else if (text.startsWith('--')) {
      const equals = text.indexOf('=');
      const name = equals < 0 ? text : text.slice(0, equals);
      flags.add(name);
      if (equals >= 0) give(name, afterPrefix(word, equals + 1));
      else if (takesValue.includes(name)) give(name, words[(i += 1)]);
    } else if (takesValue.includes(text)) {
      flags.add(text);
      give(text, words[(i += 1)]);
    } else {
      i += readCluster(word, words[i + 1], takesValue, flags, give);
    }
  }
  return { operands, values, flags };
}

/** A cluster of short options (`-rf`, `-tDIR`); returns how many further words it took. */
function readCluster(
  word: Operand,
  next: Operand | undefined,
  takesValue: readonly string[],
  flags: Set<string>,
  give: (name: string, value: Operand | undefined) => void,
): number {
  const text = first(word);
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text.charAt(at)}`;
    flags.add(name);
    if (!takesValue.includes(name)) continue;
    if (at + 1 < text.length) give(name, afterPrefix(word, at + 1));
    else give(name, next);
    return at + 1 < text.length ? 0 : 1;
  }
  return 0;
}

function valuesOf(parsed: Parsed, ...names: readonly string[]): readonly Operand[] {
  return names.flatMap((name) => parsed.values.get(name) ?? []);
}

const all =
  (...takesValue: readonly string[]): Rule =>
  (words) => ({ paths: splitOptions(words, takesValue).operands, computed: false });

const allButFirst =
  (...takesValue: readonly string[]): Rule =>
  (words) => ({ paths: splitOptions(words, takesValue).operands.slice(1), computed: false });

const optionFiles =
  (...names: readonly string[]): Rule =>
  (words) => ({ paths: valuesOf(splitOptions(words, names), ...names), computed: false });

const unnamed: Rule = () => ({ paths: [], computed: true });

function baseName(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? '';
}

/** Each destination itself, and what the sources would be called inside it if it is a folder. */
function intoFolder(destination: Operand, sources: readonly Operand[]): readonly Operand[] {
  const inside = sources.flatMap((source) =>
    destination.texts.map((folder) => ({
      texts: source.texts.map((text) => `${folder.replace(/\/+$/, '')}/${baseName(text)}`),
      exact: source.exact && destination.exact,
    })),
  );
  return [destination, ...inside];
}

/** cp, mv, ln, install: the last operand or `-t`. With `touchesSources` the sources count as written too. */
const copyLike =
  (touchesSources: boolean, ...takesValue: readonly string[]): Rule =>
  (words) => {
    const parsed = splitOptions(words, ['-t', '--target-directory', '-S', '--suffix', ...takesValue]);
    const folder = valuesOf(parsed, '-t', '--target-directory')[0];
    if (parsed.flags.has('-d') && takesValue.includes('-m')) return { paths: parsed.operands, computed: false };
    const sources = folder === undefined ? parsed.operands.slice(0, -1) : parsed.operands;
    const destination = folder ?? parsed.operands.at(-1);
    if (destination === undefined) return NOTHING;
    const here: Operand = { texts: ['.'], exact: true };
    const paths = sources.length === 0 ? intoFolder(here, [destination]).slice(1) : intoFolder(destination, sources);
    return { paths: touchesSources ? [...paths, ...sources, destination] : paths, computed: false };
  };

const dd: Rule = (words) => ({
  paths: words.filter((word) => first(word).startsWith('of=')).map((word) => afterPrefix(word, 3)),
  computed: words.some((word) => !word.exact && word.texts.some((text) => !text.includes('='))),
});

/** sed and its like: files are written only in place, or by `w` commands in the script. */
const sed: Rule = (words) => {
  const parsed = splitOptions(words, ['-e', '-f', '-l', '--expression', '--file', '--line-length']);
  const scripts = valuesOf(parsed, '-e', '--expression');
  const inScript = scripts.length === 0 && valuesOf(parsed, '-f', '--file').length === 0;
  const files = inScript ? parsed.operands.slice(1) : parsed.operands;
  const text = [...scripts, ...(inScript ? parsed.operands.slice(0, 1) : [])].map(first).join('\n');
  const named = [...text.matchAll(/(?:^|[\s;{}/|#,0-9$gpIiMme])[wW]\s+([^\n;}]+)/gm)].map((match) => ({
    texts: [(match[1] ?? '').trim()],
    exact: true,
  }));
  const inPlace = [...parsed.flags].some((flag) => flag === '-i' || flag === '--in-place');
  return { paths: inPlace ? [...files, ...named] : named, computed: false };
};

/** perl and ruby with -i edit their operands; their programs are not seen through. */
const inPlaceInterpreter: Rule = (words) => {
  const parsed = splitOptions(words, ['-e', '-E', '-I', '-M', '-m']);
  const edits = words.some((word) => /^-[a-zA-Z0-9]*i/.test(first(word)) && !/^-[IMmeE]/.test(first(word)));
  return { paths: edits ? parsed.operands : [], computed: false };
};

const awk: Rule = (words) => {
  const program = words.map(first).join('\n');
  const named = [...program.matchAll(/>>?\s*"([^"]+)"/g)].map((match) => ({ texts: [match[1] ?? ''], exact: true }));
  const printsElsewhere = /print[^\n;}]*>>?\s*[^"\s0-9=]/.test(program);
  return { paths: named, computed: printsElsewhere || /inplace/.test(program) };
};

function urlName(word: Operand): Operand {
  return { texts: word.texts.map((text) => baseName(text.replace(/[?#].*$/, ''))), exact: word.exact };
}

const curl: Rule = (words) => {
  const files = ['-o', '--output', '-D', '--dump-header', '-c', '--cookie-jar', '--trace', '--trace-ascii', '--stderr'];
  const parsed = splitOptions(words, [...files, '-H', '-d', '-X', '-u', '-A', '-b', '-e', '-F', '-T', '--output-dir']);
  const remote = parsed.flags.has('-O') || parsed.flags.has('--remote-name') || parsed.flags.has('--remote-name-all');
  return {
    paths: [...valuesOf(parsed, ...files), ...(remote ? parsed.operands.map(urlName) : [])],
    computed: parsed.flags.has('-J') || valuesOf(parsed, '--output-dir').length > 0 || parsed.flags.has('-K'),
  };
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

const tar: Rule = (words) => {
  const bundled = first(words[0] ?? { texts: [''], exact: true });
  const mode = words.map(first).find((text) => /^-?[A-Za-z]+$/.test(text) && /[cxru]/.test(text)) ?? bundled;
  const creates = /[cru]/.test(mode) && !mode.includes('x');
  const at = words.findIndex((word) => /^-?[A-Za-z]*f$/.test(first(word)) || first(word) === '--file');
  const archive = at < 0 ? undefined : words[at + 1];
  if (/x/.test(mode) || words.some((word) => first(word) === '--extract')) return { paths: [], computed: true };
  return { paths: creates && archive !== undefined ? [archive] : [], computed: false };
};

/** git writes its own folder by design; only the commands that name work-tree files count. */
const git: Rule = (words) => {
  const parsed = splitOptions(words, ['-C', '-c', '--git-dir', '--work-tree']);
  const [verb, ...rest] = parsed.operands;
  const named = verb === undefined ? '' : first(verb);
  if (!['rm', 'mv', 'restore', 'checkout', 'apply', 'clean', 'am', 'stash'].includes(named)) return NOTHING;
  if (named === 'rm' || named === 'mv' || named === 'restore') {
    return { paths: rest, computed: valuesOf(parsed, '-C').length > 0 };
  }
  const separator = words.findIndex((word) => first(word) === '--');
  return { paths: named === 'checkout' && separator >= 0 ? words.slice(separator + 1) : [], computed: true };
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
  cp: copyLike(false),
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
  patch: (words) => ({ paths: splitOptions(words, ['-p', '-i', '-d', '-o']).operands, computed: true }),
  split: unnamed,
  csplit: unnamed,
  mktemp: unnamed,
  zip: (words) => ({ paths: splitOptions(words).operands.slice(0, 1), computed: false }),
  gzip: all('-S'),
  gunzip: all('-S'),
  bzip2: all(),
  bunzip2: all(),
  xz: all(),
  unxz: all(),
  zstd: all('-o'),
  ed: all(),
  ex: all('-c', '-s'),
  vi: all('-c'),
  vim: all('-c'),
  nano: all(),
  uniq: allButFirst('-f', '-s', '-w'),
  sort: optionFiles('-o', '--output'),
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
export function writtenBy(name: string, words: readonly Operand[]): Written {
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  if (rule === undefined) return NOTHING;
  return rule(words);
}

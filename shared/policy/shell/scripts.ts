/** Commands whose words carry a program of their own that writes files or runs commands: sed, awk and the editors. */
import { first, flagged, literal, splitOptions, valuesOf } from './options.js';
import type { Operand, Rule } from './options.js';
import { sedScript } from './sed-script.js';

const STDIN = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];
const UNKNOWN: Operand = { texts: [], exact: false };

/** The text of a script file: known when it comes from standard input or from `<(…)`. */
function scriptFile(word: Operand, input: Operand | null): Operand {
  if (word.output !== undefined) return word.output;
  return STDIN.includes(first(word)) ? (input ?? UNKNOWN) : UNKNOWN;
}

/** sed and its like: files are written in place, by `w`, or by what `e` runs. */
export const sed: Rule = (words, { input }) => {
  // What follows an `i` in a cluster is a suffix, not more options.
  const own = words.map((word) => {
    const cut = /^-[nErsuz]*i/.exec(first(word))?.[0];
    return cut === undefined ? word : { texts: [cut], exact: word.exact };
  });
  const names = ['-e', '-f', '-l', '--expression', '--file', '--line-length'];
  const parsed = splitOptions(own, names);
  const given = [
    ...valuesOf(parsed, '-e', '--expression'),
    ...valuesOf(parsed, '-f', '--file').map((file) => scriptFile(file, input)),
  ];
  const files = given.length > 0 ? parsed.operands : parsed.operands.slice(1);
  const scripts = given.length > 0 ? given : parsed.operands.slice(0, 1);
  const whole = scripts.map(first).join('\n');
  const read = scripts.flatMap((script) => script.texts.map(sedScript));
  if (scripts.length > 1) read.splice(0, read.length, sedScript(whole));
  const inPlace = flagged(parsed, '-i', '--in-place');
  const movesCopies = words.some((word) => /^(-[nErsuz]*i|--in-?p?l?a?c?e?=).*[*/]/.test(first(word)));
  return {
    paths: [...(inPlace ? files : []), ...read.flatMap((script) => script.files.map(literal))],
    computed: movesCopies || scripts.some((script) => !script.exact) || read.some((script) => script.computed),
    scripts: read.flatMap((script) => script.commands.map(literal)),
  };
};

const STRING = '"((?:[^"\\\\]|\\\\.)*)"';

function strings(program: string, pattern: string): readonly Operand[] {
  return [...program.matchAll(new RegExp(pattern, 'g'))].map((match) =>
    literal((match[1] ?? '').replace(/\\(.)/g, '$1')),
  );
}

/** awk: literal names after `>`, literal commands of `|`, `getline` and `system`; any other is computed. */
export const awk: Rule = (words, { input }) => {
  const parsed = splitOptions(words, ['-f', '--file', '-F', '-v', '-i', '--include', '--field-separator', '--assign']);
  const read = valuesOf(parsed, '-f', '--file').map((file) => scriptFile(file, input));
  const program = [...words, ...read].flatMap((word) => word.texts).join('\n');
  const printsElsewhere = /print[^\n;}]*(>>?|\|&?)\s*[^"\s0-9=|>&]/.test(program);
  const runsElsewhere = /system\s*\(\s*[^"\s]|system\s*\(\s*"[^"]*"\s*[^)\s]/.test(program);
  return {
    paths: strings(program, `>>?\\s*${STRING}`),
    computed: printsElsewhere || runsElsewhere || /inplace/.test(program) || read.some((script) => !script.exact),
    scripts: [
      ...strings(program, `(?<!\\|)\\|&?\\s*${STRING}`),
      ...strings(program, `${STRING}\\s*\\|&?\\s*getline`),
      ...strings(program, `system\\s*\\(\\s*${STRING}`),
    ],
  };
};

const EX_WRITE =
  /^[:\s]*(?:[%.$,\d;]|'\w)*\s*(?:w|wr|wri|writ|write|wq|x|xit|sav|saveas|up|update|f|file)!?(?:\s+(?:>>\s*)?(.*)|$)/;

/** ed, ex and vi: their operands, what `w` and `saveas` name, and what `!` runs; any other ex command is computed. */
export const editor: Rule = (words, { input }) => {
  const plus = words.filter((word) => /^\+./.test(first(word)));
  const parsed = splitOptions(
    words.filter((word) => !plus.includes(word)),
    ['-c', '--cmd', '-S', '-u', '-i', '-w', '-W', '-s'].filter((name) => name !== '-s'),
  );
  const given = [
    ...valuesOf(parsed, '-c', '--cmd'),
    ...plus.map((word) => ({ ...word, texts: [first(word).slice(1)] })),
  ];
  const lines = [...given, ...(input === null ? [] : [input])].flatMap((word) =>
    word.texts.flatMap((text) => text.split(/[\n|]/)),
  );
  const paths: Operand[] = [...parsed.operands, ...valuesOf(parsed, '-w', '-W')];
  const scripts: Operand[] = [];
  let computed = [...given, ...(input === null ? [] : [input])].some((word) => !word.exact) || parsed.flags.has('-S');
  for (const line of lines) {
    const write = EX_WRITE.exec(line);
    const run = /^[:\s]*(?:[%.$,\d]*)(?:w(?:rite)?\s+|r(?:ead)?\s*)?!(.*)$/.exec(line);
    if (run !== null) scripts.push(literal(run[1] ?? ''));
    else if (write !== null) paths.push(...(write[1] ? [literal(write[1].trim())] : []));
    else if (!/^[:\s]*(q|quit|qa|wqa?)?!?\s*$/.test(line)) computed = true;
  }
  return { paths, computed, scripts };
};

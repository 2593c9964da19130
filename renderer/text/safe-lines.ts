import { visibleText, type TextFlag } from '../../shared/visible-text.js';

export interface SafeLines {
  readonly text: string;
  readonly flags: readonly TextFlag[];
}

/** Text from outside, made safe to read line by line; real line ends and tabs for indentation stay. */
export function safeLines(text: string): SafeLines {
  const flags = new Set<TextFlag>();
  const lines = text.split('\n').map((line) => {
    const indent = /^\t*/.exec(line)?.[0] ?? '';
    const shown = visibleText(line.slice(indent.length));
    for (const flag of shown.flags) flags.add(flag);
    return indent + shown.text;
  });
  return { text: lines.join('\n'), flags: [...flags] };
}

/** What a flag of visible text means, for a person. */
export const FLAG_WORDS: Readonly<Record<TextFlag, string>> = {
  control: 'control characters',
  bidirectional: 'changes the reading direction',
  invisible: 'invisible characters',
  'look-alike': 'look-alike letters',
  'not-text': 'not text',
};

/** The words of a flag that came as plain data. */
export function flagWords(flag: string): string {
  return flag in FLAG_WORDS ? FLAG_WORDS[flag as TextFlag] : flag;
}

/** Texts from outside as a window may show them: bounded, and with nothing in them that the eye cannot see. */
import { visibleText, type TextFlag } from '../../../shared/visible-text.js';

export interface ShownText {
  readonly text: string;
  readonly flags: string[];
}

/** A text that does not fit is shown by both its ends, and what is missing is said, so that nothing hides in it. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const [head, tail] = [wholeCharacters(text.slice(0, half)), wholeCharacters(text.slice(-half))];
  return `${head}\n[… ${text.length - head.length - tail.length} characters are NOT SHOWN here …]\n${tail}`;
}

/** Without the half of a character that a cut left at either end. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}

/** Makes each line safe to read; real line ends stay line ends. */
export function showLines(text: string): ShownText {
  const flags = new Set<TextFlag>();
  const lines = text.split('\n').map((line) => {
    const shown = visibleText(line);
    for (const flag of shown.flags) flags.add(flag);
    return shown.text;
  });
  return { text: lines.join('\n'), flags: [...flags] };
}

/**
 * Text from outside, made safe to read before a person decides on it: what cannot be seen, what
 * turns the reading direction round and what looks like another letter is shown as an escape.
 * The result is for eyes only; it is never parsed back and never what is hashed.
 */

/** Why a text deserves a second look. */
export type TextFlag =
  /** Control characters, line and paragraph separators. */
  | 'control'
  /** Characters that change the reading direction. */
  | 'bidirectional'
  /** Characters without a picture of their own, and spaces that are not the plain one. */
  | 'invisible'
  /** Letters of another script, or letter-like signs, that pass for Latin ones. */
  | 'look-alike'
  /** Lone surrogates, private use and unassigned characters. */
  | 'not-text';

export interface VisibleText {
  readonly text: string;
  /** In a fixed order, each once; empty for plain text. */
  readonly flags: readonly TextFlag[];
}

const FLAG_ORDER: readonly TextFlag[] = ['control', 'bidirectional', 'invisible', 'look-alike', 'not-text'];
const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;

/** Shows a text on one line with its suspicious characters as `\u{202e}`; a backslash that would read as such an escape is one too. */
export function visibleText(text: string): VisibleText {
  if (PLAIN.test(text)) return { text, flags: [] };
  const lookAlikes = findLookAlikes(text);
  const flags = new Set<TextFlag>();
  let shown = '';
  let at = 0;
  for (const character of text) {
    const flag = characterFlag(character) ?? (lookAlikes.has(at) ? 'look-alike' : null);
    if (flag !== null) flags.add(flag);
    shown += flag !== null || isFakeEscape(text, at) ? escapeCharacter(character) : character;
    at += character.length;
  }
  return { text: shown, flags: FLAG_ORDER.filter((flag) => flags.has(flag)) };
}

function isFakeEscape(text: string, at: number): boolean {
  return text.startsWith('\\u{', at);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

const BIDIRECTIONAL = /^\p{Bidi_Control}$/u;
const CONTROL = /^[\p{Cc}\p{Zl}\p{Zp}]$/u;
// U+2800 (empty braille pattern) is a picture of nothing that no property tells.
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zs}\u{2800}]$/u;
const NOT_TEXT = /^[\p{Cs}\p{Co}\p{Cn}]$/u;

function characterFlag(character: string): TextFlag | null {
  if (character >= ' ' && character <= '~') return null;
  if (BIDIRECTIONAL.test(character)) return 'bidirectional';
  if (CONTROL.test(character)) return 'control';
  if (INVISIBLE.test(character)) return 'invisible';
  if (NOT_TEXT.test(character)) return 'not-text';
  return isStyledAscii(character) ? 'look-alike' : null;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Scripts with letters that are drawn like Latin ones. */
const OTHER_LETTER =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Deseret}\p{Script=Osage}]/u;
/** Letters that are drawn like Latin ones; a word of nothing else passes for a Latin word. */
const TWINS = new Set(
  'АВЕЅІЈКМНОРСТУХԌԚԜаеѕіјорсухһԁԛԝѵӏгո' + 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧικνορυχαγ' + 'ՏՍՕոսօցզհ' + 'ᎪᏴᏟᎠᎬᏀᎻᏆᎫᏦᏞᎷΝᏢᏒᏚᎢᏙᎳᏃ',
);

/** Places (in UTF-16 units) of other scripts' letters that pass for Latin ones. */
function findLookAlikes(text: string): ReadonlySet<number> {
  const places = new Set<number>();
  for (const word of text.matchAll(WORD)) {
    const letters = Array.from(word[0]);
    const mixed = letters.some((c) => LATIN.test(c)) && letters.some((c) => OTHER_LETTER.test(c));
    const disguised = letters.every((c) => TWINS.has(c) || (c >= '0' && c <= '9')) && letters.some((c) => TWINS.has(c));
    let at = word.index;
    for (const letter of letters) {
      if ((mixed || disguised) && OTHER_LETTER.test(letter)) places.add(at);
      at += letter.length;
    }
  }
  return places;
}

/** Full-width, mathematical and other styled forms of ASCII characters, such as `ｃ` or `𝐜`. */
function isStyledAscii(character: string): boolean {
  return character > '\u{ff}' && /^[\x21-\x7e]$/.test(character.normalize('NFKC'));
}

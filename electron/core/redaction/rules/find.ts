/** Finds secrets by all rules in one text. */
import { LIBRARY_RULES, LIBRARY_VERSION } from './library-rules.js';
import { OWN_RULES } from './own-rules.js';
import { NO_PLACE, type Hit, type Rule, type TextPlace } from './rule.js';

/** Own rules come first: of two that find the same place the first names it. */
export const ALL_RULES: readonly Rule[] = [...OWN_RULES, ...LIBRARY_RULES];

/** Name and version of the rules, for records. */
export const RULES_NAME = `sallyport 1 (${OWN_RULES.length}) + secretlint ${LIBRARY_VERSION} (${LIBRARY_RULES.length})`;

export interface RuleHit extends Hit {
  readonly rule: string;
}

const ANY_KEYWORD = new RegExp(
  [...new Set(ALL_RULES.flatMap((rule) => rule.keywords))]
    .map((keyword) => keyword.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('|'),
  'gi',
);

/** The rules whose keywords stand in a text, in their order; nearly all texts end here. */
function rulesFor(text: string): readonly Rule[] {
  const seen = new Set<string>();
  for (const match of text.matchAll(ANY_KEYWORD)) seen.add(match[0].toLowerCase());
  if (seen.size === 0) return [];
  // Of keywords that begin alike the regular expression names one: a keyword counts by what it holds, too.
  const found = [...seen];
  return ALL_RULES.filter((rule) => rule.keywords.some((keyword) => found.some((word) => related(word, keyword))));
}

function related(word: string, keyword: string): boolean {
  return word.includes(keyword) || keyword.includes(word);
}

/**
 * The same text, at the same length, as it is without its escapes: `\n` and its like become spaces, the
 * backslashes before a quote too, so that a rule's idea of where a word begins holds in JSON text as well.
 */
function plainView(text: string): string {
  return text.includes('\\') ? text.replace(/\\+(?:[nrt]|(?=["'/]))/g, (escape) => ' '.repeat(escape.length)) : text;
}

/** What the redactor leaves in a secret's place. */
const MARK = /\[REDACTED:([A-Za-z0-9_.-]{1,64})(?::[0-9a-f]{8})?\]/g;

/** The same text, at the same length, with what was redacted blank; a mark that itself holds a secret is none. */
function withoutMarks(text: string): string {
  if (!text.includes('[REDACTED:')) return text;
  return text.replace(MARK, (mark, label: string) => (findSecrets(label).length > 0 ? mark : ' '.repeat(mark.length)));
}

/** Hears of each rule that is about to look at a text, and may leave it out with `false`. */
export type EachRule = (rule: Rule) => boolean;

/** What all rules find, in order, none overlapping. */
export function findSecrets(
  text: string,
  place: TextPlace = NO_PLACE,
  each: EachRule = () => true,
): readonly RuleHit[] {
  const rules = rulesFor(text);
  if (rules.length === 0) return [];
  const view = withoutMarks(plainView(text));
  const hits = rules.flatMap((rule) => {
    if (!each(rule)) return [];
    return rule.find(view, place).map((hit) => ({ ...hit, rule: rule.id }));
  });
  return withoutOverlaps(hits);
}

/** Of overlapping hits the one that was given first stands; in the order of the text. */
function withoutOverlaps(hits: readonly RuleHit[]): readonly RuleHit[] {
  const kept: RuleHit[] = [];
  for (const hit of hits) {
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((kept[middle]?.start ?? 0) < hit.start) low = middle + 1;
      else high = middle;
    }
    const [before, after] = [kept[low - 1], kept[low]];
    if ((before === undefined || before.end <= hit.start) && (after === undefined || after.start >= hit.end))
      kept.splice(low, 0, hit);
  }
  return kept;
}

/** What of a hit is the secret itself: a key is the same key however its lines are broken. */
export function secretText(text: string, { start, end }: Hit): string {
  return plainView(text.slice(start, end)).replace(/\s+/g, '');
}

/**
 * What a rule for secrets is: a form of text that is a secret wherever it stands. Rules are pure and
 * synchronous; none asks anybody, and none obeys what the text that it looks at says about rules.
 */

/** Where a rule found a secret: offsets into the text, of the secret itself. */
export interface Hit {
  readonly start: number;
  readonly end: number;
}

/** What of the text's circumstances a rule may know. */
export interface TextPlace {
  /** With its dot, lower case; empty where the text is of no file. */
  readonly ext: string;
  /** The file's name without its folder; empty where the text is of no file. */
  readonly name: string;
}

export const NO_PLACE: TextPlace = { ext: '', name: '' };

export interface Rule {
  /** Small letters, digits and `-`; it stands in redacted text. */
  readonly id: string;
  /** A text that holds none of these (small letters; case is ignored) holds no secret of this rule. */
  readonly keywords: readonly string[];
  readonly find: (text: string, place: TextPlace) => readonly Hit[];
}

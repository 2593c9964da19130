/**
 * Looks at one piece of a file: known values by exact search, other secrets by rules. It shares the rules
 * with the redactor, but nothing of how that one works; what it gives never holds a secret.
 */
import { formsOf } from '../redaction/encodings.js';
import { fingerprintOf } from '../redaction/fingerprints.js';
import { findSecrets, secretText, type EachRule } from '../redaction/rules/find.js';
import type { TextPlace } from '../redaction/rules/rule.js';
import { maskedPreview } from './preview.js';
import type { KnownSecretValue, RawFinding } from './protocol.js';
import type { Piece } from './read-file.js';

export interface Needle {
  readonly label: string;
  readonly value: string;
  readonly forms: readonly Buffer[];
}

/** Shortest value that is looked for, in characters: shorter ones stand in innocent text everywhere. */
const SHORTEST = 6;

/** What is searched for of each known value: as it is, base64 at each alignment, and the other forms in which values travel. */
export function needlesOf(known: readonly KnownSecretValue[]): readonly Needle[] {
  return known
    .filter(({ value }) => Array.from(value.trim()).length >= SHORTEST)
    .map(({ label, value }) => ({ label, value: value.trim(), forms: formsOf(value) }));
}

interface Sight {
  readonly rule: string;
  readonly secret: string;
  /** In characters of the text, or in bytes where there is none. */
  readonly at: number;
}

/** Most secrets of one piece that are told apart. */
export const MOST_FOUND = 200;

/** Everything in a piece, each secret once; over `MOST_FOUND` the rest is left out. */
export function lookAt(
  piece: Piece,
  place: TextPlace,
  key: Uint8Array,
  needles: readonly Needle[],
  each: EachRule,
): readonly RawFinding[] {
  const sights: Sight[] = [];
  for (const { label, value, forms } of needles) {
    const at = forms.map((form) => piece.bytes.indexOf(form)).filter((found) => found !== -1);
    if (at.length === 0) continue;
    const first = Math.min(...at);
    const inText = piece.text === null || !piece.lines ? first : piece.bytes.subarray(0, first).toString('utf8').length;
    sights.push({ rule: `known-value:${label}`, secret: value, at: inText });
  }
  if (piece.text !== null) {
    const values = new Set(sights.map((sight) => sight.secret));
    for (const hit of findSecrets(piece.text, place, each)) {
      const secret = secretText(piece.text, hit);
      if (!values.has(secret)) sights.push({ rule: hit.rule, secret, at: hit.start });
    }
  }
  const seen = new Set<string>();
  return sights.flatMap((sight) => {
    const fingerprint = fingerprintOf(key, sight.secret);
    if (seen.has(fingerprint) || seen.size >= MOST_FOUND) return [];
    seen.add(fingerprint);
    return [{ rule: sight.rule, ...placeIn(piece, sight.at), preview: maskedPreview(sight.secret), fingerprint }];
  });
}

function placeIn(piece: Piece, at: number): Pick<RawFinding, 'line' | 'column' | 'offset'> {
  if (piece.text === null || !piece.lines) return { line: null, column: null, offset: piece.offset + at };
  const before = piece.text.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: at - before.lastIndexOf('\n'), offset: null };
}

/**
 * redaction: takes secrets out of what is kept, shown or sent. This file knows values that were handed
 * to a run; it must not guess what else could be a secret, and must not keep or write what it saw.
 */
import type { Json } from '../../../shared/json.js';
import { formsOf } from './encodings.js';
import { createScanner, newNeedles, type Scanner } from './scanner.js';

/** Shortest value that is looked for, in characters: a shorter one would be found in innocent text everywhere. */
const SHORTEST = 6;

export interface KnownValue {
  /** What stands in the value's place; letters, digits and `_.-`, anything else becomes `_`. */
  readonly label: string;
  readonly value: string;
}

/** Redacts a stream of bytes; together the answers are what one call over all bytes would give, wherever the chunks were cut. */
export type StreamRedactor = Pick<Scanner, 'push' | 'end'>;

export interface KnownValueRedactor {
  /** One more value from now on; streams that are open know it from their next chunk. */
  readonly add: (label: string, value: string) => void;
  /** For free text. Not for the text of a JSON document: a match may begin within an escape; use `redactData`. */
  readonly redactText: (text: string) => string;
  readonly redactBytes: (bytes: Uint8Array) => Uint8Array;
  /** The same data with every text, key and number redacted; JSON stays JSON, and only its keys' order may change. */
  readonly redactData: <T>(data: T) => T;
  readonly streamRedactor: () => StreamRedactor;
  /** Labels of values that are too short to be looked for. */
  readonly unmatched: () => readonly string[];
}

/** Replaces each known value, in every form that `formsOf` knows, by `[REDACTED:<label>]`. */
export function createKnownValueRedactor(values: readonly KnownValue[] = []): KnownValueRedactor {
  const needles = newNeedles();
  const short = new Set<string>();
  const add = (label: string, value: string) => {
    const name = label.replace(/[^A-Za-z0-9_.-]/g, '_');
    if (Array.from(value.trim()).length < SHORTEST) {
      short.add(name);
      return;
    }
    for (const form of formsOf(value)) needles.add(form, `[REDACTED:${name}]`);
  };
  for (const { label, value } of values) add(label, value);
  const scanWhole = (bytes: Uint8Array) => {
    const scanner = createScanner(needles);
    return { bytes: Buffer.concat([scanner.push(bytes), scanner.end()]), found: scanner.found() };
  };
  const redactText = (text: string) => {
    if (needles.longest() === 0) return text;
    const shown = scanWhole(Buffer.from(text, 'utf8'));
    // Bytes cannot carry a broken surrogate; a text without a hit is given back as it was.
    return shown.found ? shown.bytes.toString('utf8') : text;
  };
  return {
    add,
    redactText,
    redactBytes: (bytes) => scanWhole(bytes).bytes,
    redactData: (data) => redactEach(data, redactText),
    streamRedactor: () => createScanner(needles),
    unmatched: () => [...short],
  };
}

/** The same data with each text, key and number put through `redactText`. */
export function redactEach<T>(data: T, redactText: (text: string) => string): T {
  return redactData(data as Json, redactText) as T;
}

function redactData(data: Json, redactText: (text: string) => string): Json {
  if (typeof data === 'string') return redactText(data);
  if (typeof data === 'number') {
    const text = String(data);
    const shown = redactText(text);
    return shown === text ? data : shown;
  }
  if (data === null || typeof data !== 'object') return data;
  if (Array.isArray(data)) return data.map((item: Json) => redactData(item, redactText));
  return Object.fromEntries(Object.entries(data).map(([key, item]) => [redactText(key), redactData(item, redactText)]));
}

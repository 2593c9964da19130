/** The redactor of a run: values that are known, then forms that are secrets wherever they come from. */
import { fingerprintOf, type FingerprintKey } from './fingerprints.js';
import { createKnownValueRedactor, redactEach, type KnownValueRedactor } from './known-values.js';
import { createRuleStream, redactByRules, type Mark } from './rule-stream.js';

/** The whole redactor; `unmatched` names known values that are too short to be looked for. */
export type Redactor = KnownValueRedactor;

/** Known values become `[REDACTED:<label>]`, what a rule finds `[REDACTED:<rule>:<first 8 of its fingerprint>]`. */
export function createRedactor({ key }: Pick<FingerprintKey, 'key'>): Redactor {
  const known = createKnownValueRedactor();
  const mark: Mark = (rule, secret) => `[REDACTED:${rule}:${fingerprintOf(key, secret).slice(0, 8)}]`;
  const redactText = (text: string) => redactByRules(known.redactText(text), mark);
  return {
    add: known.add,
    unmatched: known.unmatched,
    redactText,
    redactBytes: (bytes) =>
      Buffer.from(redactByRules(Buffer.from(known.redactBytes(bytes)).toString('latin1'), mark), 'latin1'),
    redactData: (data) => redactEach(data, redactText),
    streamRedactor: () => {
      const [values, rules] = [known.streamRedactor(), createRuleStream(mark)];
      return {
        push: (chunk) => rules.push(values.push(chunk)),
        end: () => Buffer.concat([rules.push(values.end()), rules.end()]),
      };
    },
  };
}

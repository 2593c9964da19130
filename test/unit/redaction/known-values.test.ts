import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKnownValueRedactor, type KnownValueRedactor } from '../../../electron/core/redaction/known-values.js';
import { formsOf } from '../../../electron/core/redaction/encodings.js';
import { createScanner, newNeedles } from '../../../electron/core/redaction/scanner.js';

function knowing(values: Readonly<Record<string, string>>): KnownValueRedactor {
  const redactor = createKnownValueRedactor();
  for (const [label, value] of Object.entries(values)) redactor.add(label, value);
  return redactor;
}

function through(redactor: KnownValueRedactor, chunks: readonly Uint8Array[]): string {
  const stream = redactor.streamRedactor();
  // Each chunk's memory is used again at once, as stream implementations may do.
  const parts = chunks.map((chunk) => {
    const copy = Uint8Array.from(chunk);
    const part = Buffer.from(stream.push(copy));
    copy.fill(0);
    return part;
  });
  return Buffer.concat([...parts, Buffer.from(stream.end())]).toString('utf8');
}

const SECRET = 'hunter2/+ü"x\\y\nz';

describe('forms of a value', () => {
  const bytes = Buffer.from(SECRET, 'utf8');
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const cases: Readonly<Record<string, string>> = {
    plain: SECRET,
    'base64, alone': bytes.toString('base64'),
    'base64, after one byte': Buffer.concat([Buffer.from('a'), bytes, Buffer.from('more')]).toString('base64'),
    'base64, after two bytes': Buffer.concat([Buffer.from('ab'), bytes, Buffer.from('more')]).toString('base64'),
    base64url: Buffer.concat([Buffer.from('a'), bytes]).toString('base64url'),
    hex: bytes.toString('hex'),
    'upper-case hex': bytes.toString('hex').toUpperCase(),
    'percent-encoded': encodeURIComponent(SECRET),
    'percent-encoded in lower case': encodeURIComponent(SECRET).replaceAll(/%../g, (escape) => escape.toLowerCase()),
    'a form field': new URLSearchParams({ a: SECRET }).toString(),
    'percent-encoded throughout': bytes.toString('hex').replaceAll(/../g, (pair) => `%${pair}`),
    JSON: JSON.stringify(SECRET),
    'JSON in JSON': JSON.stringify(JSON.stringify(SECRET)),
    'JSON in ASCII': json(SECRET).replaceAll('ü', '\\u00fc'),
    'JSON with escaped slashes': json(SECRET).replaceAll('/', '\\/'),
  };

  it.each(Object.entries(cases))('%s', (_name, text) => {
    const shown = knowing({ key: SECRET }).redactText(`before ${text} after`);
    expect(shown).toContain('[REDACTED:key]');
    // What may stay of the encoded value itself: the half-own characters at the ends of base64.
    const rest = shown.replace('[REDACTED:key]', '').replace(/^before | after$/g, '');
    expect(rest.length).toBeLessThanOrEqual(12);
    expect(rest).not.toContain('hunter');
  });

  it('covers HTML-safe JSON', () => {
    expect(knowing({ key: 'a<b>&cdef' }).redactText('"a\\u003cb\\u003e\\u0026cdef"')).toBe('"[REDACTED:key]"');
  });

  it('covers a value from a file with and without its line end', () => {
    const redactor = knowing({ key: 'abcdefgh\n' });
    expect(redactor.redactText('abcdefgh')).toBe('[REDACTED:key]');
    expect(redactor.redactText('abcdefgh\n')).toBe('[REDACTED:key]');
  });

  it('never leaves a value readable behind an encoding, whatever stands around it', () => {
    const value = fc.string({ minLength: 6, maxLength: 30, unit: 'grapheme-ascii' }).filter((s) => s.trim().length > 5);
    const around = fc.uint8Array({ maxLength: 10 });
    fc.assert(
      fc.property(value, around, around, (secret, before, after) => {
        const redactor = knowing({ key: secret });
        const all = Buffer.concat([before, Buffer.from(secret, 'utf8'), after]);
        for (const encoding of ['base64', 'base64url', 'hex'] as const) {
          const shown = redactor.redactText(all.toString(encoding));
          expect(shown).toContain('[REDACTED:key]');
        }
        const text = `${JSON.stringify({ a: secret })} ${JSON.stringify(JSON.stringify(secret))} ${encodeURIComponent(secret)}`;
        expect(redactor.redactText(text).split('[REDACTED:key]').length).toBeGreaterThanOrEqual(4);
      }),
    );
  });
});

describe('values that are too short', () => {
  it('are not matched, and are named', () => {
    const redactor = knowing({ pin: '12345', key: '123456', blank: '   x   \n', empty: '' });
    expect(redactor.redactText('12345 123456 x')).toBe('12345 [REDACTED:key] x');
    expect(redactor.unmatched()).toEqual(['pin', 'blank', 'empty']);
  });

  it('counts characters, not bytes or UTF-16 units', () => {
    expect(knowing({ a: '😀😀😀' }).unmatched()).toEqual(['a']);
    expect(knowing({ a: '😀😀😀😀😀😀' }).unmatched()).toEqual([]);
  });
});

describe('what is shown', () => {
  it('is nothing but the label, made safe', () => {
    expect(knowing({ 'a"]\n:b': 'secret-value' }).redactText('x secret-value y')).toBe('x [REDACTED:a____b] y');
  });

  it('leaves a text without secrets untouched, broken surrogates too', () => {
    expect(knowing({ a: 'secret-value' }).redactText('\ud800 nothing')).toBe('\ud800 nothing');
    expect(createKnownValueRedactor().redactText('anything')).toBe('anything');
  });

  it('prefers the longest value, and covers overlapping ones whole', () => {
    const redactor = knowing({ short: 'abcdef', long: 'abcdefgh', next: 'fghijklm' });
    expect(redactor.redactText('-abcdefX-')).toBe('-[REDACTED:short]X-');
    expect(redactor.redactText('-abcdefghX-')).toBe('-[REDACTED:long]X-');
    expect(redactor.redactText('-abcdefghijklm-')).toBe('-[REDACTED:long][REDACTED:next]-');
    expect(knowing({ a: 'aaaaaa' }).redactText('baaaaaaaaab')).toBe('b[REDACTED:a]b');
  });

  it('keeps the first label of a value that is known twice', () => {
    expect(knowing({ one: 'same-value', two: 'same-value' }).redactText('same-value')).toBe('[REDACTED:one]');
  });

  it('redacts data without breaking it, whatever the value is', () => {
    const redactor = knowing({ a: 'nabcdef', b: 'abc","x":"' });
    const data = { text: '\nabcdef', list: ['abc","x":"', 1, null, true, undefined], nabcdef: { deep: 'nabcdef' } };
    expect(redactor.redactData(data)).toEqual({
      text: '\nabcdef',
      list: ['[REDACTED:b]', 1, null, true, undefined],
      '[REDACTED:a]': { deep: '[REDACTED:a]' },
    });
  });
});

describe('streams', () => {
  it('give the same for every cut into two and into single bytes', () => {
    const redactor = knowing({ key: SECRET, other: 'z then', long: 'x'.repeat(40) });
    const text = `a ${SECRET} b ${JSON.stringify(SECRET)} ${'x'.repeat(39)} ${SECRET} then hunter2/ ${'x'.repeat(41)} hunter2/+`;
    const bytes = Buffer.from(text, 'utf8');
    const whole = redactor.redactText(text);
    expect(whole).not.toContain(SECRET);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(through(redactor, [bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(whole);
    }
    expect(
      through(
        redactor,
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
      ),
    ).toBe(whole);
  });

  it('agree with a plain search for every text, set of needles and cut', () => {
    const letters = (max: number, min = 0) =>
      fc.array(fc.constantFrom(97, 98), { minLength: min, maxLength: max }).map((list) => Buffer.from(list));
    fc.assert(
      fc.property(
        fc.array(letters(7, 2), { minLength: 1, maxLength: 5 }),
        fc.array(letters(9), { maxLength: 8 }),
        (strings, chunks) => {
          const needles = newNeedles();
          for (const string of strings) needles.add(string, '#');
          const scanner = createScanner(needles);
          let held = 0;
          const out = chunks.map((chunk) => {
            const part = scanner.push(chunk);
            held += chunk.length - part.filter((byte) => byte !== 35).length;
            return part;
          });
          const shown = Buffer.concat([...out, scanner.end()]).toString('latin1');
          expect(shown).toBe(plainSearch(Buffer.concat(chunks), strings));
          expect(held).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('hold back no more than the longest form less one byte, and nothing that cannot begin a secret', () => {
    const redactor = knowing({ key: 'secret-value' });
    const longest = Math.max(...formsOf('secret-value').map((form) => form.length));
    const stream = redactor.streamRedactor();
    expect(Buffer.from(stream.push(Buffer.from('hello\n'))).toString()).toBe('hello\n');
    expect(stream.push(Buffer.from('secret-valu'))).toHaveLength(0);
    expect(Buffer.from(stream.push(Buffer.from('X'))).toString()).toBe('secret-valuX');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('secret-valu', 's', '%', '%73', 'c2Vj', ' '), { maxLength: 20 }),
        (chunks) => {
          const one = redactor.streamRedactor();
          let [given, taken] = [0, 0];
          for (const chunk of chunks) {
            given += chunk.length;
            taken += one.push(Buffer.from(chunk)).length;
            expect(given - taken).toBeLessThan(longest);
          }
          expect(taken + one.end().length).toBe(given);
        },
      ),
    );
  });

  it('learn a value while they are open', () => {
    const redactor = createKnownValueRedactor();
    const stream = redactor.streamRedactor();
    expect(Buffer.from(stream.push(Buffer.from('late-value '))).toString()).toBe('late-value ');
    redactor.add('late', 'late-value');
    expect(Buffer.from(stream.push(Buffer.from('late-value '))).toString()).toBe('[REDACTED:late] ');
  });
});

/** What the scanner should say, in the simplest way: mark every place that any needle covers, in order of where they begin. */
function plainSearch(text: Buffer, strings: readonly Buffer[]): string {
  let out = '';
  let covered = 0;
  for (let at = 0; at < text.length; at += 1) {
    const lengths = strings.filter((one) => text.subarray(at, at + one.length).equals(one)).map((one) => one.length);
    const end = at + Math.max(0, ...lengths);
    if (end > covered && lengths.length > 0) {
      if (at >= covered) out += '#';
      covered = end;
    }
    if (at >= covered) out += text.toString('latin1', at, at + 1);
  }
  return out;
}

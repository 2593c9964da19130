import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPath, parseStrictJson, positionsIn } from '../../../shared/strict-json.js';
import { decodeUtf8 } from '../../../shared/utf8.js';

const limits = { depth: 32 };

function firstFault(text: string) {
  const parsed = parseStrictJson(text, limits);
  if (parsed.ok) throw new Error(`${text} was let pass`);
  const first = parsed.error[0];
  if (first === undefined) throw new Error('a refusal without a fault');
  return first;
}

describe('parseStrictJson', () => {
  it('agrees with JSON.parse on everything that it accepts', () => {
    const withoutProto = fc.json().filter((text) => !text.includes('__proto__'));
    fc.assert(
      fc.property(withoutProto, (text) => {
        const parsed = parseStrictJson(text, { depth: 256 });
        expect(parsed).toEqual({ ok: true, value: JSON.parse(text) as unknown });
      }),
      { numRuns: 500 },
    );
  });

  it('never accepts what JSON.parse refuses', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '1',
      '-',
      '.',
      'e5',
      'true',
      'nul',
      ' ',
      '\n',
      '\\',
      '//x',
      '\u00a0',
      '\ufeff',
      '0',
      '+',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 9 }), (parts) => {
        const text = parts.join('');
        if (!parseStrictJson(text, limits).ok) return;
        expect(() => JSON.parse(text) as unknown).not.toThrow();
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['a duplicate key', '{"a":1,\n "a":2}', 2, 2, 'stands here twice'],
    ['a duplicate key in other spelling', '{"a":1,"\\u0061":2}', 1, 8, 'stands here twice'],
    ['__proto__', '{"x":{"__proto__":{}}}', 1, 7, '__proto__'],
    ['__proto__ in other spelling', '{"\\u005f_proto__":1}', 1, 2, '__proto__'],
    ['a number that is not finite', '[1,\n  1e999]', 2, 3, '1e999 is not a finite number'],
    ['a lone surrogate escape', '["\\ud800"]', 1, 2, 'lone surrogate'],
    ['a raw lone surrogate', '["\ud800"]', 1, 2, 'lone surrogate'],
    ['a lone surrogate in a key', '{"\\udc00":1}', 1, 2, 'lone surrogate'],
    ['a line comment', '{} // x', 1, 4, 'comments'],
    ['a block comment', '{/* x */}', 1, 2, 'comments'],
    ['a trailing comma in a list', '[1,]', 1, 4, 'no trailing comma'],
    ['a trailing comma in an object', '{"a":1,}', 1, 8, 'no trailing comma'],
    ['trailing text', '{} x', 1, 4, 'neither a JSON word'],
    ['a second value', '{}{}', 1, 3, 'end after one value'],
    ['nothing', '', 1, 1, 'a value is expected'],
    ['single quotes', "{'a':1}", 1, 2, 'double quotes'],
    ['NaN', 'NaN', 1, 1, 'neither a JSON word'],
    ['a leading zero', '01', 1, 2, 'end after one value'],
    ['a control character in a string', '"a\u0001"', 1, 1, 'control character'],
  ])('refuses %s and says where', (_what, text, line, column, message) => {
    const fault = firstFault(text);
    expect(fault.message).toContain(message);
    expect({ line: fault.line, column: fault.column }).toEqual({ line, column });
  });

  it('reports every fault of a text, with paths', () => {
    const parsed = parseStrictJson('{"hooks":[{"a":1,"a":2},{"b":1e999,"__proto__":0}]}', limits);
    expect(parsed.ok ? [] : parsed.error.map((fault) => [fault.path, fault.message])).toEqual([
      ['hooks[0]', 'the key "a" stands here twice'],
      ['hooks[1].b', '1e999 is not a finite number'],
      ['hooks[1]', 'the key "__proto__" is refused'],
    ]);
  });

  it('allows the limit of depth and not one more, and survives absurd depth', () => {
    expect(parseStrictJson('['.repeat(32) + ']'.repeat(32), limits).ok).toBe(true);
    expect(firstFault('['.repeat(33) + ']'.repeat(33)).message).toBe('nested more than 32 levels deep');
    expect(firstFault('[{"a":'.repeat(200_000)).message).toBe('nested more than 32 levels deep');
  });

  it('keeps pairs of surrogates and repeated keys of different objects', () => {
    expect(parseStrictJson('[{"a":"\\ud83d\\ude00"},{"a":"😀"}]', limits)).toEqual({
      ok: true,
      value: [{ a: '😀' }, { a: '😀' }],
    });
  });
});

describe('positionsIn', () => {
  it('finds members, entries, and the parent of what is missing', () => {
    const at = positionsIn('{\n  "hooks": [\n    { "id": "x",\r\n      "order": 7 }\n  ]\n}');
    expect(at(['hooks', 0, 'order'])).toEqual({ line: 4, column: 7 });
    expect(at(['hooks', 0, 'mode'])).toEqual({ line: 3, column: 5 });
    expect(at(['hooks', 0, 'handler', 'argv', 0])).toEqual({ line: 3, column: 5 });
    expect(at([])).toEqual({ line: 1, column: 1 });
  });

  it('writes paths in the usual form', () => {
    expect(formatPath(['hooks', 2, 'handler', 'argv', 0])).toBe('hooks[2].handler.argv[0]');
    expect(formatPath(['filters', 'data', 'a b'])).toBe('filters.data["a b"]');
  });
});

describe('decodeUtf8', () => {
  const bytes = (...list: number[]) => Uint8Array.from(list);
  it('takes UTF-8 and refuses anything else by name', () => {
    expect(decodeUtf8(new TextEncoder().encode('grün 😀'))).toEqual({ ok: true, value: 'grün 😀' });
    expect(decodeUtf8(bytes(0xef, 0xbb, 0xbf, 0x7b))).toMatchObject({
      ok: false,
      error: expect.stringContaining('BOM') as string,
    });
    expect(decodeUtf8(bytes(0xff, 0xfe, 0x7b, 0x00))).toMatchObject({
      ok: false,
      error: expect.stringContaining('UTF-16') as string,
    });
    for (const wrong of [bytes(0xc0, 0x80), bytes(0xed, 0xa0, 0x80), bytes(0x80), bytes(0xe2, 0x82)]) {
      expect(decodeUtf8(wrong)).toMatchObject({ ok: false, error: expect.stringContaining('not UTF-8') as string });
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleText } from '../../../shared/visible-text.js';

describe('visibleText', () => {
  it.each([
    ['plain text', 'plain text', []],
    ['grün, 日本語, Привет', 'grün, 日本語, Привет', []],
    ['a\nb\t\u001b[31m', 'a\\u{a}b\\u{9}\\u{1b}[31m', ['control']],
    ['a\u2028b', 'a\\u{2028}b', ['control']],
    ['safe\u202egpj.exe', 'safe\\u{202e}gpj.exe', ['bidirectional']],
    ['\u2066x\u2069', '\\u{2066}x\\u{2069}', ['bidirectional']],
    ['a\u200bb\u00ad\ufeff', 'a\\u{200b}b\\u{ad}\\u{feff}', ['invisible']],
    ['a\u00a0b\u3164', 'a\\u{a0}b\\u{3164}', ['invisible']],
    ['tag\u{e0041}', 'tag\\u{e0041}', ['invisible']],
    ['\ud800', '\\u{d800}', ['not-text']],
    ['\ue000', '\\u{e000}', ['not-text']],
    ['p\u0430ypal', 'p\\u{430}ypal', ['look-alike']],
    ['\u0441\u0443\u0440', '\\u{441}\\u{443}\\u{440}', ['look-alike']],
    ['\uff43url', '\\u{ff43}url', ['look-alike']],
    ['a\uff1bb', 'a\\u{ff1b}b', ['look-alike']],
    ['C:\\users', 'C:\\users', []],
    ['literal \\u{202e}', 'literal \\u{5c}u{202e}', []],
  ])('%j', (text, shown, flags) => {
    expect(visibleText(text)).toEqual({ text: shown, flags });
  });

  it('lets nothing invisible through and can tell any two texts apart', () => {
    const nasty = fc.constantFrom('\u202e', '\u200b', '\n', '\\', 'u{200b}', '\u0430', 'a', '\\u{a}', '\u00a0');
    const text = fc.array(nasty, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(visibleText(a).text).not.toMatch(/[\p{C}\u00a0]/u);
        if (a !== b) expect(visibleText(a).text).not.toBe(visibleText(b).text);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LINE_BYTES, splitLines } from '../../../electron/core/runs/lines.js';

function split(chunks: readonly Uint8Array[]): [string, boolean][] {
  const lines: [string, boolean][] = [];
  const splitter = splitLines((line, whole) => lines.push([line, whole]));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

describe('splitting a byte stream into lines', () => {
  it('decodes UTF-8 across any cut, and takes U+2028 for text', () => {
    const text = 'a\u2028é😀\r\nzweite\n\nlast';
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(split(chunks)).toEqual([
          ['a\u2028é😀', true],
          ['zweite', true],
          ['', true],
          ['last', true],
        ]);
      }),
    );
  });

  it('hands on a line over the limit in pieces that are marked, loses nothing, and goes on', () => {
    const long = 'x'.repeat(MAX_LINE_BYTES + 10);
    const lines = split([Buffer.from(long), Buffer.from('yz\n{"next":1}\n')]);
    expect(lines.map(([line, whole]) => [line.length, whole])).toEqual([
      [MAX_LINE_BYTES + 10, false],
      [2, false],
      [10, true],
    ]);
  });

  it('says nothing of an empty stream', () => {
    expect(split([])).toEqual([]);
  });
});

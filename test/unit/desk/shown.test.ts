import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedEvent } from '../../../electron/core/desk/bounded-event.js';
import { changesOnly, diffLines } from '../../../electron/core/desk/line-diff.js';
import { cutMiddle, showLines } from '../../../electron/core/desk/shown-text.js';

describe('a text that is cut', () => {
  it('keeps both ends and counts exactly what is missing, without half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 4, max: 60 }), (text, max) => {
        const shown = cutMiddle(text, max);
        if (text.length <= max) return shown === text;
        const cut = /^([\s\S]*)\n\[… (\d+) characters are NOT SHOWN here …\]\n([\s\S]*)$/.exec(shown);
        const [, head = '', missing = '', tail = ''] = cut ?? [];
        return (
          text.startsWith(head) &&
          text.endsWith(tail) &&
          head.length + Number(missing) + tail.length === text.length &&
          shown.isWellFormed() === text.isWellFormed()
        );
      }),
    );
  });

  it('within an entry of a timeline, however deep', () => {
    const event = boundedEvent({ at: 1, kind: 'agent', event: { args: { list: ['z'.repeat(50_000), 3, null] } } });
    expect(JSON.stringify(event)).toContain('30000 characters are NOT SHOWN here');
    expect(boundedEvent({ at: 1, kind: 'notice', text: 'short' })).toEqual({ at: 1, kind: 'notice', text: 'short' });
  });
});

describe('a text of several lines', () => {
  it('keeps its line ends and shows all else that cannot be seen', () => {
    expect(showLines('a\n\tb\u200b\r\nc')).toEqual({
      text: 'a\n\\u{9}b\\u{200b}\\u{d}\nc',
      flags: expect.arrayContaining(['control', 'invisible']) as string[],
    });
    expect(showLines('plain\ntext')).toEqual({ text: 'plain\ntext', flags: [] });
  });
});

describe('a comparison of lines', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 });

  it('holds all of both texts, in their order', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before, after) ?? [];
        const without = (side: string) => diff.filter((line) => line.side !== side).map((line) => line.text);
        expect(without('new')).toEqual(before);
        expect(without('old')).toEqual(after);
      }),
    );
  });

  it('leaves out only what did not change, and counts it', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before, after) ?? [];
        const shown = changesOnly(diff);
        const count = shown.reduce((sum, line) => sum + ('unchanged' in line ? line.unchanged : 1), 0);
        expect(count).toBe(diff.length);
        const changes = (list: readonly object[]) => list.filter((line) => 'side' in line && line.side !== 'same');
        expect(changes(shown)).toEqual(changes(diff));
      }),
    );
  });

  it('gives up on texts that differ too much, rather than hold everything up', () => {
    const many = (mark: string) => Array.from({ length: 5_000 }, (_, at) => `${mark}${at}`);
    expect(diffLines(many('a'), many('b'))).toBeNull();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageOfKeys } from '../../../renderer/app/shortcuts.js';
import { digestGroups } from '../../../renderer/text/digest.js';
import { findRuns } from '../../../renderer/text/find-runs.js';
import { safeLines } from '../../../renderer/text/safe-lines.js';
import { duration, relativeTime, spokenTimeLeft, timeLeft } from '../../../renderer/text/times.js';
import { folderName, standing } from '../../../renderer/text/words.js';
import { manyRuns } from '../../support/fake-bridge.js';

describe('times', () => {
  it.each([
    [0, 'just now'],
    [44, 'just now'],
    [-5, 'just now'],
    [-600, 'in the future'],
    [50, '1 min ago'],
    [59 * 60, '59 min ago'],
    [3_600 * 5, '5 h ago'],
    [86_400, 'yesterday'],
    [86_400 * 12, '12 days ago'],
    [86_400 * 90, '3 months ago'],
    [86_400 * 1_100, '3 years ago'],
  ])('%d s before now is %s', (ago, words) => {
    expect(relativeTime(1_000_000_000 - ago, 1_000_000_000)).toBe(words);
  });

  it('count down to nothing and not below', () => {
    expect(timeLeft(600, 0)).toBe('10:00');
    expect(timeLeft(4_000, 0)).toBe('1:06:40');
    expect(timeLeft(9.2, 0)).toBe('0:10');
    expect(timeLeft(5, 80)).toBe('0:00');
  });

  it('are spoken at coarse steps', () => {
    const said = Array.from({ length: 601 }, (_, second) => spokenTimeLeft(600, second));
    expect(said.filter((text, index) => text !== said[index - 1])).toEqual([
      '',
      '5 minutes left',
      '2 minutes left',
      '1 minute left',
      '30 seconds left',
      '10 seconds left',
      'the time is over',
    ]);
  });

  it('last', () => {
    expect([duration(0.4), duration(75), duration(7_260)]).toEqual(['0 s', '1 min 15 s', '2 h 1 min']);
  });
});

describe('digests', () => {
  it('are shown whole in groups of four', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{64}$/), (hex) => {
        const { algorithm, groups } = digestGroups(`sha256:${hex}`);
        expect(algorithm + groups.join('')).toBe(`sha256:${hex}`);
        expect(groups.every((group) => group.length === 4)).toBe(true);
      }),
    );
  });

  it('leave a name in one piece', () => {
    expect(digestGroups('reg-e4def5356c4e922c')).toEqual({ algorithm: '', groups: ['reg-e4def5356c4e922c'] });
  });
});

describe('texts from outside', () => {
  it('keep their lines, and nothing that the eye cannot see', () => {
    const { text, flags } = safeLines('a\n\tb\u202ec\r\n');
    expect(text).toBe('a\n\tb\\u{202e}c\\u{d}\n');
    expect([...flags].sort()).toEqual(['bidirectional', 'control']);
  });

  it('never hold a character that turns the reading direction', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(safeLines(text).text).not.toMatch(/\p{Bidi_Control}/u);
      }),
    );
  });
});

describe('the search', () => {
  const runs = manyRuns(200, 1_000_000_000);
  it('wants every word, wherever it stands', () => {
    const found = findRuns(runs, { text: '  PARSER amber ', show: 'all' });
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((run) => run.prompt.includes('parser') && run.colour === 'amber')).toBe(true);
    expect(findRuns(runs, { text: 'parser nowhere', show: 'all' })).toEqual([]);
  });
  it('narrows to a colour, and to what waits', () => {
    expect(findRuns(runs, { text: '', show: 'red' }).every((run) => run.colour === 'red')).toBe(true);
    expect(findRuns(runs, { text: '', show: 'waiting' })).toEqual([]);
    expect(findRuns(runs, { text: '', show: 'all' })).toBe(runs);
  });
});

describe('words', () => {
  it('say how a run stands', () => {
    expect(standing({ phase: 'done', outcome: 'timed_out', waiting: 0 })).toBe('timed out');
    expect(standing({ phase: 'running', outcome: null, waiting: 0 })).toBe('running');
    expect(standing({ phase: 'awaiting_approval', outcome: null, waiting: 1 })).toBe('waiting for you');
  });
  it('name a folder by its last part', () => {
    expect([folderName('/home/ada/shop/'), folderName('C:\\work\\shop'), folderName('/')]).toEqual([
      'shop',
      'shop',
      '/',
    ]);
  });
});

describe('shortcuts', () => {
  const keys = (key: string, more = {}) => ({
    key,
    ctrlKey: true,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...more,
  });
  it('open pages', () => {
    expect(['n', '1', '2', '3', '4', '5', ','].map((key) => pageOfKeys(keys(key)))).toEqual([
      ...['new-run', 'runs', 'approvals', 'registry', 'doctor', 'settings', 'settings'],
    ]);
    expect(pageOfKeys(keys('n', { ctrlKey: false, metaKey: true }))).toBe('new-run');
  });
  it('leave everything else alone', () => {
    expect(pageOfKeys(keys('n', { ctrlKey: false }))).toBeNull();
    expect(pageOfKeys(keys('n', { shiftKey: true }))).toBeNull();
    expect(pageOfKeys(keys('6'))).toBeNull();
    expect(pageOfKeys(keys('0'))).toBeNull();
    expect(pageOfKeys(keys('x'))).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { judgeOrigin, worstState } from '../../../electron/core/scan/origins.js';
import { maskedPreview } from '../../../electron/core/scan/preview.js';
import type { RawFinding, Target } from '../../../electron/core/scan/protocol.js';

const raw: RawFinding = {
  rule: 'github-token',
  ...{ line: 1, column: 1, offset: null },
  preview: 'ghp…90',
  fingerprint: '0a1b2c3d4e5f',
};
const target = (part: Target['part'], before: Target['before'] = 'new'): Target => ({ part, path: '/x', before });
const origin = (where: Target, prompt: readonly string[] = []) => judgeOrigin(where, raw, prompt).origin;

describe('the origin of a finding', () => {
  it('is a failed redaction in our own files, whoever brought the secret', () => {
    for (const part of ['artifacts', 'configuration'] as const)
      expect(origin(target(part), [raw.fingerprint])).toBe('redaction_failed');
  });

  it('is exposure where the prompt held it, told by its whole fingerprint or by the mark in the stored prompt', () => {
    for (const part of ['agent_state', 'workspace'] as const) {
      expect(origin(target(part), [raw.fingerprint])).toBe('exposed');
      expect(origin(target(part), ['0a1b2c3d'])).toBe('exposed');
      expect(origin(target(part), ['ffffffff'])).toBe('leaked');
    }
  });

  it('is exposure where the same file held it before, and else a leak that says why', () => {
    expect(origin(target('workspace', [raw.fingerprint]))).toBe('exposed');
    expect(origin(target('workspace', ['other']))).toBe('leaked');
    const whys = (['new', 'unknown', []] as const).map(
      (before) => judgeOrigin(target('workspace', before), raw, []).why,
    );
    expect(new Set(whys).size).toBe(3);
  });
});

it.each([
  [['redaction_failed', 'leaked', 'exposed'], true, 'redaction_failed'],
  [['leaked', 'exposed'], true, 'leaked'],
  [['exposed'], true, 'incomplete'],
  [['exposed'], false, 'exposed'],
  [[], true, 'incomplete'],
  [[], false, 'clean'],
] as const)('of %j, incomplete %s, the worst is %s', (origins, incomplete, state) => {
  expect(
    worstState(
      origins.map((one) => ({ origin: one })),
      incomplete,
    ),
  ).toBe(state);
});

it.each([
  ['sk-ant-api03-0123456789abcdef', 'sk-…ef'],
  ['0123456789abcdef', '012…f'],
  ['01234567', '01…'],
  ['0123', '0…'],
  ['012', '…'],
  ['\u202e\n0123456789abcdefghijk', '··0…jk'],
])('of %j no more than a quarter is shown', (secret, shown) => {
  expect(maskedPreview(secret)).toBe(shown);
});

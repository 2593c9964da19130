import { expect, it } from 'vitest';
import { shown } from '../../../electron/cli/terminal/subject-text.js';

it('shows plain text as it is, and says what the eye cannot see or would lose', () => {
  expect(shown('git push  --force')).toBe('git push  --force');
  expect(shown(`rm -rf /${' '.repeat(3_000)}# tidy up`)).toBe(
    'rm -rf /[3000 spaces]# tidy up   <- careful: long runs of spaces',
  );
  expect(shown('a\u202eb')).toContain('careful: bidirectional');
});

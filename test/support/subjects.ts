/** Subjects of approvals for tests, with digests that fit. */
import type { ApprovalSubject } from '../../shared/contracts/approval.js';
import { subjectDigest } from '../../electron/core/approvals/subjects.js';
import type { ApprovalVoice } from '../../electron/core/approvals/store.js';

export const voice: ApprovalVoice = { surface: 'terminal', user: 'me', when: 1_000, expires: null };

/** A command hook with these arguments. */
export function hookOf(
  argv: readonly string[],
  key = 'global::guard',
  env: Record<string, string> = {},
): ApprovalSubject {
  const named = `hook-argv ${key}`;
  const content = {
    hook: key,
    handler: { kind: 'command', argv, env },
    program: { found: '/bin/guard', real: '/opt/guard', digest: null },
    interpreter: null,
    files: [],
  };
  const digest = subjectDigest({ kind: 'hook-argv', key: named, content });
  if (!digest.ok) throw new Error(digest.error);
  return {
    ...{ kind: 'hook-argv', key: named, content, digest: digest.value, title: `Hook ${key}`, argv },
    ...{ program: '/opt/guard', envNames: Object.keys(env), cwd: '/ws', files: [], notCovered: [] },
  };
}

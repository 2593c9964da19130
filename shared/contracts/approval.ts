import type { JsonObject } from '../json.js';

/** What an approval can be about, in this version. */
export const APPROVAL_SUBJECTS = ['hook-argv', 'agent-program', 'workspace-agent-config'] as const;
export type ApprovalSubjectKind = (typeof APPROVAL_SUBJECTS)[number];

/** One executable thing that a person is asked about, with everything the question must show. */
export interface ApprovalSubject {
  readonly kind: ApprovalSubjectKind;
  /** What the approval is bound to beside the digest, e.g. `hook-argv global:policy`. */
  readonly key: string;
  /** `sha256:` + 64 hex digits of the canonical subject. */
  readonly digest: string;
  /** One line: who asks. */
  readonly title: string;
  /** Each argument a token of its own; never joined into something that looks like a shell line. */
  readonly argv: readonly string[];
  /** Real path of the program that would start. */
  readonly program: string;
  /** Names of the environment variables that the subject declares. */
  readonly envNames: readonly string[];
  readonly cwd: string;
  /** Script files that are part of the digest. */
  readonly files: readonly { readonly path: string; readonly digest: string }[];
  /** What the digest does not cover, in words. */
  readonly notCovered: readonly string[];
  /** The exact content that was hashed, for diffs. */
  readonly content: JsonObject;
}

/**
 * What every approval store can do, whether it forgets with the process or keeps signed records.
 */
import type { ApprovalSubject, ApprovalSubjectKind } from '../../../shared/contracts/approval.js';
import type { Result } from '../../../shared/result.js';
import type { ApprovalProof, IntendedStart } from '../spawn/request.js';

/** By what a person said yes. */
export interface ApprovalVoice {
  readonly surface: 'dialog' | 'terminal' | 'command';
  /** The OS user. */
  readonly user: string;
  /** Unix seconds. */
  readonly when: number;
  /** Unix seconds after which the yes is void; null for none. */
  readonly expires: number | null;
}

export interface ApprovalRecord extends ApprovalVoice {
  readonly kind: ApprovalSubjectKind;
  readonly key: string;
  readonly digest: string;
}

export interface ApprovalRefusal {
  /** changed-since-shown: what was shown is not what would be approved; show the new content. */
  readonly code: 'changed-since-shown' | 'not-genuine';
  readonly text: string;
}

/** approved: exactly this. changed: something else under this key was approved. unapproved: never. */
export type ApprovalState = 'approved' | 'changed' | 'unapproved';

export interface ApprovalStore {
  /** Records a yes to exactly what was shown. */
  readonly approve: (
    subject: ApprovalSubject,
    shownDigest: string,
    voice: ApprovalVoice,
  ) => Promise<Result<ApprovalRecord, ApprovalRefusal>>;
  /** Takes back one digest of a key, or all of them; proofs given out for them end too. How many records went. */
  readonly revoke: (kind: ApprovalSubjectKind, key: string, digest?: string) => Promise<number>;
  /** Reads again what other processes may have approved or revoked; to be called at a boundary. */
  readonly refresh: () => Promise<void>;
  readonly state: (subject: ApprovalSubject) => ApprovalState;
  /** `state` is `approved`. */
  readonly covers: (subject: ApprovalSubject) => boolean;
  /** A proof for the seam, bound to the subject's program, arguments and environment; null when it is not covered. */
  readonly proofFor: (subject: ApprovalSubject) => ApprovalProof | null;
  /** Whether a proof is one of ours, still holds, and is for exactly this start. */
  readonly check: (proof: ApprovalProof, start: IntendedStart) => boolean;
  readonly records: () => readonly ApprovalRecord[];
}

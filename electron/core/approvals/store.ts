/**
 * What every approval store can do, whether it forgets with the process or keeps signed records.
 */
import type { ApprovalSubject, ApprovalSubjectKind } from '../../../shared/contracts/approval.js';
import type { JsonObject } from '../../../shared/json.js';
import type { Result } from '../../../shared/result.js';
import type { ApprovalProof, IntendedStart } from '../spawn/request.js';
import type { KeychainTrouble } from './keychain-states.js';

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
  /** As it was shown. */
  readonly title: string;
  /** The content as it may be kept and shown again: values of variables are not in it (shown.ts). */
  readonly shown: JsonObject;
  /** signed: lasts until it is revoked. memory: until this process ends. */
  readonly kept: 'signed' | 'memory';
}

export interface ApprovalRefusal {
  /** changed-since-shown: what was shown is not what would be approved; show the new content. */
  readonly code: 'changed-since-shown' | 'not-genuine';
  readonly text: string;
}

/**
 * approved: exactly this. changed: a person's yes under this key was for something else, was taken
 * back, or can no longer be believed. unapproved: never.
 */
export type ApprovalState = 'approved' | 'changed' | 'unapproved';

/**
 * How the store stands. `ready`: records are kept. A trouble of the keychain: what was approved before
 * cannot be checked, and a yes lasts as long as this process. `failed-check`: what was kept is not
 * what was written, and nothing of it counts. `memory`: a store that never keeps anything.
 */
export interface StoreStatus {
  readonly state: 'ready' | 'failed-check' | 'memory' | KeychainTrouble;
  /** What it means and what to do, for a person. */
  readonly text: string;
}

export interface ApprovalStore {
  /** Records a yes to exactly what was shown; `kept` of the record says how long it lasts. */
  readonly approve: (
    subject: ApprovalSubject,
    shownDigest: string,
    voice: ApprovalVoice,
  ) => Promise<Result<ApprovalRecord, ApprovalRefusal>>;
  /** The same, for this process alone, whatever the store could keep. */
  readonly approveForNow: ApprovalStore['approve'];
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
  /** What is in force. */
  readonly records: () => readonly ApprovalRecord[];
  /** What a person last approved under a key, in force or not; null when nothing is known. */
  readonly lastShown: (kind: ApprovalSubjectKind, key: string) => JsonObject | null;
  readonly status: () => StoreStatus;
}

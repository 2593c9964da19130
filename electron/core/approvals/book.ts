/**
 * Decides from records what is approved, and gives out proofs. The one place for both stores: where
 * the records come from is theirs.
 */
import type { ApprovalSubject, ApprovalSubjectKind } from '../../../shared/contracts/approval.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { ApprovalProof } from '../spawn/request.js';
import { matchesSubject } from './binding.js';
import { shownContent } from './shown.js';
import type { ApprovalRecord, ApprovalRefusal, ApprovalState, ApprovalStore, ApprovalVoice } from './store.js';
import { subjectDigest } from './subjects.js';

/** Names a subject whatever its content. */
export type SubjectName = Pick<ApprovalSubject, 'kind' | 'key'>;

export interface BookSource {
  /** Records of a subject that were not taken back; expired ones may be among them. */
  readonly recordsOf: (name: SubjectName) => readonly ApprovalRecord[];
  /** Whether a subject without a record in force had one once, or may have had one. */
  readonly wasApproved: (name: SubjectName) => boolean;
  /** Unix seconds. */
  readonly now: () => number;
}

/** The answering half of a store. */
export function createBook(source: BookSource): Pick<ApprovalStore, 'state' | 'covers' | 'proofFor' | 'check'> {
  /** The very objects that were given out; one of the same shape is not in here. */
  const proofs = new WeakMap<ApprovalProof, ApprovalSubject>();
  const state = (subject: ApprovalSubject): ApprovalState => {
    const records = source.recordsOf(subject).filter((record) => isInForce(record, source.now()));
    if (records.length === 0) return source.wasApproved(subject) ? 'changed' : 'unapproved';
    const exact = isGenuine(subject) && records.some((record) => record.digest === subject.digest);
    return exact ? 'approved' : 'changed';
  };
  const covers = (subject: ApprovalSubject) => state(subject) === 'approved';
  return {
    state,
    covers,
    proofFor: (subject) => {
      if (!covers(subject)) return null;
      // The brand exists in types alone; what makes a proof is being a key of the map.
      const proof = Object.freeze({}) as unknown as ApprovalProof;
      proofs.set(proof, structuredClone(subject));
      return proof;
    },
    check: (proof, start) => {
      const subject = proofs.get(proof);
      return subject !== undefined && covers(subject) && matchesSubject(subject, start);
    },
  };
}

/** The record of a yes, where what was shown is what would be approved. */
export function recordOf(
  subject: ApprovalSubject,
  shownDigest: string,
  { surface, user, when, expires }: ApprovalVoice,
  kept: ApprovalRecord['kept'],
): Result<ApprovalRecord, ApprovalRefusal> {
  if (!isGenuine(subject)) {
    return fail({
      code: 'not-genuine',
      text: `the digest of ${subject.key} does not belong to its content; nothing was approved; build the request again`,
    });
  }
  if (shownDigest !== subject.digest) {
    return fail({
      code: 'changed-since-shown',
      text: `${subject.key} changed after it was shown; nothing was approved; look at the new content`,
    });
  }
  const { kind, key, digest, title } = subject;
  return ok({ kind, key, digest, title, shown: shownContent(subject), surface, user, when, expires, kept });
}

/** One text for a kind and a key. */
export function nameOf({ kind, key }: { readonly kind: ApprovalSubjectKind; readonly key: string }): string {
  return `${kind}\0${key}`;
}

export function isInForce(record: ApprovalRecord, now: number): boolean {
  return record.expires === null || now < record.expires;
}

/** The digest is the one of the content; a subject that was tampered with is none. */
function isGenuine(subject: ApprovalSubject): boolean {
  const digest = subjectDigest(subject);
  return digest.ok && digest.value === subject.digest;
}

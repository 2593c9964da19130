/**
 * Approvals that are kept in memory until the process ends: for a keychain that cannot be used, and
 * until the signed store is there. It asks nobody; whoever calls `approve` has a person's yes.
 */
import type { ApprovalSubject, ApprovalSubjectKind } from '../../../shared/contracts/approval.js';
import { fail, ok } from '../../../shared/result.js';
import type { ApprovalProof } from '../spawn/request.js';
import { matchesSubject } from './binding.js';
import type { ApprovalRecord, ApprovalState, ApprovalStore } from './store.js';
import { subjectDigest } from './subjects.js';

/** `now` gives Unix seconds, for expiry. */
export function createMemoryApprovals(now: () => number = () => Date.now() / 1_000): ApprovalStore {
  /** Records by key, then by digest: one hook in two workspaces has two digests. */
  const approved = new Map<string, Map<string, ApprovalRecord>>();
  /** The very objects that were given out; one of the same shape is not in here. */
  const proofs = new WeakMap<ApprovalProof, ApprovalSubject>();

  const recordsOf = (subject: Pick<ApprovalSubject, 'kind' | 'key'>) => approved.get(nameOf(subject.kind, subject.key));
  const state = (subject: ApprovalSubject): ApprovalState => {
    const records = [...(recordsOf(subject)?.values() ?? [])].filter((record) => isInForce(record, now()));
    if (records.length === 0) return 'unapproved';
    const exact = isGenuine(subject) && records.some((record) => record.digest === subject.digest);
    return exact ? 'approved' : 'changed';
  };
  const covers = (subject: ApprovalSubject) => state(subject) === 'approved';

  return {
    approve: async (subject, shownDigest, voice) => {
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
      const record: ApprovalRecord = { kind: subject.kind, key: subject.key, digest: subject.digest, ...voice };
      const name = nameOf(subject.kind, subject.key);
      approved.set(name, (approved.get(name) ?? new Map<string, ApprovalRecord>()).set(record.digest, record));
      return ok(record);
    },
    revoke: async (kind, key, digest) => {
      const name = nameOf(kind, key);
      const records = approved.get(name);
      if (records === undefined) return 0;
      if (digest !== undefined) return records.delete(digest) ? 1 : 0;
      approved.delete(name);
      return records.size;
    },
    refresh: async () => undefined,
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
    records: () => [...approved.values()].flatMap((records) => [...records.values()]),
  };
}

function nameOf(kind: ApprovalSubjectKind, key: string): string {
  return `${kind}\0${key}`;
}

function isInForce(record: ApprovalRecord, now: number): boolean {
  return record.expires === null || now < record.expires;
}

/** The digest is the one of the content; a subject that was tampered with is none. */
function isGenuine(subject: ApprovalSubject): boolean {
  const digest = subjectDigest(subject);
  return digest.ok && digest.value === subject.digest;
}

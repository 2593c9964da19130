/**
 * Approvals that are kept in memory until the process ends: for where no keychain may be asked. It
 * asks nobody; whoever calls `approve` has a person's yes.
 */
import { ok } from '../../../shared/result.js';
import { createBook, nameOf, recordOf } from './book.js';
import type { ApprovalRecord, ApprovalStore } from './store.js';

/** `now` gives Unix seconds, for expiry. */
export function createMemoryApprovals(now: () => number = () => Date.now() / 1_000): ApprovalStore {
  /** Records by key, then by digest: one hook in two workspaces has two digests. */
  const approved = new Map<string, Map<string, ApprovalRecord>>();
  const all = () => [...approved.values()].flatMap((records) => [...records.values()]);
  const approve: ApprovalStore['approve'] = async (subject, shownDigest, voice) => {
    const record = recordOf(subject, shownDigest, voice, 'memory');
    if (!record.ok) return record;
    const name = nameOf(subject);
    const records = approved.get(name) ?? new Map<string, ApprovalRecord>();
    // The latest stands last.
    records.delete(subject.digest);
    approved.set(name, records.set(subject.digest, record.value));
    return ok(record.value);
  };
  return {
    ...createBook({
      recordsOf: (subject) => [...(approved.get(nameOf(subject))?.values() ?? [])],
      wasApproved: () => false,
      now,
    }),
    approve,
    approveForNow: approve,
    revoke: async (kind, key, digest) => {
      const name = nameOf({ kind, key });
      const records = approved.get(name);
      if (records === undefined) return 0;
      if (digest !== undefined) return records.delete(digest) ? 1 : 0;
      approved.delete(name);
      return records.size;
    },
    refresh: async () => undefined,
    records: all,
    lastShown: (kind, key) => [...(approved.get(nameOf({ kind, key }))?.values() ?? [])].at(-1)?.shown ?? null,
    status: () => ({ state: 'memory', text: 'Approvals last as long as this process.' }),
  };
}

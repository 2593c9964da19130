import { join } from 'node:path';
import { z } from 'zod';
import { APPROVAL_SUBJECTS, type ApprovalSubject } from '../../../shared/contracts/approval.js';
import { isJsonObject, type JsonObject } from '../../../shared/json.js';
import { subjectDigest } from '../approvals/subjects.js';
import type { ApprovalRecord, ApprovalStore } from '../approvals/store.js';
import type { StateFolder } from '../store/layout.js';
import { openJsonFile } from './json-file.js';

const seenSchema = z.strictObject({
  kind: z.enum(APPROVAL_SUBJECTS),
  key: z.string(),
  digest: z.string(),
  title: z.string(),
  content: z.custom<JsonObject>(isJsonObject),
});
type Seen = z.infer<typeof seenSchema>;

/**
 * What was on the screen when something was approved, for titles and for diffs against a change. It is
 * no approval: the store alone says what is approved, and a content counts here only when its digest fits.
 */
export interface SeenSubjects {
  readonly load: () => Promise<void>;
  /** Null, or what was wrong with the file, in words. */
  readonly notice: () => string | null;
  readonly remember: (subject: ApprovalSubject) => Promise<void>;
  readonly titleOf: (record: Pick<ApprovalRecord, 'kind' | 'key' | 'digest'>) => string;
  /** The content that was last approved under the key of this subject; null when it is not known. */
  readonly before: (subject: ApprovalSubject) => JsonObject | null;
}

const MOST = 200;

/** Keeps them in `seen-subjects.json` of the state folder; the oldest go. */
export function openSeenSubjects(state: StateFolder, approvals: ApprovalStore): SeenSubjects {
  const schema = z.strictObject({ schema_version: z.literal(1), subjects: z.array(seenSchema) });
  const file = openJsonFile(join(state.dir, 'seen-subjects.json'), schema, { schema_version: 1, subjects: [] });
  let subjects: readonly Seen[] = [];
  const find = (digest: string) => subjects.find((one) => one.digest === digest);
  return {
    load: async () => {
      subjects = (await file.get()).subjects.filter(isGenuine);
    },
    remember: async ({ kind, key, digest, title, content }) => {
      const one = { kind, key, digest, title, content };
      const { subjects: next } = await file.set((now) => ({
        ...now,
        subjects: [...now.subjects.filter((other) => other.digest !== digest), one].slice(-MOST),
      }));
      subjects = next.filter(isGenuine);
    },
    notice: file.notice,
    titleOf: ({ digest, key }) => find(digest)?.title ?? key,
    before: ({ kind, key, digest }) => {
      const approved = approvals
        .records()
        .filter((record) => record.kind === kind && record.key === key && record.digest !== digest)
        .toSorted((a, b) => b.when - a.when);
      for (const record of approved) {
        const seen = find(record.digest);
        if (seen !== undefined) return seen.content;
      }
      return null;
    },
  };
}

function isGenuine(seen: Seen): boolean {
  const digest = subjectDigest(seen);
  return digest.ok && digest.value === seen.digest;
}

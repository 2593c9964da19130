/**
 * What a person saw, in the form in which it is kept and compared. Values of variables may be
 * secrets: they are told apart, not kept.
 */
import { createHash } from 'node:crypto';
import { diffArrays } from 'diff';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { isJsonObject, type JsonObject } from '../../../shared/json.js';

/** The content of a subject without the values of its variables. */
export function shownContent({ content }: Pick<ApprovalSubject, 'content'>): JsonObject {
  const { handler } = content;
  if (!isJsonObject(handler) || !isJsonObject(handler['env'])) return content;
  return { ...content, handler: { ...handler, env: masked(handler['env']) } };
}

/** Sixteen bits of a digest: enough to see that a value changed, far too few to find it by trying. */
function masked(env: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      `(a value, not kept; mark ${createHash('sha256')
        .update(`${name}=${JSON.stringify(value)}`)
        .digest('hex')
        .slice(0, 4)})`,
    ]),
  );
}

export interface SubjectDiffLine {
  readonly side: 'same' | 'old' | 'new';
  readonly text: string;
}

/** Most differing lines and most time (milliseconds) that go into a comparison. */
const BOUNDS = { maxEditLength: 1_000, timeout: 250 };

/** The lines of what was approved before and of what is there now, with their sides. Texts are exact, not yet safe to show. */
export function diffSubjects(before: JsonObject, now: Pick<ApprovalSubject, 'content'>): readonly SubjectDiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(shownContent(now))];
  const side = (name: 'old' | 'new') => (text: string) => ({ side: name, text });
  const parts = diffArrays(old, fresh, BOUNDS);
  if (parts === undefined) return [...old.map(side('old')), ...fresh.map(side('new'))];
  return parts.flatMap(({ added, removed, value }) =>
    value.map((text): SubjectDiffLine => ({ side: added ? 'new' : removed ? 'old' : 'same', text })),
  );
}

function linesOf(content: JsonObject): string[] {
  return JSON.stringify(content, null, 2).split('\n');
}

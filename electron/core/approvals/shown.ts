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

export interface SubjectText {
  readonly path: string;
  /** Exact lines, not yet safe to show; null when it is no text or too long to be shown. */
  readonly lines: readonly string[] | null;
}

/** What stands in the files of a subject that is about what they say. */
export function subjectTexts({ content }: Pick<ApprovalSubject, 'content'>): readonly SubjectText[] {
  return textsIn(content);
}

/** Empty for a subject that is about something to start: its files have no `lines`. */
function textsIn(content: JsonObject): (SubjectText & { readonly digest: string })[] {
  const list = (name: string) => (Array.isArray(content[name]) ? content[name].filter(isJsonObject) : []);
  return [...list('files'), ...list('parts')]
    .filter((one) => one['lines'] !== undefined)
    .map((one) => ({
      path: textAt(one, 'path') || textAt(one, 'of'),
      digest: textAt(one, 'digest'),
      lines: Array.isArray(one['lines']) ? one['lines'].map(String) : null,
    }));
}

function textAt(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
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
  const texts = textsIn(content);
  if (texts.length === 0) return JSON.stringify(content, null, 2).split('\n');
  // Lines of files are read as they stand there, not as JSON writes them.
  return texts.flatMap(({ path, digest, lines }) => [path, digest, ...(lines ?? []).map((line) => `  ${line}`), '']);
}

import { createHash } from 'node:crypto';
import type { SubjectView } from '../../../shared/bridge/views.js';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { isJsonObject, type JsonObject } from '../../../shared/json.js';
import type { ApprovalState } from '../approvals/store.js';
import { diffLines } from './line-diff.js';

/** A subject as a window shows it. Its texts are exact; the window makes them visible (shared/visible-text.ts). */
export function subjectView(subject: ApprovalSubject, state: ApprovalState, before: JsonObject | null): SubjectView {
  return {
    kind: subject.kind,
    key: subject.key,
    title: subject.title,
    argv: [...subject.argv],
    program: subject.program,
    envNames: [...subject.envNames],
    cwd: subject.cwd,
    files: subject.files.map((file) => ({ ...file })),
    notCovered: [...subject.notCovered],
    digest: subject.digest,
    state,
    diff: state === 'changed' ? diffOf(before, subject.content) : [],
  };
}

function diffOf(before: JsonObject | null, after: JsonObject): SubjectView['diff'] {
  if (before === null) return [{ side: 'old', text: 'what was approved before is not known here any more' }];
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines = diffLines(old, now);
  if (lines !== null) return [...lines];
  const side = (name: 'old' | 'new') => (text: string) => ({ side: name, text });
  return [...old.map(side('old')), ...now.map(side('new'))];
}

/** The hashed content line by line. Values of variables may be secrets: they are told apart, not shown. */
function linesOf(content: JsonObject): readonly string[] {
  const { handler } = content;
  const shown =
    isJsonObject(handler) && isJsonObject(handler['env'])
      ? { ...content, handler: { ...handler, env: masked(handler['env']) } }
      : content;
  return JSON.stringify(shown, null, 2).split('\n');
}

function masked(env: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      `(a value; sha256 ${createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12)}…)`,
    ]),
  );
}

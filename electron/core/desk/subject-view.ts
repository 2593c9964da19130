import type { SubjectView } from '../../../shared/bridge/views.js';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { JsonObject } from '../../../shared/json.js';
import { diffSubjects, subjectTexts } from '../approvals/shown.js';
import type { ApprovalState } from '../approvals/store.js';

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
    texts: subjectTexts(subject).map(({ path, lines }) => ({ path, lines: lines === null ? null : [...lines] })),
    notCovered: [...subject.notCovered],
    digest: subject.digest,
    state,
    diff: state === 'changed' ? diffOf(before, subject) : [],
  };
}

function diffOf(before: JsonObject | null, subject: ApprovalSubject): SubjectView['diff'] {
  if (before === null) return [{ side: 'old', text: 'what was approved before is not known here any more' }];
  return diffSubjects(before, subject).map((line) => ({ ...line }));
}

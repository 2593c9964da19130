/** What is asked about, as lines for a terminal. Job: show all of it, and nothing that the eye cannot see. */
import type { ApprovalSubject, ApprovalSubjectKind } from '../../../shared/contracts/approval.js';
import { visibleText } from '../../../shared/visible-text.js';
import { diffSubjects, subjectTexts } from '../../core/approvals/shown.js';
import type { ApprovalStore } from '../../core/approvals/store.js';

/** A text from outside on one line, with a warning where it holds what the eye cannot see. */
export function shown(text: string): string {
  const { text: safe, flags } = visibleText(text);
  // Blank space would push what matters off the screen.
  const tight = safe.replace(/ {8,}/g, (run) => `[${run.length} spaces]`);
  const all = tight === safe ? flags : [...flags, 'long runs of spaces'];
  return all.length === 0 ? tight : `${tight}   <- careful: ${all.join(', ')}`;
}

/** A digest in groups of four, in full. */
export function groupedDigest(digest: string): string {
  const [algorithm = '', hex = ''] = digest.split(':');
  return `${algorithm}: ${hex.match(/.{1,4}/g)?.join(' ') ?? hex}`;
}

/** Everything that a person approves, one argument a line. */
export function describeSubject(subject: ApprovalSubject): string {
  const rows = [
    shown(subject.title),
    ...subject.argv.map((token, index) => `  argument ${index}   ${shown(token)}`),
    ...(subject.argv.length === 0 ? [] : [`  program      ${shown(subject.program)}`]),
    `  ${subject.argv.length === 0 ? 'workspace  ' : 'runs in    '}  ${shown(subject.cwd)}`,
    ...(subject.envNames.length > 0 ? [`  environment  ${subject.envNames.map(shown).join(', ')}`] : []),
    ...subject.files.map(
      (file) =>
        `  ${subject.argv.length === 0 ? 'file  ' : 'script'}       ${shown(file.path)}  ${groupedDigest(file.digest)}`,
    ),
    ...subjectTexts(subject).flatMap(({ path, lines }) => [
      `  in ${shown(path)}`,
      ...(lines === null
        ? ['    | no text that can be shown, or too long: look at the file itself']
        : lines.map((line) => `    | ${shown(line)}`)),
    ]),
    ...subject.notCovered.map((text) => `  not covered  ${shown(text)}`),
    `  digest       ${groupedDigest(subject.digest)}`,
  ];
  return `${rows.join('\n')}\n`;
}

/** What is different from what was approved before; empty where this was never approved, or is. */
export function describeChange(store: Pick<ApprovalStore, 'state' | 'lastShown'>, subject: ApprovalSubject): string {
  if (store.state(subject) !== 'changed') return '';
  const before = store.lastShown(subject.kind, subject.key);
  if (before === null) return 'It may have been approved before; what was kept of that cannot be believed.\n';
  const changed = diffSubjects(before, subject).filter((line) => line.side !== 'same');
  if (changed.length === 0) return 'Exactly this was approved before; that was taken back, or its time is over.\n';
  const lines = changed.map((line) => `  ${line.side === 'old' ? '-' : '+'} ${shown(line.text)}`);
  return `It CHANGED since you approved it (- before, + now):\n${lines.join('\n')}\n`;
}

/** The short name of a subject for commands: its key without its kind, such as `global::guard` or an agent's name. */
export function subjectId({ kind, key }: { readonly kind: ApprovalSubjectKind; readonly key: string }): string {
  return key.startsWith(`${kind} `) ? key.slice(kind.length + 1) : key;
}

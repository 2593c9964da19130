/** `sallyport approvals list|pending|show`. Job: show what is approved and what waits. It approves nothing. */
import type { StateFolder } from '../../core/store/layout.js';
import { EXIT, type CommandContext } from '../context.js';
import { describeChange, describeSubject, groupedDigest, shown, subjectId } from '../terminal/subject-text.js';
import type { SignedApprovals } from '../../core/approvals/signed-store.js';
import type { ApprovalRecord } from '../../core/approvals/store.js';
import { findKey, findSubject, findSubjects, type SubjectOptions } from './approvals-subjects.js';

/** `approvals list`: what is in force; exit 4 where that cannot be told. */
export function listApprovals(context: CommandContext, store: SignedApprovals): number {
  const status = store.status();
  const records = store.records();
  if (context.json) {
    const approvals = records.map((record) => ({ id: subjectId(record), ...record }));
    context.out(`${JSON.stringify({ schema_version: 1, status, approvals }, null, 2)}\n`);
  } else {
    if (status.state !== 'ready') context.err(`sallyport: ${status.text}\n`);
    else if (records.length === 0) context.out('nothing is approved\n');
    for (const record of records) context.out(describeRecord(record));
  }
  return status.state === 'ready' ? EXIT.fine : EXIT.environment;
}

function describeRecord(record: ApprovalRecord): string {
  const when = new Date(record.when * 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
  const until = record.expires === null ? '' : `, until ${new Date(record.expires * 1_000).toISOString()}`;
  return (
    `${shown(subjectId(record))}  (${record.kind})\n  ${shown(record.title)}\n` +
    `  approved ${when} by ${shown(record.user)} (${record.surface})${until}\n  digest   ${groupedDigest(record.digest)}\n`
  );
}

/** `approvals pending`: what the next runs would ask about. */
export async function pendingApprovals(
  context: CommandContext,
  state: StateFolder,
  store: SignedApprovals,
  options: SubjectOptions,
): Promise<number> {
  const wanted = await findSubjects(context, state, options);
  if (!wanted.ok) {
    context.err(`sallyport: ${wanted.error}\n`);
    return EXIT.usage;
  }
  const pending = wanted.value.subjects.map(({ subject }) => subject).filter((subject) => !store.covers(subject));
  const { notices } = wanted.value;
  const status = store.status();
  if (context.json) {
    const list = pending.map((subject) => ({ id: subjectId(subject), state: store.state(subject), ...safe(subject) }));
    context.out(`${JSON.stringify({ schema_version: 1, status, pending: list, notices }, null, 2)}\n`);
    return EXIT.fine;
  }
  if (status.state !== 'ready') context.err(`note     ${status.text}\n`);
  for (const notice of notices) context.err(`note     ${shown(notice)}\n`);
  if (pending.length === 0) context.out('nothing waits for an approval\n');
  for (const subject of pending) {
    context.out(`${describeSubject(subject)}${describeChange(store, subject)}`);
    context.out(`  approve it with: sallyport approvals approve ${subjectId(subject)} --digest ${subject.digest}\n\n`);
  }
  return EXIT.fine;
}

/** Without the content: values of variables are in it. */
function safe<T extends { readonly content: unknown }>({ content: _, ...rest }: T): Omit<T, 'content'> {
  return rest;
}

/** `approvals show ID`: what it is now, how it stands, and what was approved under its name. */
export async function showApproval(
  context: CommandContext,
  state: StateFolder,
  store: SignedApprovals,
  id: string,
  options: SubjectOptions,
): Promise<number> {
  const wanted = await findSubjects(context, state, options);
  const present = wanted.ok ? findSubject(wanted.value.subjects, id) : wanted;
  const named = findKey(store.records(), id);
  if (!present.ok || !named.ok) {
    context.err(`sallyport: ${present.ok ? (named as { error: string }).error : present.error}\n`);
    return EXIT.usage;
  }
  const subject = present.value?.subject ?? null;
  const key = subject?.key ?? named.value?.key;
  const records = store.records().filter((record) => record.key === key);
  const status = store.status();
  if (subject === null && records.length === 0) {
    context.err(
      `sallyport: nothing is called ${JSON.stringify(id)}; see: sallyport approvals list, approvals pending\n`,
    );
    return EXIT.no;
  }
  if (context.json) {
    const now = subject === null ? null : { id: subjectId(subject), state: store.state(subject), ...safe(subject) };
    context.out(`${JSON.stringify({ schema_version: 1, status, now, approvals: records }, null, 2)}\n`);
    return EXIT.fine;
  }
  if (status.state !== 'ready') context.err(`note     ${status.text}\n`);
  if (subject !== null) {
    context.out(`${describeSubject(subject)}${describeChange(store, subject)}`);
    context.out(`  state        ${store.state(subject)}\n`);
  }
  for (const record of records) context.out(describeRecord(record));
  return EXIT.fine;
}

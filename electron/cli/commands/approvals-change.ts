/** `sallyport approvals approve|revoke`. Job: carry a person's word to the store, for exactly what was shown. */
import { userInfo } from 'node:os';
import type { ApprovalSubject, ApprovalSubjectKind } from '../../../shared/contracts/approval.js';
import type { SignedApprovals } from '../../core/approvals/signed-store.js';
import type { ToApprove } from '../../core/runs/preflight.js';
import type { StateFolder } from '../../core/store/layout.js';
import { keepsApprovals } from '../approval-store.js';
import { EXIT, type CommandContext } from '../context.js';
import { askTrust } from '../terminal/prompts.js';
import { describeChange, describeSubject, subjectId } from '../terminal/subject-text.js';
import type { Terminal } from '../terminal/terminal.js';
import { findKey, findSubject, findSubjects, type SubjectOptions } from './approvals-subjects.js';

export interface ApproveOptions extends SubjectOptions {
  /** What the person saw; without it the person is asked. */
  readonly digest?: string;
  readonly kind?: ApprovalSubjectKind;
}

/** A digest as it is written out; anything shorter is not what a decision is made by. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** `approvals approve ID [--digest D]`; exit 9 where the content is not the one that was shown. */
export async function approveSubject(
  context: CommandContext,
  state: StateFolder,
  store: SignedApprovals,
  terminal: Terminal | null,
  id: string,
  options: ApproveOptions,
): Promise<number> {
  if (!keepsApprovals(store)) return notKept(context, store);
  const wanted = await findSubjects(context, state, options);
  const found = wanted.ok
    ? findSubject(
        wanted.value.subjects.filter(({ subject }) => subject.kind === (options.kind ?? subject.kind)),
        id,
      )
    : wanted;
  if (!found.ok || found.value === null) {
    const why = found.ok
      ? `nothing that wants an approval is called ${JSON.stringify(id)}; see: sallyport approvals pending`
      : found.error;
    context.err(`sallyport: ${why}\n`);
    for (const notice of wanted.ok ? wanted.value.notices : []) context.err(`note     ${notice}\n`);
    return found.ok ? EXIT.no : EXIT.usage;
  }
  const { subject } = found.value;
  if (options.digest !== undefined && options.digest !== subject.digest) return changed(context, store, subject);
  if (store.covers(subject)) {
    context.out(`${subject.title} is approved already, exactly as it is\n`);
    return EXIT.fine;
  }
  if (options.digest === undefined) {
    const refused = await ask(context, store, terminal, found.value);
    if (refused !== null) return refused;
  }
  return keep(context, store, subject);
}

/** Null for a yes to what is still there; else the exit code. */
async function ask(
  context: CommandContext,
  store: SignedApprovals,
  terminal: Terminal | null,
  { subject, again }: ToApprove,
): Promise<number | null> {
  const change = describeChange(store, subject);
  if (terminal === null) {
    context.err(`There is no terminal to ask at. This would be approved:\n${describeSubject(subject)}${change}`);
    context.err(`If it is what you want to run, add --digest ${subject.digest}\n`);
    return EXIT.refused;
  }
  const withdrawn = new AbortController().signal;
  if (!(await askTrust(terminal, subject, { change, kept: true, withdrawn }))) {
    context.out('not approved\n');
    return EXIT.no;
  }
  const now = await again();
  if (!now.ok) {
    context.err(`sallyport: it cannot be approved as it is now: ${now.error}\n`);
    return EXIT.no;
  }
  return now.value.digest === subject.digest ? null : changed(context, store, now.value);
}

async function keep(context: CommandContext, store: SignedApprovals, subject: ApprovalSubject): Promise<number> {
  const voice = { surface: 'command', user: userInfo().username, when: Date.now() / 1_000, expires: null } as const;
  const record = await store.approve(subject, subject.digest, voice);
  if (!record.ok) return changed(context, store, subject);
  if (record.value.kept !== 'signed') return notKept(context, store);
  context.out(`approved ${subject.title}\n`);
  context.out(`         to take it back: sallyport approvals revoke ${subjectId(subject)}\n`);
  return EXIT.fine;
}

function changed(context: CommandContext, store: SignedApprovals, subject: ApprovalSubject): number {
  context.err('sallyport: this is not what was shown, so nothing was approved. It is now:\n');
  context.err(`${describeSubject(subject)}${describeChange(store, subject)}`);
  context.err(`If this is what you want to run, approve it by --digest ${subject.digest}\n`);
  return EXIT.changed;
}

function notKept(context: CommandContext, store: SignedApprovals): number {
  context.err(`sallyport: nothing was changed, since it could not be kept. ${store.status().text}\n`);
  return EXIT.environment;
}

/** `approvals revoke ID [--digest D]`. */
export async function revokeSubject(
  context: CommandContext,
  store: SignedApprovals,
  id: string,
  { digest }: { readonly digest?: string },
): Promise<number> {
  if (!keepsApprovals(store)) return notKept(context, store);
  const named = findKey(store.records(), id);
  if (!named.ok) {
    context.err(`sallyport: ${named.error}\n`);
    return EXIT.usage;
  }
  const gone = named.value === null ? 0 : await store.revoke(named.value.kind, named.value.key, digest);
  if (gone === 0) {
    context.err(`sallyport: no such approval is in force; see: sallyport approvals list\n`);
    return EXIT.no;
  }
  if (!keepsApprovals(store)) return notKept(context, store);
  context.out(`revoked  ${gone} approval(s) of ${id}; running sessions hold to it from their next boundary on\n`);
  return EXIT.fine;
}

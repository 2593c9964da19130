import { userInfo } from 'node:os';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { ApprovalStore } from '../approvals/store.js';
import type { ApprovalProof } from '../spawn/request.js';
import type { ToApprove } from './preflight.js';
import type { LaunchRequest, LaunchServices, TrustAnswer } from './request.js';

export type TrustResult =
  | {
      readonly trusted: true;
      readonly agent: ApprovalProof;
      /** Of the agent's program as it was approved, which may be another file than the one first looked at. */
      readonly agentDigest: string;
      readonly notices: readonly string[];
      /** The workspace's own configuration, where a person approved exactly it. */
      readonly workspaceConfig: ApprovalSubject | null;
      /** What somebody said yes to, now or before: the run relies on these. */
      readonly approved: readonly ApprovalSubject[];
    }
  | { readonly trusted: false; readonly reason: string };

type TrustServices = Pick<LaunchServices, 'approvals' | 'trust' | 'surface' | 'now'>;

/**
 * Asks for every executable thing that was not approved as exactly this. Without a yes to the agent's
 * program there is no run; a hook to which a person says no is left out and named. Where there is
 * nobody to ask, or nobody answers, nothing is left out behind the user's back: the run is refused.
 */
export async function askForTrust(
  request: LaunchRequest,
  services: TrustServices,
  subjects: readonly ToApprove[],
  withdrawn: AbortSignal,
): Promise<TrustResult> {
  const [first, ...others] = subjects;
  if (first === undefined) throw new Error('preflight named no agent program');
  await services.approvals.refresh();
  // A built-in agent is part of this program, which the person started; that is nothing to be kept.
  if (request.adapter.programNames === null) await keep(services, first.subject, services.approvals.approveForNow);
  let agent = first.subject;
  let workspaceConfig: ApprovalSubject | null = null;
  const refused: ApprovalSubject[] = [];
  const approved: ApprovalSubject[] = [];
  const unasked: ApprovalSubject[] = [];
  for (const one of [first, ...others]) {
    const said = await askOne(services, one, withdrawn);
    if (said.answer === 'unanswered') return no(`${said.why}: ${one.subject.title}`);
    if (said.answer === 'nobody') unasked.push(one.subject);
    if (said.answer === 'yes') approved.push(said.subject);
    if (said.answer === 'yes' && one === first) agent = said.subject;
    if (said.answer === 'yes' && one.subject.kind === 'workspace-agent-config') workspaceConfig = said.subject;
    if (said.answer !== 'no') continue;
    if (one === first)
      return no(
        `the program of ${request.adapter.title} was not approved (${one.subject.program}, ${one.subject.digest})`,
      );
    refused.push(one.subject);
  }
  if (unasked.length > 0) {
    const names = unasked.map((subject) => subject.title).join('; ');
    return no(
      `nobody could be asked for the approval of: ${names}. Run it from a terminal, or approve each by its digest`,
    );
  }
  const proof = services.approvals.proofFor(agent);
  if (proof === null) return no('the approval of the agent program could not be kept');
  // What was approved once and changed is a failure where it blocks, not nothing (engine/handlers/command.ts).
  const notices = refused.map((subject) =>
    services.approvals.state(subject) === 'changed' && subject.kind === 'hook-argv'
      ? `${subject.title} changed since it was approved, and was not approved again: where it blocks it has failed, as its failure policy says`
      : `${subject.title} was not approved, so it is left out of this run`,
  );
  return { trusted: true, agent: proof, agentDigest: programDigest(agent), notices, workspaceConfig, approved };
}

function no(reason: string): TrustResult {
  return { trusted: false, reason };
}

/** The first file of an agent's subject is its program. */
function programDigest({ files }: ApprovalSubject): string {
  const [program] = files;
  if (program === undefined) throw new Error('the subject of an agent names no program file');
  return program.digest;
}

/** How often something may change between the question and the answer before it is taken for a no. */
const MAX_CHANGES = 5;

/** A yes counts for what is there when it was given: what changed meanwhile is asked about again. */
async function askOne(services: TrustServices, one: ToApprove, withdrawn: AbortSignal): Promise<TrustAnswer> {
  let { subject } = one;
  for (let asked = 0; asked < MAX_CHANGES; asked += 1) {
    if (services.approvals.covers(subject)) return { answer: 'yes', subject };
    if (withdrawn.aborted) return { answer: 'no' };
    const said = await services.trust({ subject, again: one.again, withdrawn });
    if (said.answer !== 'yes') return said;
    const now = await one.again();
    if (!now.ok) return { answer: 'no' };
    if (now.value.digest === said.subject.digest) {
      await keep(services, said.subject, services.approvals.approve);
      return said;
    }
    subject = now.value;
  }
  return { answer: 'no' };
}

async function keep(
  { surface, now }: TrustServices,
  subject: ApprovalSubject,
  approve: ApprovalStore['approve'],
): Promise<void> {
  const voice = { surface, user: userInfo().username, when: now(), expires: null } as const;
  const kept = await approve(subject, subject.digest, voice);
  if (!kept.ok) throw new Error(kept.error.text);
}

import { userInfo } from 'node:os';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { ApprovalProof } from '../spawn/request.js';
import type { LaunchRequest, LaunchServices, TrustAnswer } from './request.js';

export type TrustResult =
  | { readonly trusted: true; readonly agent: ApprovalProof; readonly notices: readonly string[] }
  | { readonly trusted: false; readonly reason: string };

/**
 * Asks for every executable thing that was not approved as exactly this. Without a yes to the agent's
 * program there is no run; a hook to which a person says no is left out and named. Where there is
 * nobody to ask, nothing is left out behind the user's back: the run is refused, all of it named.
 */
export async function askForTrust(
  request: LaunchRequest,
  services: LaunchServices,
  subjects: readonly ApprovalSubject[],
  withdrawn: AbortSignal,
): Promise<TrustResult> {
  const { approvals } = services;
  const [agent, ...hooks] = subjects;
  if (agent === undefined) throw new Error('preflight named no agent program');
  // A built-in agent is part of this program, which the person started.
  if (request.adapter.programNames === null) await approve(services, agent);
  const refused: ApprovalSubject[] = [];
  const unasked: ApprovalSubject[] = [];
  for (const subject of [agent, ...hooks]) {
    const said = await askOne(services, subject, withdrawn);
    if (said === 'nobody') unasked.push(subject);
    if (said === 'no') refused.push(subject);
    if (refused.includes(agent)) break;
  }
  if (refused.includes(agent)) {
    return no(`the program of ${request.adapter.title} was not approved (${agent.program}, ${agent.digest})`);
  }
  if (unasked.length > 0) {
    const names = unasked.map((subject) => subject.title).join('; ');
    return no(
      `nobody could be asked for the approval of: ${names}. Run it from a terminal, or approve each by its digest`,
    );
  }
  const proof = approvals.proofFor(agent);
  if (proof === null) return no('the approval of the agent program could not be kept');
  const notices = refused.map((subject) => `${subject.title} was not approved, so it is left out of this run`);
  return { trusted: true, agent: proof, notices };
}

function no(reason: string): TrustResult {
  return { trusted: false, reason };
}

async function askOne(
  services: LaunchServices,
  subject: ApprovalSubject,
  withdrawn: AbortSignal,
): Promise<TrustAnswer> {
  if (services.approvals.covers(subject)) return 'yes';
  if (withdrawn.aborted) return 'no';
  const said = await services.trust(subject, withdrawn);
  if (said === 'yes') await approve(services, subject);
  return said;
}

async function approve({ approvals, now }: LaunchServices, subject: ApprovalSubject): Promise<void> {
  const voice = { surface: 'terminal', user: userInfo().username, when: now(), expires: null } as const;
  const kept = await approvals.approve(subject, subject.digest, voice);
  if (!kept.ok) throw new Error(kept.error.text);
}

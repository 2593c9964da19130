import { userInfo } from 'node:os';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { ApprovalProof } from '../spawn/request.js';
import type { LaunchRequest, LaunchServices } from './request.js';

export type TrustResult =
  | { readonly trusted: true; readonly agent: ApprovalProof; readonly notices: readonly string[] }
  | { readonly trusted: false; readonly reason: string };

/**
 * Asks for every executable thing that was not approved as exactly this. Without a yes to the agent's
 * program there is no run; a hook without one is left out and named.
 */
export async function askForTrust(
  request: LaunchRequest,
  services: LaunchServices,
  subjects: readonly ApprovalSubject[],
  withdrawn: AbortSignal,
): Promise<TrustResult> {
  const { approvals, trust } = services;
  const notices: string[] = [];
  const [agent, ...hooks] = subjects;
  if (agent === undefined) throw new Error('preflight named no agent program');
  // A built-in agent is part of this program, which the person started.
  const builtIn = request.adapter.programNames === null;
  if (!approvals.covers(agent) && !builtIn && !(await trust(agent, withdrawn))) {
    return {
      trusted: false,
      reason: `the program of ${request.adapter.title} was not approved (${agent.program}, ${agent.digest})`,
    };
  }
  await approve(services, agent);
  for (const subject of hooks) {
    if (approvals.covers(subject)) continue;
    if (withdrawn.aborted) break;
    if (await trust(subject, withdrawn)) await approve(services, subject);
    else notices.push(`${subject.title} was not approved, so it is left out of this run`);
  }
  const proof = approvals.proofFor(agent);
  if (proof === null) return { trusted: false, reason: 'the approval of the agent program could not be kept' };
  return { trusted: true, agent: proof, notices };
}

async function approve({ approvals, now }: LaunchServices, subject: ApprovalSubject): Promise<void> {
  const voice = { surface: 'terminal', user: userInfo().username, when: now(), expires: null } as const;
  const kept = await approvals.approve(subject, subject.digest, voice);
  if (!kept.ok) throw new Error(kept.error.text);
}

/**
 * The configuration that the workspace brings for its agent: left out, unless it was asked for and a person approved
 * exactly it. What is read again by the agent while the run lives is compared at the end.
 */
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { workspaceSubject } from '../approvals/workspace-subject.js';
import { preflightReader } from './agent-program.js';
import type { LaunchRequest, TrustQuestion } from './request.js';

type Wanted = Pick<LaunchRequest, 'adapter' | 'profile' | 'workspace' | 'workspaceConfig'>;

/** What a person would be asked; null where nothing is brought, or it was not asked for. */
export async function workspaceConfigSubject(
  request: Wanted,
  env: Readonly<Record<string, string>>,
): Promise<Result<Omit<TrustQuestion, 'withdrawn'> | null, string>> {
  const capability = request.adapter.workspaceConfig;
  if (request.workspaceConfig === 'exclude') return ok(null);
  if (capability === undefined) return fail(`${request.adapter.title} cannot be let take it in`);
  const look = () =>
    workspaceSubject({
      agent: request.adapter.name,
      title: request.adapter.title,
      workspace: request.workspace,
      roots: capability.roots,
      parts: capability.parts(preflightReader(request, env)),
    });
  const again = async (): Promise<Result<ApprovalSubject, string>> => {
    const now = await look();
    if (!now.ok) return now;
    return now.value === null ? fail('it is not there any more') : ok(now.value);
  };
  const subject = await look();
  if (!subject.ok) return subject;
  return ok(subject.value === null ? null : { subject: subject.value, again });
}

/** Whether the workspace still brings exactly what was approved. */
export async function isStillApproved(
  request: Wanted,
  env: Readonly<Record<string, string>>,
  approved: ApprovalSubject,
): Promise<boolean> {
  const now = await workspaceConfigSubject(request, env);
  return now.ok && now.value?.subject.digest === approved.digest;
}

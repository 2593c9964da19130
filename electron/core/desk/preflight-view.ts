import type { PreflightView, SubjectView } from '../../../shared/bridge/views.js';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { newId } from '../../../shared/ids.js';
import { findRouteGaps } from '../compiler/gaps.js';
import { loadRegistry } from '../registry/registry.js';
import { knownVersion, type LookServices } from '../runs/agent-program.js';
import { closesRoutes, survey } from '../runs/preflight.js';
import type { LaunchRequest } from '../runs/request.js';

/** A launch as it would be, before anybody said Launch. Starts neither the agent nor a hook. */
export async function preflightView(
  request: LaunchRequest,
  services: LookServices & { readonly stateDir: string },
  show: (subject: ApprovalSubject) => SubjectView,
): Promise<PreflightView> {
  const { adapter, profile, sessionHooks } = request;
  const snapshot = loadRegistry({ stateDir: services.stateDir, profile: profile.name, sessionDocuments: sessionHooks });
  const found = await survey(request, services, snapshot, newId('run'));
  const version = found.agent === null ? null : knownVersion(adapter, found.agent.digest);
  const judged = version === null ? null : adapter.judgeVersion(version);
  const leftOut = new Set(found.gaps.filter((gap) => gap.effect === 'left_out').map((gap) => gap.hookKey));
  const notices = [...found.notices];
  if (found.agent !== null && version === null && adapter.programNames !== null) {
    notices.push(
      `this file of ${adapter.title} was not measured; its version is asked once you approved it, and may refuse the run`,
    );
  }
  if (judged?.verdict === 'unmeasured') notices.push(judged.note);
  return {
    refused:
      found.refusal?.reason ??
      (judged?.verdict === 'refused' ? `${adapter.title} ${version ?? ''} is refused: ${judged.reason}` : null),
    agent: adapter.title,
    program: found.agent?.program ?? null,
    gaps: [...found.gaps, ...findRouteGaps(adapter, version, closesRoutes(request, snapshot))].map(
      ({ kind, what, why, effect }) => ({
        kind,
        what,
        why,
        effect,
      }),
    ),
    // What is asked about as a whole is not named as left out, too.
    foreign: found.foreign
      .filter(({ kind }) => kind !== 'workspace-config' || !asksForConfig(found.subjects))
      .map((finding) => ({ ...finding })),
    // A built-in agent is part of this program: nobody is asked about it.
    subjects: found.subjects.slice(adapter.programNames === null ? 1 : 0).map(({ subject }) => show(subject)),
    notices,
    hooks: snapshot.listing
      .filter(({ hook, state }) => state === 'active' && !leftOut.has(hook.key))
      .map(({ hook: { id, scope, point } }) => ({ id, scope, point })),
    registryVersion: snapshot.version,
  };
}

function asksForConfig(subjects: readonly { readonly subject: ApprovalSubject }[]): boolean {
  return subjects.some(({ subject }) => subject.kind === 'workspace-agent-config');
}

/** The answer where there is nothing to look at. */
export function refusedPreflight(why: string): PreflightView {
  return {
    refused: why,
    agent: '',
    program: null,
    gaps: [],
    foreign: [],
    subjects: [],
    notices: [],
    hooks: [],
    registryVersion: '',
  };
}

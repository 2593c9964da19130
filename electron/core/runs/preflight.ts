import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { ForeignFinding } from '../agents/contract.js';
import { hookSubject } from '../approvals/subjects.js';
import { findGaps, type Gap } from '../compiler/gaps.js';
import type { Snapshot } from '../registry/snapshot.js';
import { agentSubject, findAgent, inspectForeign, type AgentProgram, type LookServices } from './agent-program.js';
import { workspaceConfigSubject } from './workspace-config.js';
import type { LaunchRequest, LaunchServices, TrustQuestion } from './request.js';

/** Something executable that needs a person's yes. */
export type ToApprove = Omit<TrustQuestion, 'withdrawn'>;

export interface Preflight {
  readonly agent: AgentProgram;
  readonly gaps: readonly Gap[];
  readonly foreign: readonly ForeignFinding[];
  /** Everything executable that needs a person's yes, the agent's program first; built-in agents need none. */
  readonly subjects: readonly ToApprove[];
  readonly notices: readonly string[];
}

/** Why a run may not start: `denied` by policy or approval, `failed` for what is missing or broken. */
export interface Refusal {
  readonly outcome: 'denied' | 'failed';
  readonly reason: string;
}

/** All that a look at a launch found, also where the launch would be refused. */
export interface Survey extends Omit<Preflight, 'agent'> {
  readonly agent: AgentProgram | null;
  /** The first reason against the launch; null when there is none. */
  readonly refusal: Refusal | null;
}

/**
 * Looks at everything that must be known before a person is asked. Starts nothing: not even the
 * agent's own `--version`, since the program was not approved yet.
 */
export async function preflight(
  request: LaunchRequest,
  services: LookServices,
  snapshot: Snapshot,
  runId: string,
): Promise<Result<Preflight, Refusal>> {
  const { refusal, agent, ...found } = await survey(request, services, snapshot, runId);
  if (refusal !== null) return fail(refusal);
  if (agent === null) throw new Error('a launch without an agent was not refused');
  return ok({ ...found, agent });
}

/** The same look for a person who has not said Launch yet: goes on where a launch would already be refused. */
export async function survey(
  request: LaunchRequest,
  services: LookServices,
  snapshot: Snapshot,
  runId: string,
): Promise<Survey> {
  const notices = [...(request.notices ?? [])];
  const agent = await findAgent(request, services, runId, notices);
  const foreign = agent.ok ? inspectForeign(request, agent.value.env) : [];
  const active = snapshot.listing.filter((one) => one.state === 'active').map((one) => one.hook);
  const gaps = [...findGaps(active, request.adapter), ...rewriteGaps(foreign)];
  const subjects = agent.ok ? await findSubjects(request, services, snapshot, agent.value, notices) : ok([]);
  return {
    agent: agent.ok ? agent.value : null,
    gaps,
    foreign,
    subjects: subjects.ok ? subjects.value : [],
    notices,
    refusal:
      findFault(request, snapshot) ??
      (agent.ok ? null : failed(agent.error)) ??
      findBlocker(request, foreign, gaps) ??
      (subjects.ok ? null : failed(subjects.error)),
  };
}

function denied(reason: string): Refusal {
  return { outcome: 'denied', reason };
}

function failed(reason: string): Refusal {
  return { outcome: 'failed', reason };
}

function findFault({ adapter, profile, bypass }: LaunchRequest, snapshot: Snapshot): Refusal | null {
  if (snapshot.faults.length > 0) {
    const list = snapshot.faults.map((fault) => `${fault.file}: ${fault.path}: ${fault.message}`).join('\n');
    return denied(`the registry has faults, and no run starts without all of its hooks:\n${list}`);
  }
  const refusedArgs = adapter.refuseAgentArgs(profile.agent_args);
  if (refusedArgs.length > 0) return denied(refusedArgs.join('; '));
  return adapter.bypassArgv[bypass] === null ? denied(`${adapter.title} has no bypass level "${bypass}"`) : null;
}

function findBlocker(
  { acceptGaps }: LaunchRequest,
  foreign: readonly ForeignFinding[],
  gaps: readonly Gap[],
): Refusal | null {
  const blocker = foreign.find((finding) => finding.kind === 'refused');
  if (blocker !== undefined) return denied(`${blocker.path}: ${blocker.what}`);
  const refused = gaps.filter((gap) => gap.effect === 'refused');
  if (refused.length > 0) return denied(refused.map((gap) => `${gap.what}: ${gap.why}`).join('; '));
  const unaccepted = gaps.filter((gap) => gap.effect === 'accept');
  if (unaccepted.length === 0 || acceptGaps) return null;
  const list = unaccepted.map((gap) => `${gap.what} (${gap.why})`).join('; ');
  return denied(`${list}. To run without it all the same, accept the gaps (--accept-gaps)`);
}

/** Whether routes past the hooks are to be closed where the agent lets them be: a guard that means every tool must see every call. */
export function closesRoutes({ acceptGaps }: LaunchRequest, snapshot: Snapshot): boolean {
  return !acceptGaps && snapshot.atPoint('tool.before').some((one) => one.hook.mode === 'blocking');
}

/** Hooks of others that can change a call after ours judged it, as gaps that are named. */
export function rewriteGaps(foreign: readonly ForeignFinding[]): readonly Gap[] {
  return foreign
    .filter((finding) => finding.kind === 'rewrite-gap')
    .map((finding): Gap => ({
      kind: 'rewrite',
      hookKey: null,
      what: finding.path,
      why: finding.what,
      effect: 'named',
    }));
}

async function findSubjects(
  request: LaunchRequest,
  services: LookServices,
  snapshot: Snapshot,
  agent: AgentProgram,
  notices: string[],
): Promise<Result<readonly ToApprove[], string>> {
  const again = () => agentSubject(request, agent);
  const program = await again();
  if (!program.ok) return program;
  const subjects: ToApprove[] = [{ subject: program.value, again }];
  const context = { workspace: request.workspace, userEnv: services.userEnv };
  for (const { hook, state } of snapshot.listing) {
    if (state !== 'active' || hook.handler.kind !== 'command') continue;
    const look = async (): Promise<Result<ApprovalSubject, string>> => {
      const subject = await hookSubject(hook, context);
      return subject.ok ? subject : fail(subject.error.text);
    };
    const subject = await look();
    if (subject.ok) subjects.push({ subject: subject.value, again: look });
    else notices.push(`hook ${hook.scope}:${hook.id} cannot run: ${subject.error}`);
  }
  const brought = await workspaceConfigSubject(request, agent.env);
  if (!brought.ok) notices.push(`the workspace's own configuration is left out: ${brought.error}`);
  else if (brought.value !== null) subjects.push(brought.value);
  return ok(subjects);
}

/** Asks the approved program for its version and judges that; null where it does not say. */
export async function checkVersion(
  { adapter }: LaunchRequest,
  services: Pick<LaunchServices, 'seam' | 'state'>,
  agent: AgentProgram,
): Promise<Result<{ version: string | null; note: string | null }, Refusal>> {
  const probe = await services.seam.run({
    purpose: 'probe',
    argv: [agent.program, ...agent.prefix, ...adapter.versionArgv],
    cwd: services.state.dir,
    env: agent.env,
    stdin: 'none',
    timeoutMs: 20_000,
    maxOutputBytes: 65_536,
  });
  if (!probe.ok) return fail(failed(probe.error.text));
  const { exitCode, timedOut, stdout } = probe.value;
  if (exitCode !== 0) {
    const how = timedOut ? 'no answer within 20 s' : `exit code ${exitCode ?? 'none'}`;
    return fail(
      failed(`${agent.program} does not tell its version (${how}); it may be broken. Start it by hand to see why`),
    );
  }
  const version = adapter.parseVersion(stdout.toString('utf8'));
  const judged = adapter.judgeVersion(version);
  if (judged.verdict === 'refused')
    return fail(denied(`${adapter.title} ${version ?? ''} is refused: ${judged.reason}`));
  return ok({ version, note: judged.verdict === 'unmeasured' ? judged.note : null });
}

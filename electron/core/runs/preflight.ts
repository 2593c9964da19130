import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { homedir } from 'node:os';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { AgentAdapter, ForeignFinding, PreflightReader } from '../agents/contract.js';
import { sha256OfFile } from '../approvals/digests.js';
import { agentProgramSubject, hookSubject } from '../approvals/subjects.js';
import { findGaps, type Gap } from '../compiler/gaps.js';
import type { Snapshot } from '../registry/snapshot.js';
import { agentEnvironment } from '../spawn/environment.js';
import { resolveProgram } from '../spawn/programs.js';
import type { LaunchRequest, LaunchServices } from './request.js';

/** The agent's program as it would be started. */
export interface AgentProgram {
  /** Real path. */
  readonly program: string;
  /** Arguments that come before the agent's own (the script of a built-in agent). */
  readonly prefix: readonly string[];
  readonly digest: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Preflight {
  readonly agent: AgentProgram;
  readonly gaps: readonly Gap[];
  readonly foreign: readonly ForeignFinding[];
  /** Everything executable that needs a person's yes, the agent's program first; built-in agents need none. */
  readonly subjects: readonly ApprovalSubject[];
  readonly notices: readonly string[];
}

/** Why a run may not start: `denied` by policy or approval, `failed` for what is missing or broken. */
export interface Refusal {
  readonly outcome: 'denied' | 'failed';
  readonly reason: string;
}

/**
 * Looks at everything that must be known before a person is asked. Starts nothing: not even the
 * agent's own `--version`, since the program was not approved yet.
 */
export async function preflight(
  request: LaunchRequest,
  services: LaunchServices,
  snapshot: Snapshot,
  runId: string,
): Promise<Result<Preflight, Refusal>> {
  const { adapter, profile } = request;
  const notices: string[] = [];
  const refusedArgs = adapter.refuseAgentArgs(profile.agent_args);
  if (refusedArgs.length > 0) return denied(refusedArgs.join('; '));
  if (adapter.bypassArgv[request.bypass] === null) {
    return denied(`${adapter.title} has no bypass level "${request.bypass}"`);
  }
  const agent = await findAgent(request, services, runId, notices);
  if (!agent.ok) return agent;
  const foreign = inspectForeign(request, agent.value.env);
  const blocker = foreign.find((finding) => finding.kind === 'refused');
  if (blocker !== undefined) return denied(`${blocker.path}: ${blocker.what}`);

  const active = snapshot.listing.filter((one) => one.state === 'active').map((one) => one.hook);
  const gaps = [...findGaps(active, adapter), ...rewriteGaps(foreign)];
  const refused = gaps.filter((gap) => gap.effect === 'refused');
  if (refused.length > 0) return denied(refused.map((gap) => `${gap.what}: ${gap.why}`).join('; '));
  const unaccepted = gaps.filter((gap) => gap.effect === 'accept');
  if (unaccepted.length > 0 && !request.acceptGaps) {
    const list = unaccepted.map((gap) => `${gap.what} (${gap.why})`).join('; ');
    return denied(`${list}. To run without it all the same, say --accept-gaps`);
  }
  const subjects = await findSubjects(request, services, snapshot, agent.value, notices);
  if (!subjects.ok) return subjects;
  return ok({ agent: agent.value, gaps, foreign, subjects: subjects.value, notices });
}

function denied(reason: string): Result<never, Refusal> {
  return fail({ outcome: 'denied', reason });
}

function failed(reason: string): Result<never, Refusal> {
  return fail({ outcome: 'failed', reason });
}

function rewriteGaps(foreign: readonly ForeignFinding[]): readonly Gap[] {
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

async function findAgent(
  request: LaunchRequest,
  services: LaunchServices,
  runId: string,
  notices: string[],
): Promise<Result<AgentProgram, Refusal>> {
  const { adapter, profile, workspace } = request;
  const login = await services.loginPath.get();
  if (login.note !== null) notices.push(login.note);
  const environment = agentEnvironment({
    userEnv: services.userEnv,
    path: login.path,
    profileEnvironment: profileEnvironment(request),
    passThrough: [...adapter.passThrough, ...profile.pass_through],
    marker: { runId },
  });
  if (environment.refused.length > 0) {
    notices.push(
      `these variables would change how programs are loaded and were not passed on: ${environment.refused.join(', ')}`,
    );
  }
  const found = await findProgram(adapter, services, login.path, workspace);
  if (!found.ok) return found;
  const { program, prefix } = found.value;
  const digest = await sha256OfFile(program);
  if (!digest.ok) return failed(digest.error.text);
  return ok({ program, prefix, digest: digest.value.digest, env: environment.env });
}

/** Asks the approved program for its version and judges that; null where it does not say. */
export async function checkVersion(
  { adapter }: LaunchRequest,
  services: LaunchServices,
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
  if (!probe.ok) return failed(probe.error.text);
  const { exitCode, timedOut, stdout } = probe.value;
  if (exitCode !== 0) {
    const how = timedOut ? 'no answer within 20 s' : `exit code ${exitCode ?? 'none'}`;
    return failed(`${agent.program} does not tell its version (${how}); it may be broken. Start it by hand to see why`);
  }
  const version = adapter.parseVersion(stdout.toString('utf8'));
  const judged = adapter.judgeVersion(version);
  if (judged.verdict === 'refused') return denied(`${adapter.title} ${version ?? ''} is refused: ${judged.reason}`);
  return ok({ version, note: judged.verdict === 'unmeasured' ? judged.note : null });
}

function profileEnvironment({ adapter, profile }: LaunchRequest): Record<string, string> {
  if (profile.config_dir === null || adapter.configDirEnv === null) return { ...profile.environment };
  return { ...profile.environment, [adapter.configDirEnv]: profile.config_dir };
}

async function findProgram(
  adapter: AgentAdapter,
  services: LaunchServices,
  searchPath: string,
  workspace: string,
): Promise<Result<{ program: string; prefix: readonly string[] }, Refusal>> {
  if (adapter.programNames === null) {
    return ok({ program: services.practiceProgram.program, prefix: services.practiceProgram.args });
  }
  for (const name of adapter.programNames) {
    const found = await resolveProgram(name, searchPath, workspace);
    if (found.ok) return ok({ program: found.value.real, prefix: [] });
  }
  return failed(
    `${adapter.title} was not found (looked for ${adapter.programNames.join(', ')} on your login shell's PATH: ${searchPath}). Install it, or put its folder on PATH`,
  );
}

/** Bounded read access for adapters; larger files are nothing that an agent's settings would be. */
const MAX_READ = 4 * 1024 * 1024;

/** What the workspace and the user bring for this agent, as it stands now; asked before the launch and again at its end. */
export function inspectForeign(
  request: LaunchRequest,
  env: Readonly<Record<string, string>>,
): readonly ForeignFinding[] {
  return request.adapter.inspectForeign(preflightReader(request, env));
}

function preflightReader(
  { adapter, workspace }: LaunchRequest,
  env: Readonly<Record<string, string>>,
): PreflightReader {
  const moved = adapter.configDirEnv === null ? undefined : env[adapter.configDirEnv];
  const home = env['HOME'] ?? homedir();
  return {
    workspace,
    configDir: moved ?? join(home, adapter.defaultHome ?? ''),
    exists: existsSync,
    readText: (path) => {
      try {
        return statSync(path).size > MAX_READ ? null : readFileSync(path, 'utf8');
      } catch {
        return null;
      }
    },
    list: (path) => {
      try {
        return readdirSync(path).sort();
      } catch {
        return [];
      }
    },
  };
}

async function findSubjects(
  request: LaunchRequest,
  services: LaunchServices,
  snapshot: Snapshot,
  agent: AgentProgram,
  notices: string[],
): Promise<Result<readonly ApprovalSubject[], Refusal>> {
  const program = await agentSubject(request, agent);
  if (!program.ok) return program;
  const subjects: ApprovalSubject[] = [program.value];
  for (const { hook, state } of snapshot.listing) {
    if (state !== 'active' || hook.handler.kind !== 'command') continue;
    const subject = await hookSubject(hook, { workspace: request.workspace, userEnv: services.userEnv });
    if (subject.ok) subjects.push(subject.value);
    else notices.push(`hook ${hook.scope}:${hook.id} cannot run: ${subject.error.text}`);
  }
  return ok(subjects);
}

async function agentSubject(
  { adapter, workspace }: LaunchRequest,
  agent: AgentProgram,
): Promise<Result<ApprovalSubject, Refusal>> {
  const files: { path: string; digest: string }[] = [];
  for (const path of agent.prefix) {
    const digest = await sha256OfFile(path);
    if (!digest.ok) return failed(digest.error.text);
    files.push({ path, digest: digest.value.digest });
  }
  const subject = agentProgramSubject({
    agent: adapter.name,
    title: adapter.title,
    program: agent.program,
    version: adapter.measuredPrograms.find((known) => known.digest === agent.digest)?.version ?? null,
    digest: agent.digest,
    argv: [agent.program, ...agent.prefix],
    files,
    cwd: workspace,
  });
  return subject.ok ? subject : failed(subject.error.text);
}

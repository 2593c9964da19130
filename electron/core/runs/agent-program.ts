import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { AgentAdapter, ForeignFinding, PreflightReader } from '../agents/contract.js';
import { sha256OfFile } from '../approvals/digests.js';
import { agentProgramSubject } from '../approvals/subjects.js';
import { agentEnvironment } from '../spawn/environment.js';
import { resolveProgram } from '../spawn/programs.js';
import type { LaunchRequest, LaunchServices } from './request.js';

/** What must be known of this machine to look at a launch; nothing in it starts an agent. */
export type LookServices = Pick<LaunchServices, 'loginPath' | 'userEnv' | 'practiceProgram'>;

/** The agent's program as it would be started. */
export interface AgentProgram {
  /** Real path. */
  readonly program: string;
  /** Arguments that come before the agent's own (the script of a built-in agent). */
  readonly prefix: readonly string[];
  /** Files beside the program that make up the agent and are part of its approval. */
  readonly files: readonly string[];
  readonly digest: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The version of a program file that was measured; null for any other, which is only asked once it is approved. */
export function knownVersion(adapter: AgentAdapter, digest: string): string | null {
  return adapter.measuredPrograms.find((known) => known.digest === digest)?.version ?? null;
}

/** Finds the agent's program on the login shell's PATH, with the environment that it would get; errors say what to do. */
export async function findAgent(
  request: LaunchRequest,
  services: LookServices,
  runId: string,
  notices: string[],
): Promise<Result<AgentProgram, string>> {
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
  const found = await findAgentProgram(adapter, services, workspace);
  if (!found.ok) return found;
  const { program, prefix, files } = found.value;
  const digest = await sha256OfFile(program);
  if (!digest.ok) return fail(digest.error.text);
  return ok({ program, prefix, files, digest: digest.value.digest, env: environment.env });
}

function profileEnvironment({ adapter, profile }: LaunchRequest): Record<string, string> {
  if (profile.config_dir === null || adapter.configDirEnv === null) return { ...profile.environment };
  return { ...profile.environment, [adapter.configDirEnv]: profile.config_dir };
}

/** Where an agent's program is: the real path, and what stands before the agent's own arguments. */
export async function findAgentProgram(
  adapter: AgentAdapter,
  services: LookServices,
  cwd: string,
): Promise<Result<Pick<AgentProgram, 'program' | 'prefix' | 'files'>, string>> {
  if (adapter.programNames === null) {
    const { program, args, files } = services.practiceProgram;
    return ok({ program, prefix: args, files });
  }
  const { path } = await services.loginPath.get();
  const found = await findInstalled(adapter, path, cwd);
  if (found !== null) return found;
  return fail(
    `${adapter.title} was not found (looked for ${adapter.programNames.join(', ')} on your login shell's PATH: ${path}). Install it, or put its folder on PATH`,
  );
}

/** The program of an agent that is no part of Sallyport; null where none of its names is on this PATH, an error where it is incomplete. */
export async function findInstalled(
  adapter: AgentAdapter,
  path: string,
  cwd: string,
): Promise<Result<Pick<AgentProgram, 'program' | 'prefix' | 'files'>, string> | null> {
  for (const name of adapter.programNames ?? []) {
    const found = await resolveProgram(name, path, cwd);
    if (found.ok) return behind(adapter, found.value.real);
  }
  return null;
}

/** The program that a file on PATH starts, where the adapter knows of one behind it: that is what is approved and started. */
function behind(
  adapter: AgentAdapter,
  found: string,
): Result<Pick<AgentProgram, 'program' | 'prefix' | 'files'>, string> {
  const named = adapter.programBehind?.(found) ?? null;
  if (named === null) return ok({ program: found, prefix: [], files: [] });
  const program = named.programs.find((path) => existsSync(path));
  if (program === undefined) {
    return fail(
      `${adapter.title} is incomplete: ${found} starts a program that is not there (looked for ${named.programs.join(', ')}). Install it again`,
    );
  }
  const real = realpathSync(program);
  const files = named.files.map((file) => join(dirname(real), file)).filter((path) => existsSync(path));
  return ok({ program: real, prefix: [], files });
}

/** What a person approves of an agent: its program, and the script of a built-in one, as the files are now. */
export async function agentSubject(
  { adapter, workspace }: LaunchRequest,
  agent: Pick<AgentProgram, 'program' | 'prefix' | 'files'>,
): Promise<Result<ApprovalSubject, string>> {
  const program = await sha256OfFile(agent.program);
  if (!program.ok) return fail(program.error.text);
  const files: { path: string; digest: string }[] = [];
  for (const path of agent.files) {
    const digest = await sha256OfFile(path);
    if (!digest.ok) return fail(digest.error.text);
    files.push({ path, digest: digest.value.digest });
  }
  const subject = agentProgramSubject({
    agent: adapter.name,
    title: adapter.title,
    program: agent.program,
    version: knownVersion(adapter, program.value.digest),
    digest: program.value.digest,
    argv: [agent.program, ...agent.prefix],
    files,
    cwd: workspace,
  });
  return subject.ok ? subject : fail(subject.error.text);
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

/** What an adapter may read: of the workspace, the user's configuration for this agent, and what the agent left. */
export function preflightReader(
  { adapter, workspace }: Pick<LaunchRequest, 'adapter' | 'workspace'>,
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
    readHead: (path, characters) => readHead(path, characters),
    list: (path) => {
      try {
        return readdirSync(path).sort();
      } catch {
        return [];
      }
    },
  };
}

/** UTF-8 takes at most four bytes a character; a character that is cut at the end is dropped with what follows. */
function readHead(path: string, characters: number): string | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const bytes = Buffer.alloc(characters * 4);
    return bytes.subarray(0, readSync(file, bytes)).toString('utf8').slice(0, characters);
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

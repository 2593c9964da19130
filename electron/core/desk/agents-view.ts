import { readdir } from 'node:fs/promises';
import type { AgentView } from '../../../shared/bridge/views.js';
import { BYPASS_LEVELS } from '../../../shared/contracts/vocabulary.js';
import { KNOWN_AGENTS } from '../agents/known-agents.js';
import { sha256OfFile } from '../approvals/digests.js';
import { findAgentProgram, knownVersion, type LookServices } from '../runs/agent-program.js';
import { agentForProfile, type AgentForProfile } from '../runs/profiles.js';
import type { StateFolder } from '../store/layout.js';

/** The names of all profiles: each agent's own, then those of files, sorted. */
export async function profileNames(state: StateFolder): Promise<readonly string[]> {
  const own = KNOWN_AGENTS.map((adapter) => adapter.name);
  const files = (await readdir(state.profilesDir)).filter((name) => name.endsWith('.json'));
  const named = files.map((name) => name.slice(0, -'.json'.length)).sort();
  return [...own, ...named.filter((name) => !own.includes(name))];
}

/** Every profile with its agent as it is installed here. Starts no agent: a version is known where the file was measured. */
export async function agentViews(state: StateFolder, services: LookServices): Promise<AgentView[]> {
  const views: AgentView[] = [];
  for (const name of await profileNames(state)) {
    const found = await agentForProfile(state, name);
    views.push(found.ok ? await agentView(found.value, services, state.dir) : brokenProfile(name, found.error));
  }
  return views;
}

async function agentView(
  { profile, adapter }: AgentForProfile,
  services: LookServices,
  cwd: string,
): Promise<AgentView> {
  const common = {
    profile: profile.name,
    agent: adapter.name,
    title: adapter.title,
    bypassLevels: BYPASS_LEVELS.filter((level) => adapter.bypassArgv[level] !== null),
    takesWorkspaceConfig: adapter.workspaceConfig !== undefined,
  };
  const found = await findAgentProgram(adapter, services, cwd);
  const nothing = { program: null, version: null, measured: false };
  if (!found.ok) return { ...common, ...nothing, note: found.error };
  const { program } = found.value;
  if (adapter.programNames === null) {
    const [version = null] = adapter.measuredVersions;
    return { ...common, program, version, measured: true, note: 'built in' };
  }
  const digest = await sha256OfFile(program);
  if (!digest.ok) return { ...common, ...nothing, note: digest.error.text };
  const version = knownVersion(adapter, digest.value.digest);
  return {
    ...common,
    program,
    version,
    measured: version !== null,
    note:
      version === null
        ? `this file was not measured (measured: ${adapter.measuredVersions.join(', ')}); its version is asked once you approved it`
        : null,
  };
}

function brokenProfile(profile: string, note: string): AgentView {
  return {
    profile,
    agent: '',
    title: profile,
    program: null,
    version: null,
    measured: false,
    note,
    bypassLevels: [],
    takesWorkspaceConfig: false,
  };
}

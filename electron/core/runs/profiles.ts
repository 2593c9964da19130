import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROFILE_NAME, profileSchema, type Profile } from '../../../shared/contracts/profile.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { parseStrictJson } from '../../../shared/strict-json.js';
import type { AgentAdapter } from '../agents/contract.js';
import { adapterNamed, KNOWN_AGENTS } from '../agents/known-agents.js';
import type { StateFolder } from '../store/layout.js';

/** A profile and the adapter of its agent. */
export interface AgentForProfile {
  readonly profile: Profile;
  readonly adapter: AgentAdapter;
}

/**
 * The one resolver of "which agent is this?": `profiles/<name>.json` decides; without that file a
 * profile of an agent's own name is its default one. Errors say what to do.
 */
export async function agentForProfile(state: StateFolder, name: string): Promise<Result<AgentForProfile, string>> {
  if (!PROFILE_NAME.test(name))
    return fail(`${JSON.stringify(name)} is no profile name (lower-case letters, digits and "-")`);
  const file = join(state.profilesDir, `${name}.json`);
  const text = await readFile(file, 'utf8').catch((error: unknown) =>
    isMissing(error) ? null : Promise.reject(error as Error),
  );
  const profile = text === null ? defaultProfile(name) : parseProfile(text, name, file);
  if (!profile.ok) return profile;
  const adapter = adapterNamed(profile.value.agent);
  if (adapter !== null) return ok({ profile: profile.value, adapter });
  return fail(`${file}: there is no agent ${JSON.stringify(profile.value.agent)}; known are ${agentNames()}`);
}

function agentNames(): string {
  return KNOWN_AGENTS.map((adapter) => adapter.name).join(', ');
}

function defaultProfile(name: string): Result<Profile, string> {
  if (adapterNamed(name) === null) {
    return fail(`there is no profile ${JSON.stringify(name)}, and no agent of that name (agents: ${agentNames()})`);
  }
  return ok(profileSchema.parse({ schema_version: 1, name, agent: name }));
}

function parseProfile(text: string, name: string, file: string): Result<Profile, string> {
  const json = parseStrictJson(text, { depth: 32 });
  if (!json.ok)
    return fail(json.error.map((fault) => `${file}:${fault.line}:${fault.column}: ${fault.message}`).join('\n'));
  const parsed = profileSchema.safeParse(json.value);
  if (!parsed.success)
    return fail(parsed.error.issues.map((issue) => `${file}: ${issue.path.join('.')}: ${issue.message}`).join('\n'));
  if (parsed.data.name !== name) return fail(`${file}: "name" must be ${JSON.stringify(name)}, the name of the file`);
  return ok(parsed.data);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

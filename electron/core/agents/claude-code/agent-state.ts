import type { AgentStateInput, AgentStatePlace } from '../contract.js';

/**
 * Where Claude Code keeps a session (measured on 2.1.332 and 2.1.197): `projects/<folder of the workspace>/<session>.jsonl`
 * below its configuration folder, and in a folder of the session's name sub-agents and large tool outputs. The
 * workspace's folder name is derived from its path; every folder is looked through for the session instead.
 */
export function agentState({ home, env, sessionId }: AgentStateInput): readonly AgentStatePlace[] {
  const config = env['CLAUDE_CONFIG_DIR'] ?? `${home}/.claude`;
  const id = sessionId.replace(/[^A-Za-z0-9-]/g, '');
  const projects = `${config}/projects`;
  return [
    {
      path: projects,
      within: new RegExp(`^[^/]+/${id}(?:\\.jsonl$|/)`),
      missing: `the agent's session ${id} is not in ${projects}, so what was said there was not looked at`,
    },
  ];
}

/** Where the agent keeps what was said in a session. Data for the exit scan; reads nothing. */
import type { AgentStateInput, AgentStatePlace } from '../contract.js';

/**
 * Places below the agent's configuration folder, as 0.171.0 was measured to write them: the session's rollout, the
 * prompt history, the databases with their write-ahead logs (what was said is in thread_history and logs, and may be
 * in the `-wal` file alone), snapshots of the shell's environment, and whole hook texts that were too long for the model.
 */
export function agentState({ home, env, sessionId }: AgentStateInput): readonly AgentStatePlace[] {
  const folder = env['CODEX_HOME'] ?? `${home}/.codex`;
  const databases = env['CODEX_SQLITE_HOME'] ?? folder;
  const id = sessionId.replace(/[^A-Za-z0-9-]/g, '');
  return [
    {
      path: `${folder}/sessions`,
      within: new RegExp(`(?:^|/)rollout-[^/]*${id}\\.jsonl$`),
      missing: `the agent's session ${id} is not in ${folder}/sessions, so what was said there was not looked at`,
    },
    { path: `${folder}/history.jsonl`, within: null, missing: null, shared: true },
    { path: `${folder}/log`, within: null, missing: null, shared: true },
    { path: `${folder}/shell_snapshots`, within: null, missing: null, shared: true },
    { path: databases, within: /^[^/]+\.sqlite(?:-wal|-journal)?$/, missing: null, shared: true },
    { path: `${env['TMPDIR'] ?? '/tmp'}/hook_outputs/${id}`, within: null, missing: null },
  ];
}

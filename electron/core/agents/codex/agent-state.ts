/** Where the agent keeps what was said in a session. Data for the exit scan; reads nothing. */
import type { AgentStateInput } from '../contract.js';

/**
 * Paths and globs (`*` within a name, `**` across folders) below the agent's configuration folder, as 0.171.0 was measured to
 * write them: the session's rollout (those of its sub-agents have ids of their own: `transcript.files` names them), the prompt history, the
 * databases with their write-ahead logs (what was said is in thread_history and logs, and may be in the `-wal` file alone),
 * snapshots of the shell's environment, and whole hook texts that were too long for the model.
 */
export function agentState({ home, env, sessionId }: AgentStateInput): readonly string[] {
  const folder = env['CODEX_HOME'] ?? `${home}/.codex`;
  const databases = env['CODEX_SQLITE_HOME'] ?? folder;
  const temporary = env['TMPDIR'] ?? '/tmp';
  return [
    `${folder}/sessions/**/rollout-*${sessionId ?? ''}.jsonl`,
    `${folder}/history.jsonl`,
    `${folder}/log/*`,
    `${folder}/shell_snapshots/*`,
    ...['*.sqlite', '*.sqlite-wal', '*.sqlite-journal'].map((name) => `${databases}/${name}`),
    `${temporary}/hook_outputs/${sessionId ?? '*'}/*`,
  ];
}

/**
 * What is known of the agent as data: points, tampering, route gaps, variables. Each row rests on a
 * run of the real program (docs/measurements/codex.md), on 0.171.0.
 */
import type { AgentAdapter, PointSupport, RouteGap, TamperRow } from '../contract.js';

const TOOL: PointSupport = {
  events: ['PreToolUse', 'PermissionRequest'],
  verdicts: ['allow', 'deny', 'modify', 'ask'],
};
const AFTER: PointSupport = { events: ['PostToolUse'], verdicts: [] };
const NOT_COMPILED = { gap: 'the agent has an event for it that this version of Sallyport does not compile yet' };

export const POINTS: AgentAdapter['points'] = {
  'session.start': { events: ['SessionStart'], verdicts: [] },
  'prompt.before': NOT_COMPILED,
  'tool.before': TOOL,
  'file.before_write': TOOL,
  'command.before': TOOL,
  'tool.after': AFTER,
  'file.after_write': AFTER,
  'command.after': AFTER,
  'turn.stopping': { events: ['Stop'], verdicts: ['allow', 'block'] },
  'compact.before': NOT_COMPILED,
  'subagent.start': NOT_COMPILED,
  'subagent.stop': NOT_COMPILED,
  notification: { gap: 'the agent has no such event' },
  'session.end': { events: ['SessionEnd'], verdicts: [] },
};

/** Arguments that choose what a call may do; a shell call shows hooks its command alone (measured). */
export const PROTECTED_ARGS: readonly string[] = ['sandbox_permissions', 'with_escalated_permissions', 'agent_type'];

/**
 * Taken from the user's environment because the agent reads them (its program names each) to reach and pay for its model. The key of a
 * provider of the user's own (`env_key` in config.toml) has a name of the user's own, for the profile's `pass_through`.
 */
export const PASS_THROUGH: readonly string[] = [
  ...['CODEX_HOME', 'CODEX_SQLITE_HOME', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'CODEX_CA_CERTIFICATE'],
  ...['OPENAI_API_KEY', 'CODEX_OSS_BASE_URL', 'CODEX_OSS_PORT'],
  ...['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE', 'AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK'],
];

export const TAMPER: readonly TamperRow[] = [
  {
    id: 'features-hooks',
    how: '"hooks = false" under [features] in the workspace’s or the user’s config.toml',
    answer: 'harmless',
    by: '-c features.hooks=true wins; hooks/list is asked with it before the run',
    measured: 'trusted repository with hooks = false: no hook ran without the flag, the gate met each call with it',
  },
  {
    id: 'workspace-config',
    how: 'hooks, MCP servers, sandbox and rules in the .codex of a trusted repository',
    answer: 'harmless',
    by: '-c projects={"…"={trust_level="untrusted"}} for this run; config/read must call each such layer left out',
    measured:
      'hostile .codex in a trusted repository: no foreign hook, no server, no sandbox setting of it took effect',
  },
  {
    id: 'hook-disabled',
    how: 'a [hooks.state] entry for the gate’s own keys in the user’s config.toml (enabled = false, or another hash)',
    answer: 'harmless',
    by: 'the session flags name hash and enabled = true for each key and win; hooks/list must agree',
    measured: 'entry with enabled = false and a false hash: hooks/list said trusted and enabled',
  },
  {
    id: 'untrusted-hook',
    how: 'a hook whose hash does not fit is skipped without a word, with exit code 0',
    answer: 'refused',
    by: 'preflight refuses a gate that hooks/list does not call trusted and enabled',
    measured: 'hooks/list without a trust entry says "untrusted"; the run is then not started',
  },
  {
    id: 'config-in-mid-run',
    how: 'config.toml, hooks.json or .codex are written in mid-run to switch hooks off',
    answer: 'harmless',
    by: 'the running agent keeps the configuration of its start',
    measured: 'hooks = false written to both files by a first call: the second one was still denied',
  },
  {
    id: 'gate-gone',
    how: 'the gate’s server or the launcher is ended or removed',
    answer: 'harmless',
    by: 'the shell around the launcher turns each failure into exit 2 with a reason',
    measured: 'launcher missing, owner killed: the tool did not run',
  },
  {
    id: 'hook-killed',
    how: 'the hook’s own shell is killed from outside the agent’s sandbox',
    answer: 'found',
    by: 'coverage: the call has no allowing dispatch; possible without the agent’s sandbox only',
    measured: 'a hook that ends by SIGKILL lets the tool run',
  },
];

const GAPS: readonly RouteGap[] = [
  {
    id: 'web-search',
    what: 'hosted web searches pass no hook; they are switched off where a blocking hook stands at tool.before',
    measured: 'web_search item in stream and rollout, no PreToolUse; web_search="disabled" takes the tool away',
    closable: true,
  },
  {
    id: 'write-stdin',
    what: 'text that is typed into a shell that still runs passes no hook; such a call is listed as unguarded',
    measured: 'write_stdin with text: it reached the program, neither PreToolUse nor PostToolUse fired',
  },
  {
    id: 'code-mode',
    what: 'on models in code mode the script that calls tools passes no hook itself; each tool that it calls does',
    measured: 'gpt-5.6-sol: no PreToolUse for exec, one for each nested tool',
  },
];

export function routeGaps(): readonly RouteGap[] {
  return GAPS;
}

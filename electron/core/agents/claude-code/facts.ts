/**
 * What is known of the agent as data: points, tampering, route gaps, variables. Each row rests on a
 * run of the real program (docs/measurements/claude-code.md), on 2.1.332 and 2.1.197 unless it says otherwise.
 */
import type { AgentAdapter, PointSupport, RouteGap, TamperRow } from '../contract.js';
import { knowsSkillShellHook, raisesPermissionRequest } from './versions.js';

const TOOL: PointSupport = {
  events: ['PreToolUse', 'PreSkillShellCommand', 'PermissionRequest'],
  verdicts: ['allow', 'deny', 'modify', 'ask'],
};
const AFTER: PointSupport = { events: ['PostToolUse', 'PostToolUseFailure'], verdicts: [] };
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
  notification: NOT_COMPILED,
  'session.end': { events: ['SessionEnd'], verdicts: [] },
};

/**
 * Arguments that choose what a call may do, which no hook may change: the agent's own sandbox, the
 * permissions and isolation of a sub-agent. `run_in_background` and `timeout` only choose how long a call
 * is waited for, and stay changeable.
 */
export const PROTECTED_ARGS: readonly string[] = ['dangerouslyDisableSandbox', 'isolation', 'mode', 'subagent_type'];

/** Taken from the user's environment because the agent reads them to reach and pay for its model; proxies and certificates are in the seam's base. */
export const PASS_THROUGH: readonly string[] = [
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_CUSTOM_HEADERS'],
  ...['ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL', 'ANTHROPIC_DEFAULT_OPUS_MODEL'],
  ...['ANTHROPIC_DEFAULT_SONNET_MODEL', 'ANTHROPIC_DEFAULT_HAIKU_MODEL', 'ANTHROPIC_BETAS'],
  ...['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_OAUTH_TOKEN'],
  ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_SKIP_BEDROCK_AUTH', 'ANTHROPIC_BEDROCK_BASE_URL'],
  ...['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE', 'AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK'],
  ...['CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_SKIP_VERTEX_AUTH', 'ANTHROPIC_VERTEX_BASE_URL'],
  ...['ANTHROPIC_VERTEX_PROJECT_ID', 'CLOUD_ML_REGION', 'GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT'],
  ...['CLAUDE_CODE_USE_FOUNDRY', 'ANTHROPIC_FOUNDRY_API_KEY', 'ANTHROPIC_FOUNDRY_BASE_URL'],
  ...['ANTHROPIC_FOUNDRY_RESOURCE'],
  ...['CLAUDE_CODE_CLIENT_CERT', 'CLAUDE_CODE_CLIENT_KEY', 'CLAUDE_CODE_CERT_STORE'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['API_TIMEOUT_MS', 'MAX_THINKING_TOKENS', 'CLAUDE_CODE_MAX_OUTPUT_TOKENS', 'BASH_DEFAULT_TIMEOUT_MS'],
  // Says that root is meant; without it the agent refuses bypass as root.
  'IS_SANDBOX',
  ...['DISABLE_TELEMETRY', 'DISABLE_ERROR_REPORTING', 'DISABLE_AUTOUPDATER', 'DISABLE_BUG_COMMAND', 'DO_NOT_TRACK'],
  'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
];

export const TAMPER: readonly TamperRow[] = [
  {
    id: 'disable-all-hooks',
    how: '"disableAllHooks": true in the user’s settings, before the run or in mid-run',
    answer: 'harmless',
    by: '"disableAllHooks": false in the run’s settings file wins',
    measured: 'disableAllHooks: user file, and .claude/settings.local.json written in mid-run',
  },
  {
    id: 'workspace-settings',
    how: 'a rewriting hook, disableAllHooks or ANTHROPIC_BASE_URL in the workspace’s .claude/settings*.json',
    answer: 'harmless',
    by: '--setting-sources user',
    measured: 'hostile .claude/settings.json: no hook ran, requests went to the given server',
  },
  {
    id: 'workspace-servers',
    how: 'MCP servers, sub-agents, commands and skills of the workspace',
    answer: 'harmless',
    by: '--setting-sources user leaves out .mcp.json, .claude/agents, commands, skills and CLAUDE.md',
    measured: 'no marker of the server, none of the names in system/init',
  },
  {
    id: 'simple-mode',
    how: 'CLAUDE_CODE_SIMPLE or CLAUDE_CODE_SAFE_MODE in the user’s settings or the environment: all hooks off',
    answer: 'harmless',
    by: 'the run’s settings file sets both to 0, which wins over both',
    measured: 'without it no hook ran at all, also when set in mid-run; with it each call met the gate',
  },
  {
    id: 'settings-changed',
    how: 'the user’s settings are changed in mid-run, e.g. to add a hook that rewrites',
    answer: 'found',
    by: 'the ConfigChange hook reports it and keeps the old settings (exit 2)',
    measured: 'a foreign hook written in mid-run ran without the guard, did not run with it',
  },
  {
    id: 'run-settings-overwritten',
    how: 'the run’s own settings file is overwritten in mid-run',
    answer: 'harmless',
    by: 'the copy from the start stays in force; the ConfigChange hook stands behind it',
    measured: 'the gate still met each call for 5 s after the overwriting',
  },
  {
    id: 'gate-gone',
    how: 'the gate’s server or the launcher is ended or removed',
    answer: 'harmless',
    by: 'onFailure "block" (2.1.295 and later), exit 2 by the shell around the launcher elsewhere',
    measured: 'server gone, connection cut, launcher missing: the tool did not run',
  },
  {
    id: 'managed-settings',
    how: 'an administrator’s disableAllHooks, allowManagedHooksOnly or variables',
    answer: 'refused',
    by: 'preflight reads the managed settings and refuses the run',
    measured: 'both keys in /etc/claude-code/managed-settings.json switch --settings hooks off (2.1.332)',
  },
  {
    id: 'url-list',
    how: '"allowedHttpHookUrls" without the gate’s address in the user’s or managed settings',
    answer: 'refused',
    by: 'preflight; were it added in mid-run, every call would be blocked',
    measured: '2.1.332: blocked under onFailure "block"; the gate was not asked',
  },
];

export function routeGaps(version: string | null): readonly RouteGap[] {
  return [
    {
      id: 'workflow-stream',
      what: 'calls of sub-agents that a Workflow script starts meet the gate, but the agent’s stream does not name them, so they cannot be compared',
      measured: 'Workflow with one sub-agent on 2.1.332 and 2.1.197: PreToolUse fired, no item in the stream',
    },
    ...(knowsSkillShellHook(version)
      ? []
      : [
          {
            id: 'skill-shell-lines',
            what: 'shell lines of skills and commands would pass no hook on this version; they are switched off for the run and replaced by a placeholder',
            measured: '2.1.197: the lines ran without any hook; with disableSkillShellExecution they did not run',
          },
        ]),
    ...(raisesPermissionRequest(version)
      ? []
      : [
          {
            id: 'own-permission-requests',
            what: 'what this version’s own permission check would ask about is refused without asking; nobody can answer it',
            measured:
              '2.1.197 without a terminal: PermissionRequest never fired for eight kinds of calls, each was refused',
          },
        ]),
  ];
}

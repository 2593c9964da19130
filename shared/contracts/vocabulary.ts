/** The vocabularies of the agent contract. Nothing else about an agent leaves its adapter. */

/** What a hook may decide, in the terms an adapter declares per event. */
export const VERDICTS = ['allow', 'deny', 'ask', 'block', 'modify'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a tool call does, in the four terms that hooks reason about. */
export const OPERATIONS = ['run_command', 'read_file', 'modify_file', 'search_code'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What can be read out of an agent's transcript. Four named ones, never one boolean. */
export const SIGNALS = ['messages', 'tool_calls', 'token_usage', 'goal_status'] as const;
export type Signal = (typeof SIGNALS)[number];

/** How far a launch steps outside the agent's own permission prompts. */
export const BYPASS_LEVELS = ['none', 'enable', 'activate', 'no_sandbox'] as const;
export type BypassLevel = (typeof BYPASS_LEVELS)[number];

/** The consequence of a tool call. */
export const CATEGORIES = [
  'fs.read',
  'fs.write',
  'fs.search',
  'exec.command',
  'net.fetch',
  'agent.spawn',
  'mcp.call',
  'vcs.integrate',
  'session',
  'other',
] as const;
export type Category = (typeof CATEGORIES)[number];

export const SCOPES = ['global', 'profile', 'project', 'session'] as const;
export type Scope = (typeof SCOPES)[number];

export const MODES = ['blocking', 'observational'] as const;
export type Mode = (typeof MODES)[number];

export const FAILURE_POLICIES = ['continue', 'warn', 'deny', 'disable'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

export const ACTIONS = ['allow', 'deny', 'modify', 'request_approval'] as const;
export type Action = (typeof ACTIONS)[number];

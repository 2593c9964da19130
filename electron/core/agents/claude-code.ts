/**
 * The adapter of Claude Code: the one place that knows it. It starts nothing and writes nothing;
 * its facts rest on runs of the real program (docs/measurements/claude-code.md).
 */
import type { AgentAdapter, CompiledRun, CompileInput, RouteGap } from './contract.js';
import { agentState } from './claude-code/agent-state.js';
import { refuseAgentArgs } from './claude-code/agent-args.js';
import { classify } from './claude-code/classify.js';
import { executedArgsMatch } from './claude-code/executed-args.js';
import { PASS_THROUGH, POINTS, PROTECTED_ARGS, routeGaps, TAMPER } from './claude-code/facts.js';
import { inspectForeign, WORKSPACE_CONFIG } from './claude-code/foreign.js';
import { parseHookInput } from './claude-code/hook-input.js';
import { formatHookOutput } from './claude-code/hook-output.js';
import { SETTINGS_FILE, settingsFaults, settingsText } from './claude-code/settings-file.js';
import { readStreamLine } from './claude-code/stream.js';
import { judgeVersion, MEASURED_PROGRAMS, MEASURED_VERSIONS, parseVersion } from './claude-code/versions.js';

/**
 * Levels of bypass. `no_sandbox` is none: the agent's own sandbox is a setting of the user's, and no
 * argument switches it off.
 */
const BYPASS_ARGV: AgentAdapter['bypassArgv'] = {
  none: [],
  enable: ['--allow-dangerously-skip-permissions'],
  activate: ['--dangerously-skip-permissions'],
  no_sandbox: null,
};

export const claudeCode: AgentAdapter = {
  name: 'claude-code',
  title: 'Claude Code',
  programNames: ['claude'],
  versionArgv: ['--version'],
  parseVersion,
  judgeVersion,
  measuredVersions: MEASURED_VERSIONS,
  measuredPrograms: MEASURED_PROGRAMS,
  configDirEnv: 'CLAUDE_CONFIG_DIR',
  defaultHome: '.claude',
  passThrough: PASS_THROUGH,
  points: POINTS,
  operations: ['run_command', 'read_file', 'modify_file', 'search_code'],
  signals: ['messages', 'tool_calls', 'token_usage'],
  bypassArgv: BYPASS_ARGV,
  protectedArgs: PROTECTED_ARGS,
  tamper: TAMPER,
  routeGaps: (version): readonly RouteGap[] => routeGaps(version),
  // SIGINT lets the agent write its result line (measured); after SIGTERM there is none.
  endSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  coverageSource: 'stream',
  classify,
  contentArgument: (toolName) => (toolName === 'Write' ? 'content' : null),
  parseHookInput,
  formatHookOutput,
  executedArgsMatch,
  refuseAgentArgs,
  compileRun,
  readStreamLine,
  inspectForeign: (reader) => inspectForeign(reader),
  workspaceConfig: WORKSPACE_CONFIG,
  agentState,
};

/**
 * The run's settings file and argv. The profile's own arguments come first, so that ours win and an open list of theirs
 * ends; the prompt comes after `--`, so that one that begins with `-` stays a prompt (measured).
 * Throws when the compiled file breaks a measured rule: the agent would drop it without a word.
 */
function compileRun(input: CompileInput): CompiledRun {
  const bypass = BYPASS_ARGV[input.bypass];
  if (bypass === null) throw new Error(`Claude Code has no argument for bypass "${input.bypass}"`);
  const text = settingsText(input);
  const faults = settingsFaults(text);
  if (faults.length > 0) throw new Error(`the compiled settings are not what Claude Code takes: ${faults.join('; ')}`);
  return {
    files: [{ name: SETTINGS_FILE, text }],
    argv: [
      ...input.agentArgs,
      ...['-p', '--output-format', 'stream-json', '--verbose'],
      ...['--session-id', input.sessionId],
      // The workspace's own configuration could rewrite calls or redirect the agent (measured): it stays out unless approved.
      ...['--setting-sources', input.workspaceConfig ? 'user,project,local' : 'user'],
      ...['--settings', `${input.configFolder}/${SETTINGS_FILE}`],
      ...bypass,
      '--',
      input.prompt,
    ],
    env: {},
  };
}

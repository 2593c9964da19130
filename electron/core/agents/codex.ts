/**
 * The adapter of Codex: the one place that knows it. It starts nothing and writes nothing;
 * its facts rest on runs of the real program (docs/measurements/codex.md).
 */
import { sameJson } from '../../../shared/canonical-json.js';
import type { AgentAdapter, CompiledRun, CompileInput } from './contract.js';
import { choosesSandbox, refuseAgentArgs } from './codex/agent-args.js';
import { agentState } from './codex/agent-state.js';
import { classify } from './codex/classify.js';
import { PASS_THROUGH, POINTS, PROTECTED_ARGS, routeGaps, TAMPER } from './codex/facts.js';
import { inspectForeign } from './codex/foreign.js';
import { parseHookInput } from './codex/hook-input.js';
import { formatHookOutput } from './codex/hook-output.js';
import { configuredSandbox, prepare, settingsFrom } from './codex/preparation.js';
import { programBehind } from './codex/program.js';
import { newRolloutReader, rolloutFiles } from './codex/rollout.js';
import { sessionFlags } from './codex/session-flags.js';
import { readStreamLine } from './codex/stream.js';
import { judgeVersion, MEASURED_PROGRAMS, MEASURED_VERSIONS, parseVersion } from './codex/versions.js';

/**
 * Levels of bypass. A headless run asks nobody (its approval policy is "never", whatever is configured: measured), so
 * there is no prompt that could be bypassed; only the sandbox can be left out.
 */
const BYPASS_ARGV: AgentAdapter['bypassArgv'] = {
  none: [],
  enable: null,
  activate: null,
  no_sandbox: ['--dangerously-bypass-approvals-and-sandbox'],
};

export const codex: AgentAdapter = {
  name: 'codex',
  title: 'Codex',
  programNames: ['codex'],
  programBehind: (found) => programBehind(found),
  versionArgv: ['--version'],
  parseVersion,
  judgeVersion,
  measuredVersions: MEASURED_VERSIONS,
  measuredPrograms: MEASURED_PROGRAMS,
  configDirEnv: 'CODEX_HOME',
  defaultHome: '.codex',
  passThrough: PASS_THROUGH,
  points: POINTS,
  operations: ['run_command', 'read_file', 'modify_file'],
  signals: ['messages', 'tool_calls', 'token_usage'],
  bypassArgv: BYPASS_ARGV,
  protectedArgs: PROTECTED_ARGS,
  tamper: TAMPER,
  routeGaps,
  // SIGINT ends shell and agent within 0.1 s, with SessionEnd; SIGTERM leaves a hook that runs behind (measured).
  endSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  coverageSource: 'transcript',
  transcript: { files: rolloutFiles, newReader: newRolloutReader },
  agentState,
  classify,
  parseHookInput,
  formatHookOutput,
  // PreToolUse and PostToolUse show the same arguments, after a rewrite the new ones (measured).
  executedArgsMatch: (_toolName, judged, executed) => sameJson(judged, executed),
  refuseAgentArgs,
  prepare,
  compileRun,
  readStreamLine,
  inspectForeign,
};

/** The argv of a run, from the answers of the agent itself; its configuration travels as session flags alone, so there are no files. */
function compileRun(input: CompileInput): CompiledRun {
  const bypass = BYPASS_ARGV[input.bypass];
  if (bypass === null || bypass === undefined) throw new Error(`Codex has no argument for bypass "${input.bypass}"`);
  const [first, second] = input.learned;
  const settings = first === undefined || second === undefined ? null : settingsFrom(input, first);
  if (second === undefined || settings?.ok !== true) throw new Error('Codex was not asked for the trust of its hooks');
  return {
    files: [],
    argv: [
      'exec',
      '--json',
      // Whether the folder is under version control is the user's affair, who chose it at the launch.
      '--skip-git-repo-check',
      ...input.agentArgs,
      ...(bypass.length > 0 ? bypass : sandbox(input, second)),
      ...sessionFlags(input, settings.value),
      '--',
      input.prompt,
    ],
    env: {},
  };
}

/** Without bypass there is a sandbox: the user's own where it is as strict, else the workspace may be written. */
function sandbox(input: CompileInput, answer: string): readonly string[] {
  if (choosesSandbox(input.agentArgs)) return [];
  const configured = configuredSandbox(answer);
  const theirs = configured !== null && configured !== 'danger-full-access';
  return theirs ? [] : ['-s', 'workspace-write'];
}

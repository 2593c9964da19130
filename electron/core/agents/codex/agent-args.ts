/**
 * Which arguments of its own a profile may give the agent: those that are known to leave the gate
 * where it is. Everything else is refused with the reason, unknown ones too.
 */
const WITH_VALUE = [
  '-m',
  '--model',
  '-s',
  '--sandbox',
  '--add-dir',
  '-i',
  '--image',
  '--output-schema',
  '-o',
  '--output-last-message',
  '--color',
];
const ALONE = ['--ignore-rules', '--oss', '--strict-config'];
const CONFIG = ['-c', '--config'];

/** Settings that only choose how the model works. */
const CONFIG_KEYS = [
  ...[
    'model',
    'model_provider',
    'model_reasoning_effort',
    'model_reasoning_summary',
    'model_verbosity',
    'service_tier',
  ],
  ...['personality', 'tool_output_token_limit', 'model_auto_compact_token_limit', 'project_doc_max_bytes'],
];

/** Options that are refused for a reason worth saying. */
const REFUSED: Readonly<Record<string, string>> = {
  '--dangerously-bypass-hook-trust': 'it would run everybody’s hooks without trust',
  '--dangerously-bypass-approvals-and-sandbox': 'set the profile’s bypass level instead',
  '--yolo': 'set the profile’s bypass level instead',
  '--approve-for-me': 'it lets another model answer for you',
  '--trust': 'it takes the workspace’s own configuration in, for good',
  '--ephemeral': 'without a rollout it is not known whether every call passed the gate',
  '--ignore-user-config': 'the questions before the run would not see what the run sees',
  '-p': 'the questions before the run would not see what the run sees',
  '--profile': 'the questions before the run would not see what the run sees',
  '--worktree': 'the agent would work in another folder than the one that was checked',
  '-C': 'the agent would work in another folder than the one that was checked',
  '--cd': 'the agent would work in another folder than the one that was checked',
  '--remote': 'the agent would run elsewhere, past the gate',
  '--enable': 'features can switch hooks off',
  '--disable': 'features can switch hooks off',
  '--': 'what follows it would be taken for the prompt',
};

/** Why these arguments may not be used, in words; empty when they may. */
export function refuseAgentArgs(args: readonly string[]): readonly string[] {
  const faults: string[] = [];
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] ?? '';
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const name = equals < 0 ? arg : arg.slice(0, equals);
    if (ALONE.includes(name) && equals < 0) continue;
    const takesValue = WITH_VALUE.includes(name) || CONFIG.includes(name);
    if (!takesValue) {
      faults.push(
        arg.startsWith('-')
          ? `"${name}" ${refusalOf(name)}`
          : `"${arg}" stands alone and would be taken for the prompt`,
      );
      continue;
    }
    const value = equals < 0 ? args[(i += 1)] : arg.slice(equals + 1);
    const fault = value === undefined ? `"${name}" has no value` : valueFault(name, value);
    if (fault !== null) faults.push(fault);
  }
  return faults;
}

function valueFault(name: string, value: string): string | null {
  if ((name === '-s' || name === '--sandbox') && value === 'danger-full-access') {
    return `"${name} danger-full-access" is refused: set the profile’s bypass level instead`;
  }
  if (!CONFIG.includes(name)) return value.startsWith('-') ? `"${name}" has no value` : null;
  const key = value.split('=', 1)[0] ?? '';
  return CONFIG_KEYS.includes(key) ? null : `"${name} ${key}" is refused: it is not known to leave the gate in place`;
}

/** True when the arguments choose the agent's sandbox themselves. */
export function choosesSandbox(args: readonly string[]): boolean {
  return args.some((arg) => arg === '-s' || arg === '--sandbox' || arg.startsWith('--sandbox='));
}

function refusalOf(name: string): string {
  const reason = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  return reason === undefined ? 'is refused: it is not known to leave the gate in place' : `is refused: ${reason}`;
}

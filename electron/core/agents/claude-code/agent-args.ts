/**
 * Which arguments of its own a profile may give the agent: those that are known to leave the gate
 * where it is. Everything else is refused with the reason, unknown ones too, since a new option
 * may move the gate as the listed ones do.
 */
type Arity = 'none' | 'one' | 'many';

const ALLOWED: Readonly<Record<string, Arity>> = {
  '--model': 'one',
  '--fallback-model': 'one',
  '--effort': 'one',
  '--agent': 'one',
  '--append-system-prompt': 'one',
  '--system-prompt': 'one',
  '--max-turns': 'one',
  '--max-budget-usd': 'one',
  '--permission-mode': 'one',
  '--name': 'one',
  '-n': 'one',
  '--json-schema': 'one',
  '--autocompact': 'one',
  '--betas': 'many',
  '--add-dir': 'many',
  '--tools': 'many',
  '--allowedTools': 'many',
  '--allowed-tools': 'many',
  '--disallowedTools': 'many',
  '--disallowed-tools': 'many',
  '--mcp-config': 'many',
  '--strict-mcp-config': 'none',
  '--disable-slash-commands': 'none',
  '--no-session-persistence': 'none',
  '--exclude-dynamic-system-prompt-sections': 'none',
  '--debug-file': 'one',
};

/** Options that are refused for a reason worth saying; the first two groups were measured to switch hooks off. */
const REFUSED: Readonly<Record<string, string>> = {
  '--bare': 'it switches all hooks off, the gate among them',
  '--safe-mode': 'it switches all hooks off, the gate among them',
  '--settings': 'of two, the last one wins, and the gate stands in ours',
  '--setting-sources': 'it decides whether the workspace’s own configuration is taken in',
  '--plugin-dir': 'a plugin’s hooks can rewrite a call after it was judged',
  '--plugin-url': 'a plugin’s hooks can rewrite a call after it was judged',
  '--dangerously-skip-permissions': 'set the profile’s bypass level instead',
  '--allow-dangerously-skip-permissions': 'set the profile’s bypass level instead',
  '--': 'what follows it would be taken for the prompt',
};

/** Why these arguments may not be used, in words; empty when they may. */
export function refuseAgentArgs(args: readonly string[]): readonly string[] {
  const faults: string[] = [];
  let open: Arity = 'none';
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] ?? '';
    if (!arg.startsWith('-') || arg === '-') {
      if (open !== 'many') faults.push(`"${arg}" stands alone and would be taken for the prompt`);
      continue;
    }
    const equals = arg.indexOf('=');
    const name = equals < 0 ? arg : arg.slice(0, equals);
    const arity = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined;
    if (arity === undefined) {
      faults.push(`"${name}" ${refusalOf(name)}`);
      open = 'many';
      continue;
    }
    open = equals < 0 ? arity : 'none';
    const value = equals < 0 ? args[i + 1] : arg.slice(equals + 1);
    if (name === '--permission-mode' && value === 'bypassPermissions') {
      faults.push('"--permission-mode bypassPermissions" is refused: set the profile’s bypass level instead');
    }
    if (arity === 'one' && equals < 0) i += 1;
  }
  return faults;
}

function refusalOf(name: string): string {
  const reason = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  return reason === undefined ? 'is refused: it is not known to leave the gate in place' : `is refused: ${reason}`;
}

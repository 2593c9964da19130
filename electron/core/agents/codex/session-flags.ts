/**
 * The session flags of a run: the gate's hooks, the trust that the agent itself reported for them, and what
 * keeps the rest of the configuration from switching them off. They are read by this one run and written nowhere
 * (measured). Must not compute a trust hash and must not bypass trust: the bypass would trust everybody's hooks.
 */
import { quoteSh } from '../../../../shared/quote-sh.js';
import type { CompileInput } from '../contract.js';
import { tomlTable, tomlText } from './toml.js';

/** Where the agent says that hooks from session flags come from (measured). */
export const SESSION_SOURCE = '/<session-flags>/config.toml';

/** Time-out of events that nobody waits at, and of SessionEnd, which the agent clamps to 3 s (measured). Seconds. */
const QUICK_SECONDS = 30;
const SESSION_END_SECONDS = 3;

/** Event, the form of its name in hook keys, and how long its hook may take. */
export const GATE_EVENTS = [
  { event: 'PreToolUse', key: 'pre_tool_use', waits: 'person' },
  { event: 'PermissionRequest', key: 'permission_request', waits: 'person' },
  { event: 'PostToolUse', key: 'post_tool_use', waits: 'quick' },
  { event: 'Stop', key: 'stop', waits: 'person' },
  { event: 'SessionStart', key: 'session_start', waits: 'quick' },
  { event: 'SessionEnd', key: 'session_end', waits: 'end' },
] as const;

/** A hook of the gate as the agent must report it. */
export interface GateHook {
  readonly key: string;
  readonly command: string;
  readonly timeoutSeconds: number;
}

/** The gate's hooks, each alone in its group; without a matcher they see every tool. */
export function gateHooks(input: CompileInput): readonly (GateHook & { readonly event: string })[] {
  const seconds = { person: input.nativeTimeoutSeconds, quick: QUICK_SECONDS, end: SESSION_END_SECONDS };
  return GATE_EVENTS.map(({ event, key, waits }) => ({
    event,
    key: `${SESSION_SOURCE}:${key}:0:0`,
    command: hookCommand(input, event),
    timeoutSeconds: seconds[waits],
  }));
}

const WHY = 'Sallyport: the hook launcher failed, so this is denied';

/**
 * A missing launcher alone would run the tool, as does every exit status but 2 (measured); the shell around it turns each into a
 * denial with a reason. The arguments travel beside the script, since the whole is quoted once more for the user's own shell.
 */
function hookCommand({ gate, configFolder }: CompileInput, event: string): string {
  const call = [gate.launcher, ...gate.launcherArgs, event].map(quoteSh).join(' ');
  if (event !== 'Stop') return `/bin/sh -c ${quoteSh(`"$@" || { echo "${WHY}" >&2; exit 2; }`)} sh ${call}`;
  return `/bin/sh -c ${quoteSh(STOP_SCRIPT)} sh ${quoteSh(`${configFolder}/turn-sent-back`)} ${call}`;
}

/**
 * At the end of a turn a denial sends the agent back to work, and nothing but a hook ever ends that (measured: it went on asking its
 * model without end). So where nobody answers any more it is sent back three times, which folders remember, and then let go; a
 * run whose turn a guard did not let end is a failed one (runs/outcome.ts).
 */
const STOP_SCRIPT = `mark=$1; shift; "$@" && exit 0; for n in 1 2 3; do mkdir "$mark-$n" 2>/dev/null && { echo "${WHY}" >&2; exit 2; }; done; exit 0`;

export interface SessionSettings {
  /** Key and hash of each hook of the gate, as the agent reported them; empty while it was not asked. */
  readonly trusted: readonly (readonly [key: string, hash: string])[];
  /** Folders whose own configuration is left out. */
  readonly untrusted: readonly string[];
}

/** `-c` arguments, the same for the questions before the run and for the run. */
export function sessionFlags(input: CompileInput, { trusted, untrusted }: SessionSettings): readonly string[] {
  const hooks = gateHooks(input).map(({ event, command, timeoutSeconds }) => {
    const entry = `{type="command",command=${tomlText(command)},timeout=${timeoutSeconds}}`;
    return `hooks.${event}=[{hooks=[${entry}]}]`;
  });
  const state = trusted.map(([key, hash]) => [key, `{trusted_hash=${tomlText(hash)},enabled=true}`] as const);
  const flags = [
    // Wins over a repository's and the user's own `hooks = false` (measured).
    'features.hooks=true',
    // One table, not dotted keys: a path in a dotted key became another key (measured).
    `projects=${tomlTable(untrusted.map((folder) => [folder, '{trust_level="untrusted"}'] as const))}`,
    // Hosted search passes no hook (measured); "disabled" takes the tool away.
    ...(input.closeRoutes ? ['web_search="disabled"'] : []),
    ...hooks,
    ...(state.length === 0 ? [] : [`hooks.state=${tomlTable(state)}`]),
  ];
  return flags.flatMap((flag) => ['-c', flag]);
}

/**
 * The one settings file of a run. One invalid entry drops all hooks of the file, and the agent says
 * nothing (measured), so what is compiled is also checked against the measured rules.
 * Must not hold a permission rule: what the user's own settings allow or deny stays theirs.
 */
import { quoteSh } from '../../../../shared/quote-sh.js';
import { isJsonObject, type Json, type JsonObject } from '../../../../shared/json.js';
import type { CompileInput, GateAddress } from '../contract.js';
import { knowsFailureBlock, knowsSkillShellHook } from './versions.js';

export const SETTINGS_FILE = 'settings.json';

/** Longest wait for events that nobody is asked about; the gate answers those at once. Seconds. */
const QUICK_SECONDS = 60;

/** Native time-out of SessionEnd, whose default of 1.5 s (measured) is too short to drain observers. Seconds. */
const SESSION_END_SECONDS = 20;

/** How an event reaches the gate, on versions that have both ways. */
type Route = 'http' | 'command';

interface Row {
  readonly event: string;
  readonly route: Route;
  /** Whether the hook must block when it fails; elsewhere the agent was measured to ignore the key. */
  readonly blocks: boolean;
  readonly waits: 'person' | 'quick' | 'end';
}

const ROWS: readonly Row[] = [
  { event: 'PreToolUse', route: 'http', blocks: true, waits: 'person' },
  { event: 'PermissionRequest', route: 'http', blocks: true, waits: 'person' },
  { event: 'PreSkillShellCommand', route: 'http', blocks: true, waits: 'person' },
  { event: 'PostToolUse', route: 'http', blocks: false, waits: 'quick' },
  { event: 'PostToolUseFailure', route: 'http', blocks: false, waits: 'quick' },
  // A Stop hook over http that fails lets the turn end even with onFailure (measured on 2.1.332); exit 2 does not.
  { event: 'Stop', route: 'command', blocks: true, waits: 'person' },
  // http is not delivered at session start (measured).
  { event: 'SessionStart', route: 'command', blocks: false, waits: 'quick' },
  { event: 'SessionEnd', route: 'http', blocks: false, waits: 'end' },
];

/** The text of the settings file. */
export function settingsText(input: CompileInput): string {
  return `${JSON.stringify(settingsFor(input), null, 2)}\n`;
}

function settingsFor(input: CompileInput): JsonObject {
  const { gate, version } = input;
  const http = knowsFailureBlock(version);
  const seconds = { person: input.nativeTimeoutSeconds, quick: QUICK_SECONDS, end: SESSION_END_SECONDS };
  const rows = ROWS.filter((row) => row.event !== 'PreSkillShellCommand' || knowsSkillShellHook(version));
  const hooks = rows.map((row) => {
    const timeout = seconds[row.waits];
    const entry = http && row.route === 'http' ? httpEntry(gate, row, timeout) : commandEntry(gate, row.event, timeout);
    return [row.event, [{ hooks: [entry] }]] as const;
  });
  return {
    // Beats `disableAllHooks: true` in every file but a managed one (measured on both versions).
    disableAllHooks: false,
    // Both switch all hooks off. Set here they beat the user's settings and the process's environment (measured on both).
    // NO_PROXY: a proxy in the user's settings would take the gate's own traffic (measured on 2.1.332).
    env: {
      CLAUDE_CODE_SIMPLE: '0',
      CLAUDE_CODE_SAFE_MODE: '0',
      NO_PROXY: input.noProxy,
      no_proxy: input.noProxy,
    },
    // Where shell lines of skills and commands pass no hook they do not run at all (measured on 2.1.197).
    ...(knowsSkillShellHook(version) ? {} : { disableSkillShellExecution: true }),
    hooks: { ...Object.fromEntries(hooks), ConfigChange: [{ hooks: [configChangeEntry(gate)] }] },
  };
}

function httpEntry(gate: GateAddress, row: Row, timeout: number): JsonObject {
  return {
    type: 'http',
    url: `${gate.httpUrl}/dispatch/${row.event}`,
    headers: { 'x-sallyport-token': gate.token },
    timeout,
    ...(row.blocks ? { onFailure: 'block' } : {}),
  };
}

/** A missing launcher alone would run the tool (status 127, measured); the shell turns every failure into status 2. */
function commandEntry(gate: GateAddress, event: string, timeout: number): JsonObject {
  const why = 'Sallyport: the hook launcher failed, so this is denied';
  return {
    type: 'command',
    command: `${launcherCall(gate, event)} || { echo ${quoteSh(why)} >&2; exit 2; }`,
    timeout,
  };
}

/** Reports the change and refuses it whatever the report's fate: exit 2 keeps the old settings (measured on both). */
function configChangeEntry(gate: GateAddress): JsonObject {
  const why = 'Sallyport: settings may not change while a run lives';
  return {
    type: 'command',
    command: `${launcherCall(gate, 'ConfigChange')} >/dev/null 2>&1; echo ${quoteSh(why)} >&2; exit 2`,
    timeout: QUICK_SECONDS,
  };
}

function launcherCall(gate: GateAddress, event: string): string {
  return [gate.launcher, ...gate.launcherArgs, event].map(quoteSh).join(' ');
}

const HTTP_KEYS = ['type', 'url', 'headers', 'timeout', 'onFailure'];
const COMMAND_KEYS = ['type', 'command', 'timeout'];

/**
 * Faults of a settings file by the measured rules; empty when the agent will take all of it. To be
 * asked of the text that was written, since a file with one fault is dropped whole and silently.
 */
export function settingsFaults(text: string): readonly string[] {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    return ['it is not strict JSON'];
  }
  if (!isJsonObject(settings)) return ['it is not a JSON object'];
  const hooks = settings['hooks'];
  if (!isJsonObject(hooks)) return ['"hooks" is not an object'];
  const needed = ['PreToolUse', 'PermissionRequest', 'Stop', 'ConfigChange'].filter((event) => !(event in hooks));
  return [
    ...(settings['disableAllHooks'] === false ? [] : ['"disableAllHooks" is not false']),
    ...('permissions' in settings ? ['"permissions" does not belong here'] : []),
    ...needed.map((event) => `"hooks.${event}" is missing`),
    ...Object.entries(hooks).flatMap(([event, groups]) => groupFaults(`hooks.${event}`, groups)),
  ];
}

function groupFaults(path: string, groups: Json): readonly string[] {
  if (!Array.isArray(groups) || groups.length === 0) return [`"${path}" is not a list of groups`];
  return (groups as readonly Json[]).flatMap((group, i) => {
    const entries = isJsonObject(group) ? group['hooks'] : null;
    if (!Array.isArray(entries) || entries.length === 0) return [`"${path}[${i}].hooks" is not a list`];
    return (entries as readonly Json[]).flatMap((entry, j) => entryFaults(`${path}[${i}].hooks[${j}]`, entry));
  });
}

function entryFaults(path: string, entry: Json): readonly string[] {
  if (!isJsonObject(entry)) return [`"${path}" is not an object`];
  const { type, timeout, onFailure } = entry;
  const keys = type === 'http' ? HTTP_KEYS : type === 'command' ? COMMAND_KEYS : null;
  if (keys === null) return [`"${path}.type" is neither "http" nor "command"`];
  const faults = Object.keys(entry)
    .filter((key) => !keys.includes(key))
    .map((key) => `"${path}.${key}" is not known`);
  if (typeof timeout !== 'number' || !Number.isInteger(timeout) || timeout < 1) {
    faults.push(`"${path}.timeout" is not a whole number of seconds above 0`);
  }
  if (onFailure !== undefined && onFailure !== 'block') faults.push(`"${path}.onFailure" is not "block"`);
  if (type === 'http' && !isLoopbackUrl(entry['url'])) faults.push(`"${path}.url" is not an http address on loopback`);
  if (type === 'command' && (typeof entry['command'] !== 'string' || entry['command'] === '')) {
    faults.push(`"${path}.command" is not a text`);
  }
  return faults;
}

function isLoopbackUrl(url: Json | undefined): boolean {
  return typeof url === 'string' && /^http:\/\/127\.0\.0\.1:\d+\/dispatch\/[A-Za-z]+$/.test(url);
}

/**
 * Builds the whole environment of an agent and of a hook handler from allow-lists: what is not named
 * here, in the profile or in the hook does not get through. Starts nothing.
 */
import { realpathSync } from 'node:fs';
import { cleanPath, type HygieneResult } from './path-hygiene.js';
import { RUN_MARKER } from './run-marker.js';

export type Environment = Readonly<Record<string, string>>;
export type EnvironmentSource = Readonly<Record<string, string | undefined>>;

/** What every host-run process may have. */
const BASE = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ', 'USER', 'LOGNAME', 'SHELL'];
const WINDOWS_BASE = ['SYSTEMROOT', 'PATHEXT', 'COMSPEC', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TEMP', 'TMP'];
/**
 * What an agent has beside the base. Left out on purpose: SSH_AUTH_SOCK (use of the user's keys),
 * XDG_RUNTIME_DIR and DBUS_SESSION_BUS_ADDRESS (the way to the keyring); a profile that wants them
 * names them in `pass_through`. Proxies and certificate files belong to the network, not to an agent.
 */
const AGENT_BASE = [
  ...['TERM', 'COLORTERM', 'LANGUAGE', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'],
  ...['XDG_CONFIG_DIRS', 'XDG_DATA_DIRS', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];
/** Names that change how programs are loaded or that are ours; refused from every source. */
const FORBIDDEN =
  /^(?:ELECTRON_.*|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_REPL_EXTERNAL_MODULE|NODE_CHANNEL_.*|BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|IFS|PS4|PROMPT_COMMAND|PERL5.*|RUBYOPT|PYTHONSTARTUP|SALLYPORT_.*)$/i;

/** Hosts that no proxy may stand before: the gate listens there. */
const LOOPBACK = ['127.0.0.1', 'localhost'];

export interface AgentEnvironmentInput {
  readonly userEnv: EnvironmentSource;
  /** PATH of the user's login shell, when it is known; else that of `userEnv`. */
  readonly path?: string;
  readonly profileEnvironment: Environment;
  /** Names taken from `userEnv` because the adapter or the profile says so. */
  readonly passThrough: readonly string[];
  readonly marker: { readonly runId: string };
}

export interface AgentEnvironment {
  readonly env: Environment;
  /** Names that the profile or its pass-through wanted and that are refused. */
  readonly refused: readonly string[];
}

/** The environment of an agent: base, then pass-through, then profile, then what the gate needs. */
export function agentEnvironment(input: AgentEnvironmentInput): AgentEnvironment {
  const env: Record<string, string> = pick(input.userEnv, [...baseNames(), ...AGENT_BASE]);
  if (input.path !== undefined) env['PATH'] = input.path;
  const refused = new Set<string>();
  const admit = (name: string, value: string | undefined) => {
    if (FORBIDDEN.test(name)) refused.add(name);
    else if (value !== undefined) env[name] = value;
  };
  for (const name of input.passThrough) admit(name, input.userEnv[name]);
  for (const [name, value] of Object.entries(input.profileEnvironment)) admit(name, value);
  const noProxy = mergeNoProxy(env['NO_PROXY'], env['no_proxy']);
  return {
    env: { ...env, NO_PROXY: noProxy, no_proxy: noProxy, [RUN_MARKER]: input.marker.runId },
    refused: [...refused],
  };
}

/** Both spellings in one list, each host once, with loopback in it. */
function mergeNoProxy(...lists: readonly (string | undefined)[]): string {
  const hosts = lists.flatMap((list) => (list ?? '').split(',')).map((host) => host.trim());
  return [...new Set([...hosts.filter((host) => host !== ''), ...LOOPBACK])].join(',');
}

export interface HookEnvironmentInput {
  readonly userEnv: EnvironmentSource;
  /** The hook's own `env`. */
  readonly declared: Environment;
  readonly point: string;
  readonly hookId: string;
  readonly eventId: string;
  readonly runId: string;
  /** Null before the agent has a session: the variable is then empty. */
  readonly sessionId: string | null;
  readonly depth: number;
  /** Absolute; also the working directory. */
  readonly workspace: string;
}

export interface HookEnvironment {
  readonly env: Environment;
  /** What PATH hygiene removed; worth one warning with kinds and count when `removed` is not 0. */
  readonly hygiene: Pick<HygieneResult, 'removed' | 'kinds'>;
}

/** The environment of a process handler that runs on the host. */
export function hookEnvironment(input: HookEnvironmentInput): HookEnvironment {
  const hygiene = hookPath(input);
  const env: Record<string, string> = {
    ...withoutPath(pick(input.userEnv, baseNames())),
    ...withoutPath(input.declared),
    ...(hygiene.path === null ? {} : { PATH: hygiene.path }),
    ...(process.platform === 'win32' ? { NoDefaultCurrentDirectoryInExePath: '1' } : {}),
    SALLYPORT_HOOK_POINT: input.point,
    SALLYPORT_HOOK_ID: input.hookId,
    SALLYPORT_HOOK_EVENT_ID: input.eventId,
    SALLYPORT_HOOK_RUN_ID: input.runId,
    SALLYPORT_HOOK_SESSION_ID: input.sessionId ?? '',
    SALLYPORT_HOOK_DEPTH: String(input.depth),
    SALLYPORT_WORKSPACE: input.workspace,
  };
  return { env, hygiene: { removed: hygiene.removed, kinds: hygiene.kinds } };
}

/** The PATH on which a handler's programs are found: the declared one or the user's, cleaned. */
export function hookPath(input: {
  readonly userEnv: EnvironmentSource;
  readonly declared: Environment;
  readonly workspace: string;
}): HygieneResult {
  const dirty = pathOf(input.declared) ?? pathOf(input.userEnv);
  if (dirty === undefined) return { path: null, removed: 0, kinds: [] };
  return cleanPath({
    path: dirty,
    cwd: input.workspace,
    platform: process.platform === 'win32' ? 'win32' : 'posix',
    ignoreCase: process.platform === 'darwin',
    home: input.userEnv['USERPROFILE'] ?? null,
    realPath,
  });
}

function realPath(absolute: string): string | null {
  try {
    return realpathSync.native(absolute);
  } catch {
    return null;
  }
}

function baseNames(): readonly string[] {
  return process.platform === 'win32' ? [...BASE, ...WINDOWS_BASE] : BASE;
}

/** The named variables and every LC_* one. Windows knows no case in names. */
function pick(source: EnvironmentSource, names: readonly string[]): Record<string, string> {
  const wanted = new Set(names);
  const picked: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    const key = process.platform === 'win32' ? name.toUpperCase() : name;
    if (value !== undefined && (wanted.has(key) || key.startsWith('LC_'))) picked[key] = value;
  }
  return picked;
}

function isPathName(name: string): boolean {
  return process.platform === 'win32' ? name.toUpperCase() === 'PATH' : name === 'PATH';
}

function pathOf(source: EnvironmentSource): string | undefined {
  return Object.entries(source).find(([name, value]) => value !== undefined && isPathName(name))?.[1];
}

function withoutPath(source: Environment): Environment {
  return Object.fromEntries(Object.entries(source).filter(([name]) => !isPathName(name)));
}

/**
 * What the agent must say before a run of it can be compiled. Its own app-server is asked twice: for the hashes of the
 * gate's hooks, then, with the complete flags, whether each of them is trusted and enabled and whether the workspace's own
 * configuration is out. Pure: says what to ask and judges the answers; a hook that would be skipped is skipped without a word (measured).
 */
import { dirname } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../../../shared/json.js';
import { fail, ok, type Result } from '../../../../shared/result.js';
import type { AgentQuestion, CompileInput, ForeignFinding, PreparationStep } from '../contract.js';
import { gateHooks, sessionFlags, SESSION_SOURCE, type SessionSettings } from './session-flags.js';

/** Ids of the two requests; the last one ends the question. */
const HOOKS_ID = 2;
const CONFIG_ID = 3;

/** The next step towards a compiled run, from the answers so far. */
export function prepare(input: CompileInput): PreparationStep {
  const [first, second] = input.learned;
  if (first === undefined) return { step: 'ask', question: ask(input, { trusted: [], untrusted: [input.workspace] }) };
  const settings = settingsFrom(input, first);
  if (!settings.ok) return { step: 'refused', reason: settings.error };
  if (second === undefined) return { step: 'ask', question: ask(input, settings.value) };
  const last = readAnswer(second);
  if (!last.ok) return { step: 'refused', reason: last.error };
  const fault = gateFault(input, last.value) ?? layerFault(last.value);
  if (fault !== null) return { step: 'refused', reason: fault };
  return { step: 'ready', findings: foreignHooks(last.value) };
}

/** The settings that a first answer leads to; compiling uses the same, so that what was checked is what runs. */
export function settingsFrom(input: CompileInput, answer: string): Result<SessionSettings, string> {
  const read = readAnswer(answer);
  if (!read.ok) return read;
  const own = read.value.hooks.filter((hook) => hook['source'] === 'sessionFlags');
  const trusted: [string, string][] = [];
  for (const { key, command } of gateHooks(input)) {
    const hash = own.find((hook) => hook['key'] === key && hook['command'] === command)?.['currentHash'];
    if (typeof hash !== 'string' || hash === '') {
      return fail(`Codex does not list the gate's hook ${key}, so the run would not be guarded${why(read.value)}`);
    }
    trusted.push([key, hash]);
  }
  const folders = read.value.projectFolders.map(({ folder }) => dirname(folder));
  return ok({ trusted, untrusted: [...new Set([input.workspace, ...folders])] });
}

/** The sandbox that the user's own configuration asks for (not the workspace's, which is out); null when it names none. */
export function configuredSandbox(answer: string): string | null {
  const read = readAnswer(answer);
  if (!read.ok) return null;
  const { sandbox_mode: mode, default_permissions: permissions } = read.value.config;
  if (typeof permissions === 'string') return permissions;
  return typeof mode === 'string' ? mode : null;
}

function ask(input: CompileInput, settings: SessionSettings): AgentQuestion {
  const requests = [
    { id: 1, method: 'initialize', params: { clientInfo: { name: 'sallyport', version: '1' } } },
    { method: 'initialized' },
    { id: HOOKS_ID, method: 'hooks/list', params: { cwds: [input.workspace] } },
    { id: CONFIG_ID, method: 'config/read', params: { includeLayers: true, cwd: input.workspace } },
  ];
  return {
    what: 'which hooks it would run',
    argv: ['app-server', ...sessionFlags(input, settings)],
    lines: requests.map((request) => JSON.stringify(request)),
    // The two answers may come in either order.
    isComplete: (lines) => [HOOKS_ID, CONFIG_ID].every((id) => lines.some((line) => responseOf(line)?.['id'] === id)),
  };
}

interface Answer {
  readonly hooks: readonly JsonObject[];
  readonly warnings: readonly string[];
  readonly config: JsonObject;
  /** The workspace's own configuration folders (`…/.codex`), and whether each is left out. */
  readonly projectFolders: readonly { readonly folder: string; readonly leftOut: boolean }[];
}

function readAnswer(text: string): Result<Answer, string> {
  const responses = text
    .split('\n')
    .map(responseOf)
    .filter((response) => response !== null);
  const hooks = resultOf(responses, HOOKS_ID, 'hooks/list');
  if (!hooks.ok) return hooks;
  const config = resultOf(responses, CONFIG_ID, 'config/read');
  if (!config.ok) return config;
  const folders = objects(hooks.value['data']);
  const layers = objects(config.value['layers']);
  const effective = config.value['config'];
  if (folders.length !== 1 || layers.length === 0 || !isJsonObject(effective)) {
    return fail('Codex answered in a form that is not known, so whether the gate holds is unknown');
  }
  return ok({
    hooks: folders.flatMap((entry) => objects(entry['hooks'])),
    warnings: folders.flatMap((entry) => [...texts(entry['warnings']), ...texts(entry['errors'])]),
    config: effective,
    projectFolders: layers.flatMap((layer) => {
      const name = layer['name'];
      if (!isJsonObject(name) || name['type'] !== 'project') return [];
      const folder = typeof name['dotCodexFolder'] === 'string' ? name['dotCodexFolder'] : '';
      return [{ folder, leftOut: typeof layer['disabledReason'] === 'string' }];
    }),
  });
}

function resultOf(responses: readonly JsonObject[], id: number, what: string): Result<JsonObject, string> {
  const response = responses.find((one) => one['id'] === id);
  const result = response?.['result'];
  if (isJsonObject(result)) return ok(result);
  const error = response?.['error'];
  const said = isJsonObject(error) && typeof error['message'] === 'string' ? `: ${error['message']}` : '';
  return fail(`Codex gives no answer to ${what}, so whether the gate holds is unknown${said}`);
}

/** Why the run would not be guarded; null when the agent calls every hook of the gate trusted and enabled. */
function gateFault(input: CompileInput, answer: Answer): string | null {
  for (const { key, command, timeoutSeconds } of gateHooks(input)) {
    const hook = answer.hooks.find((one) => one['key'] === key && one['source'] === 'sessionFlags');
    const holds =
      hook?.['trustStatus'] === 'trusted' &&
      hook['enabled'] === true &&
      hook['command'] === command &&
      hook['timeoutSec'] === timeoutSeconds &&
      hook['matcher'] === null &&
      hook['async'] === false;
    if (holds) continue;
    const says = hook === undefined ? 'does not list it' : `calls it ${stateOf(hook)}`;
    return `the gate's hook ${key} would be skipped: Codex ${says}${why(answer)}`;
  }
  return null;
}

function stateOf(hook: JsonObject): string {
  const enabled = hook['enabled'] === true ? 'enabled' : 'not enabled';
  return `${textOf(hook['trustStatus'])} and ${enabled}`;
}

function layerFault({ projectFolders }: Answer): string | null {
  const live = projectFolders.find((layer) => !layer.leftOut);
  return live === undefined ? null : `${live.folder}: the workspace's own configuration would be taken in`;
}

function why({ warnings, config }: Answer): string {
  const features = config['features'];
  const off = isJsonObject(features) && features['hooks'] === false ? ['hooks are switched off'] : [];
  const said = [...off, ...warnings];
  return said.length === 0 ? '' : ` (${said.join('; ')})`;
}

/** Hooks of others that will run beside the gate's and may change or grant a call. */
function foreignHooks({ hooks }: Answer): readonly ForeignFinding[] {
  const changing = ['preToolUse', 'permissionRequest'];
  return hooks.flatMap((hook) => {
    const { sourcePath, eventName, trustStatus, enabled, source } = hook;
    const runs = enabled === true && (trustStatus === 'trusted' || hook['isManaged'] === true);
    if (source === 'sessionFlags' || !runs || !changing.includes(textOf(eventName))) return [];
    const path = typeof sourcePath === 'string' ? sourcePath : SESSION_SOURCE;
    return [
      {
        kind: 'rewrite-gap',
        path,
        what: `a hook at ${textOf(eventName)} can change or grant a call beside the gate`,
      } as const,
    ];
  });
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : 'unknown';
}

function responseOf(line: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) && !('method' in value) ? value : null;
  } catch {
    return null;
  }
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value)
    ? (value as readonly Json[]).filter((item): item is JsonObject => isJsonObject(item))
    : [];
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value)
    ? (value as readonly Json[]).map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
    : [];
}

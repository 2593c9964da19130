/**
 * What the workspace, the user and the machine's administrator bring of the agent's own
 * configuration, and what that means for the gate. Reads only through the lent reader; must not
 * decide what happens then, only say it.
 */
import { isJsonObject, type JsonObject } from '../../../../shared/json.js';
import type { ForeignFinding, PreflightReader, WorkspaceConfigCapability } from '../contract.js';

/** Where an administrator's settings stand on Linux (measured). */
export const MANAGED_FOLDER = '/etc/claude-code';

/** The same on the other systems, as the program itself names them; not measured there. */
const OTHER_MANAGED_FOLDERS = ['/Library/Application Support/ClaudeCode', 'C:\\Program Files\\ClaudeCode'];

/** Left out by `--setting-sources user`: each was measured on both versions not to be loaded. */
const WORKSPACE_FILES: readonly (readonly [path: string, lost: string])[] = [
  ['.claude/settings.json', 'the project’s settings: its hooks, permissions and variables'],
  ['.claude/settings.local.json', 'the project’s local settings: hooks, permissions and variables'],
  ['.mcp.json', 'the project’s MCP servers; they are not started'],
  ['.claude/agents', 'the project’s sub-agents'],
  ['.claude/commands', 'the project’s slash commands'],
  ['.claude/skills', 'the project’s skills'],
  ['CLAUDE.md', 'the project’s instructions (CLAUDE.md)'],
  ['.claude/CLAUDE.md', 'the project’s instructions (.claude/CLAUDE.md)'],
  ['CLAUDE.local.md', 'the project’s local instructions (CLAUDE.local.md)'],
];

/** Events at which a foreign hook can change or grant what our hook judged (measured; the first answer of PermissionRequest wins). */
const REWRITING_EVENTS = ['PreToolUse', 'PermissionRequest', 'PreSkillShellCommand'];

/** A name that the gate's own address would match if it may be called at all. */
const GATE_LIKE = 'http://127.0.0.1:65535/dispatch/PreToolUse';

export function inspectForeign(reader: PreflightReader, managedFolder = MANAGED_FOLDER): readonly ForeignFinding[] {
  const folders = managedFolder === MANAGED_FOLDER ? [managedFolder, ...OTHER_MANAGED_FOLDERS] : [managedFolder];
  return [
    ...WORKSPACE_FILES.flatMap(([name, lost]) => workspaceFinding(reader, name, lost)),
    ...localServers(reader),
    ...userSettings(reader),
    ...frontMatterHooks(reader),
    ...folders.flatMap((folder) => managedFindings(reader, folder)),
  ];
}

function workspaceFinding(reader: PreflightReader, name: string, lost: string): readonly ForeignFinding[] {
  const path = `${reader.workspace}/${name}`;
  if (!reader.exists(path)) return [];
  return [{ kind: 'workspace-config', path, what: `left out: ${lost}` }];
}

/**
 * MCP servers that the user added for this folder alone are project configuration to the agent, too.
 * Its state file lies in a moved configuration folder, and beside the default one.
 */
function localServers(reader: PreflightReader): readonly ForeignFinding[] {
  return serversOfWorkspace(reader).map(({ path, servers }) => {
    const names = Object.keys(servers).join(', ');
    return { kind: 'workspace-config', path, what: `left out: the MCP servers kept for this folder (${names})` };
  });
}

function serversOfWorkspace(reader: PreflightReader): { readonly path: string; readonly servers: JsonObject }[] {
  return [`${reader.configDir}/.claude.json`, `${reader.configDir}.json`].flatMap((path) => {
    const projects = readObject(reader, path)?.['projects'];
    const own = isJsonObject(projects) ? projects[reader.workspace] : undefined;
    const servers = isJsonObject(own) ? own['mcpServers'] : undefined;
    return isJsonObject(servers) && Object.keys(servers).length > 0 ? [{ path, servers }] : [];
  });
}

/** What `--setting-sources user,project,local` takes in beyond `user` (measured: each of them, and nothing else of a workspace). */
export const WORKSPACE_CONFIG: WorkspaceConfigCapability = {
  // The whole folder: its settings name scripts that lie there.
  roots: ['.claude', '.mcp.json', 'CLAUDE.md', 'CLAUDE.local.md'],
  parts: (reader) =>
    serversOfWorkspace(reader).map(({ path, servers }) => ({ of: path, text: JSON.stringify(servers, null, 2) })),
  meaning:
    'its hooks can change or grant a call after it was judged, its settings can send the agent elsewhere, and its servers are started',
};

function userSettings(reader: PreflightReader): readonly ForeignFinding[] {
  const path = `${reader.configDir}/settings.json`;
  const settings = readObject(reader, path);
  if (settings === null) return [];
  return [...rewritingHooks(path, settings), ...enabledPlugins(path, settings), ...urlList(path, settings)];
}

function rewritingHooks(path: string, settings: JsonObject): readonly ForeignFinding[] {
  const hooks = settings['hooks'];
  if (!isJsonObject(hooks)) return [];
  const events = REWRITING_EVENTS.filter((event) => {
    const groups = hooks[event];
    return Array.isArray(groups) && groups.length > 0;
  });
  if (events.length === 0) return [];
  const what = `the user’s own hooks at ${events.join(', ')} can change or grant a call after it was judged`;
  return [{ kind: 'rewrite-gap', path, what }];
}

function enabledPlugins(path: string, settings: JsonObject): readonly ForeignFinding[] {
  const plugins = settings['enabledPlugins'];
  if (!isJsonObject(plugins)) return [];
  const names = Object.keys(plugins).filter((name) => plugins[name] !== false);
  if (names.length === 0) return [];
  return [
    {
      kind: 'rewrite-gap',
      path,
      what: `hooks of the user’s plugins (${names.join(', ')}) can change a call after it was judged`,
    },
  ];
}

/** Every tool call is blocked when this list does not name the gate (2.1.332); older versions let it pass unasked. */
function urlList(path: string, settings: JsonObject): readonly ForeignFinding[] {
  const list = settings['allowedHttpHookUrls'];
  if (!Array.isArray(list)) return [];
  const patterns = (list as readonly unknown[]).filter((item) => typeof item === 'string');
  if (patterns.some((pattern) => matchesWildcard(pattern, GATE_LIKE))) return [];
  return [
    {
      kind: 'refused',
      path,
      what: '"allowedHttpHookUrls" does not let the agent call the gate; add "http://127.0.0.1:*" to it or remove it',
    },
  ];
}

function matchesWildcard(pattern: string, url: string): boolean {
  const source = pattern
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${source}$`).test(url);
}

/** Sub-agents and skills of the user may carry hooks in their front matter; those run (measured on both versions). */
function frontMatterHooks(reader: PreflightReader): readonly ForeignFinding[] {
  const { configDir } = reader;
  const agents = reader.list(`${configDir}/agents`).map((name) => `${configDir}/agents/${name}`);
  const skills = reader.list(`${configDir}/skills`).map((name) => `${configDir}/skills/${name}/SKILL.md`);
  const commands = reader.list(`${configDir}/commands`).map((name) => `${configDir}/commands/${name}`);
  return [...agents, ...skills, ...commands].flatMap((path) => {
    const front = /^---\r?\n([\s\S]*?)\r?\n---/.exec(reader.readText(path) ?? '')?.[1];
    if (front === undefined || !/^hooks\s*:/m.test(front)) return [];
    const what = 'the hooks in its front matter can change a call after it was judged';
    return [{ kind: 'rewrite-gap', path, what } as const];
  });
}

function managedFindings(reader: PreflightReader, folder: string): readonly ForeignFinding[] {
  const dropIns = `${folder}/managed-settings.d`;
  const paths = [
    `${folder}/managed-settings.json`,
    ...reader
      .list(dropIns)
      .filter((name) => name.endsWith('.json'))
      .map((name) => `${dropIns}/${name}`),
  ];
  return paths.flatMap((path) => managedFileFindings(reader, path));
}

function managedFileFindings(reader: PreflightReader, path: string): readonly ForeignFinding[] {
  if (!reader.exists(path)) return [];
  const settings = readObject(reader, path);
  const refused = (what: string): ForeignFinding => ({ kind: 'refused', path, what });
  if (settings === null) {
    return [refused('these managed settings cannot be read, so whether they switch the gate off is unknown')];
  }
  const findings: ForeignFinding[] = [];
  if (settings['disableAllHooks'] === true) findings.push(refused('"disableAllHooks" switches the gate off'));
  if (settings['allowManagedHooksOnly'] === true) {
    findings.push(refused('"allowManagedHooksOnly" lets only managed hooks run, so the gate is switched off'));
  }
  const env = settings['env'];
  for (const name of ['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SAFE_MODE']) {
    const value = isJsonObject(env) ? env[name] : undefined;
    if (value !== undefined && value !== '' && value !== '0') {
      findings.push(refused(`the variable ${name} switches all hooks off`));
    }
  }
  return [
    ...findings,
    ...urlList(path, settings),
    ...rewritingHooks(path, settings),
    ...enabledPlugins(path, settings),
  ];
}

/** A JSON object from a file; null when it is absent or is none (the agent ignores such files of the user, measured). */
function readObject(reader: PreflightReader, path: string): JsonObject | null {
  const text = reader.readText(path);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

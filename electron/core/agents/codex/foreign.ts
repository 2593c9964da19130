/**
 * What the workspace and the machine bring of the agent's own configuration, as far as it can be seen without starting
 * the agent. Which hooks of others really run, the agent itself is asked after its approval (preparation.ts).
 */
import { dirname } from 'node:path';
import type { ForeignFinding, PreflightReader } from '../contract.js';

/** Left out where the folder is untrusted (measured); instructions (AGENTS.md) and skills still load. */
const WORKSPACE_FILES: readonly (readonly [path: string, lost: string])[] = [
  ['.codex/config.toml', 'the project’s settings: its hooks, MCP servers, sandbox and model'],
  ['.codex/hooks.json', 'the project’s hooks'],
  ['.codex/rules', 'the project’s rules for commands'],
];

/** Hooks switched off, however it is written; too much found costs a note. */
const HOOKS_OFF = /\b(?:codex_)?hooks["']?\s*=\s*false\b/;

export function inspectForeign(reader: PreflightReader): readonly ForeignFinding[] {
  const folders = projectFolders(reader);
  return [
    ...folders.flatMap((folder) => workspaceFindings(reader, folder)),
    ...[...folders.map((folder) => `${folder}/.codex`), reader.configDir].flatMap((folder) =>
      switchedOff(reader, folder),
    ),
    ...userHooks(reader),
  ];
}

/** The run's own flag overrules it (measured); written in mid-run it tells what somebody wanted. */
function switchedOff(reader: PreflightReader, folder: string): readonly ForeignFinding[] {
  const path = `${folder}/config.toml`;
  if (!HOOKS_OFF.test(reader.readText(path) ?? '')) return [];
  const what = 'it switches hooks off, which is overruled for this run';
  return [{ kind: 'workspace-config', path, what, weakens: true }];
}

/** The workspace and the folders above it up to the one that holds `.git`, whose configuration the agent takes in, too. */
function projectFolders(reader: PreflightReader): readonly string[] {
  const folders: string[] = [];
  for (let folder = reader.workspace; ; folder = dirname(folder)) {
    folders.push(folder);
    if (reader.exists(`${folder}/.git`)) return folders;
    if (dirname(folder) === folder) return [reader.workspace];
  }
}

function workspaceFindings(reader: PreflightReader, folder: string): readonly ForeignFinding[] {
  return WORKSPACE_FILES.flatMap(([name, lost]) => {
    const path = `${folder}/${name}`;
    // The user's own configuration, where the workspace is the home folder.
    if (path.startsWith(`${reader.configDir}/`) || !reader.exists(path)) return [];
    return [{ kind: 'workspace-config', path, what: `left out: ${lost}` } as const];
  });
}

/** Named before the approval already, without saying whether they are trusted. */
function userHooks(reader: PreflightReader): readonly ForeignFinding[] {
  const path = `${reader.configDir}/hooks.json`;
  const text = reader.readText(path);
  if (text === null || !/"(PreToolUse|PermissionRequest)"/.test(text)) return [];
  const what = 'the user’s own hooks there, where trusted, can change or grant a call beside the gate';
  return [{ kind: 'rewrite-gap', path, what, weakens: true }];
}

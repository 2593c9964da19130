import type { LaunchInput } from '../../../shared/bridge/views.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { hookDepth } from '../runs/depth.js';
import { agentForProfile } from '../runs/profiles.js';
import type { LaunchRequest } from '../runs/request.js';
import type { StateFolder } from '../store/layout.js';
import { PRACTICE_HOOKS } from './examples.js';
import type { Workspaces } from './workspaces.js';

export interface RequestInput {
  readonly state: StateFolder;
  readonly workspaces: Workspaces;
  readonly userEnv: Readonly<Record<string, string | undefined>>;
  /** Workspaces of runs that are live now. */
  readonly busy: () => readonly string[];
}

/** What a window asks for, as a request to launch; an error says what is not known here. */
export async function launchRequest(input: RequestInput, asked: LaunchInput): Promise<Result<LaunchRequest, string>> {
  if (asked.prompt.trim() === '') return fail('The prompt is empty; say what the agent should do.');
  const found = await agentForProfile(input.state, asked.profile);
  if (!found.ok) return found;
  const workspace = await input.workspaces.find(asked.workspaceId);
  if (!workspace.ok) return workspace;
  const { path, practice } = workspace.value;
  const builtIn = found.value.adapter.programNames === null;
  const shared = input.busy().includes(path);
  return ok({
    ...found.value,
    workspace: path,
    prompt: asked.prompt,
    bypass: asked.bypass,
    sessionHooks: builtIn && practice ? [PRACTICE_HOOKS] : [],
    acceptGaps: asked.acceptGaps,
    workspaceConfig: asked.workspaceConfig,
    depth: hookDepth(input.userEnv),
    notices: shared
      ? [`another run is live in this workspace (${path}); two agents in one folder can overwrite each other's work`]
      : [],
  });
}

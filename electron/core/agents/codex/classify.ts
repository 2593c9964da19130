/**
 * What the agent's tools do, in the product's terms. It has no tool for reading or searching: that is a shell command.
 * Tools that are not listed are taken to change things: category `other`, not reversible, every path-like argument written.
 */
import type { Classification } from '../../../../shared/contracts/event.js';
import type { Json, JsonObject } from '../../../../shared/json.js';
import { shellWrites } from '../../../../shared/policy/shell-writes.js';
import { commandPatchTargets, patchTargets } from './patch.js';

const NONE: Classification = {
  operation: null,
  category: 'other',
  reversible: false,
  writePaths: [],
  paths: [],
  command: null,
};

const PATH_NAME =
  /(^|_)(paths?|files?|filename|dir|directory|folder|destination|dest|target|workdir)$|(Path|File|Dir|Directory)s?$/;

/** Tools that only concern the session (names as hooks show them, measured; those of sub-agents carry their namespace). */
const SESSION_READS = ['get_goal', 'tool_search', 'multi_agent_v1wait_agent', 'wait_agent', 'wait'];
const SESSION_TOOLS = [
  ...SESSION_READS,
  ...['create_goal', 'update_goal', 'update_plan', 'request_user_input'],
  ...['multi_agent_v1close_agent', 'close_agent', 'multi_agent_v1resume_agent', 'resume_agent'],
];
const SPAWN_TOOLS = ['spawn_agent', 'multi_agent_v1spawn_agent', 'send_input', 'multi_agent_v1send_input'];

export function classify(toolName: string, args: JsonObject): Classification {
  if (toolName.startsWith('mcp__')) return { ...conservative(args), category: 'mcp.call' };
  if (SESSION_TOOLS.includes(toolName)) {
    return { ...NONE, category: 'session', reversible: SESSION_READS.includes(toolName) };
  }
  if (SPAWN_TOOLS.includes(toolName)) return { ...NONE, category: 'agent.spawn' };
  switch (toolName) {
    case 'Bash':
      return command(args);
    case 'apply_patch':
      return patch(args);
    case 'view_image': {
      const paths = texts(args['path']);
      return { ...NONE, operation: 'read_file', category: 'fs.read', reversible: true, paths };
    }
    default:
      return conservative(args);
  }
}

function command(args: JsonObject): Classification {
  const line = args['command'];
  if (typeof line !== 'string') return { ...NONE, operation: 'run_command', category: 'exec.command' };
  const paths = [...new Set([...shellWrites(line).targets, ...commandPatchTargets(line)])];
  return { ...NONE, operation: 'run_command', category: 'exec.command', writePaths: paths, paths, command: line };
}

/** The argument is called `command` here, too, but it is the patch (measured). */
function patch(args: JsonObject): Classification {
  const text = args['command'];
  const paths = typeof text === 'string' ? patchTargets(text) : [];
  return { ...NONE, operation: 'modify_file', category: 'fs.write', writePaths: paths, paths };
}

/** A tool that nobody described: whatever its arguments could do, they are taken to do. */
function conservative(args: JsonObject): Classification {
  const named = Object.entries(args).flatMap(([name, value]) => (PATH_NAME.test(name) ? texts(value) : []));
  const shell = typeof args['command'] === 'string' ? command(args) : null;
  const paths = [...new Set([...named, ...(shell?.paths ?? [])])];
  return {
    ...NONE,
    operation: shell === null ? null : 'run_command',
    writePaths: paths,
    paths,
    command: shell?.command ?? null,
  };
}

function texts(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).filter((item): item is string => typeof item === 'string' && item !== '');
}

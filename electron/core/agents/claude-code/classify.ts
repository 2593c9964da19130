/**
 * What the agent's tools do, in the product's terms. Tools that are not listed are taken to change
 * things: category `other`, not reversible, every path-like argument counts as written, and a
 * `command` argument as a command.
 */
import type { Classification } from '../../../../shared/contracts/event.js';
import type { Category } from '../../../../shared/contracts/vocabulary.js';
import type { Json, JsonObject } from '../../../../shared/json.js';
import { shellWrites } from '../../../../shared/policy/shell-writes.js';

const NONE: Classification = {
  operation: null,
  category: 'other',
  reversible: false,
  writePaths: [],
  paths: [],
  command: null,
};

/** Names that name a path, besides what a tool's own row says; the same words that the path guards use. */
const PATH_NAME =
  /(^|_)(paths?|files?|filename|dir|directory|folder|destination|dest|target)$|(Path|File|Dir|Directory)s?$/;

/** Tools that only look at the session or the agent's own state (measured input schemas). */
const SESSION_TOOLS = [
  ...['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'TaskOutput', 'TaskStop', 'TodoWrite', 'KillShell'],
  ...['BashOutput', 'CronCreate', 'CronDelete', 'CronList', 'ScheduleWakeup', 'SendMessage', 'ListAgents'],
  ...['ReportFindings', 'EnterPlanMode', 'ExitPlanMode', 'AskUserQuestion', 'ToolSearch', 'SendUserMessage'],
];
const SESSION_READS = ['TaskGet', 'TaskList', 'TaskOutput', 'BashOutput', 'CronList', 'ListAgents', 'ToolSearch'];

export function classify(toolName: string, args: JsonObject): Classification {
  if (toolName.startsWith('mcp__')) return { ...conservative(args), category: 'mcp.call' };
  switch (toolName) {
    case 'Bash':
    // Runs its command in the background and reports each line (measured on 2.1.332).
    case 'Monitor':
    case 'PowerShell':
      return command(args);
    case 'Write':
    case 'Edit':
    case 'MultiEdit':
      return write(args, 'file_path');
    case 'NotebookEdit':
      return write(args, 'notebook_path');
    case 'Read':
      return { ...NONE, ...read('fs.read', texts(args['file_path'])), operation: 'read_file' };
    case 'Grep':
    case 'Glob':
      return { ...NONE, ...read('fs.search', texts(args['path'])), operation: 'search_code' };
    case 'LS':
      return { ...NONE, ...read('fs.search', texts(args['path'])) };
    case 'WebFetch':
    case 'WebSearch':
      return { ...NONE, category: 'net.fetch' };
    case 'Agent':
    case 'Task':
      return { ...NONE, category: 'agent.spawn' };
    case 'Workflow':
      return { ...NONE, category: 'agent.spawn', paths: texts(args['scriptPath']) };
    case 'EnterWorktree':
    case 'ExitWorktree':
      return { ...NONE, category: 'session', paths: texts(args['path']), writePaths: texts(args['path']) };
    case 'Skill':
      return { ...NONE, category: 'session' };
    default:
      if (SESSION_TOOLS.includes(toolName)) {
        return { ...NONE, category: 'session', reversible: SESSION_READS.includes(toolName) };
      }
      return conservative(args);
  }
}

function command(args: JsonObject): Classification {
  const line = args['command'];
  if (typeof line !== 'string') return { ...NONE, operation: 'run_command', category: 'exec.command' };
  const { targets } = shellWrites(line);
  return {
    operation: 'run_command',
    category: 'exec.command',
    reversible: false,
    writePaths: targets,
    paths: targets,
    command: line,
  };
}

function write(args: JsonObject, name: string): Classification {
  const paths = texts(args[name]);
  return { ...NONE, operation: 'modify_file', category: 'fs.write', writePaths: paths, paths };
}

function read(category: Category, paths: readonly string[]): Partial<Classification> {
  return { category, reversible: true, paths };
}

/** A tool that nobody described: whatever its arguments could do, they are taken to do. */
function conservative(args: JsonObject): Classification {
  const named = Object.entries(args).flatMap(([name, value]) => (PATH_NAME.test(name) ? texts(value) : []));
  const line = args['command'];
  const shell = typeof line === 'string' ? command(args) : null;
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
  if (Array.isArray(value))
    return (value as readonly Json[]).filter((item) => typeof item === 'string' && item !== '') as string[];
  return [];
}

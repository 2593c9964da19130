/**
 * Judged and executed arguments on the real programs: for every tool that a script can reach, what
 * PreToolUse showed and what PostToolUse reports must be called the same, without a rewrite and after one.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { claudeCode } from '../../electron/core/agents/claude-code.js';
import type { JsonObject } from '../../shared/json.js';
import { CLAUDE_CODE_VERSIONS } from '../support/agents.mjs';
import { answers, call, removeLab, runClaude, type LabRun, type Step } from './claude-lab.js';

const runs: LabRun[] = [];
afterAll(() => runs.forEach(removeLab));

/** A server with one tool that takes a text and a number; no library, so that it starts at once. */
const SERVER = `
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  for (const line of chunk.split('\\n').filter((text) => text !== '')) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const tool = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' }, n: { type: 'number' } } } };
    const result =
      method === 'initialize' ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } }
      : method === 'tools/list' ? { tools: [tool] }
      : method === 'tools/call' ? { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] } : {};
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  }
});
`;

const STEPS: readonly Step[] = [
  call('Bash', { command: 'echo hi' }),
  call('Bash', { command: 'cd @WS@ && echo hi', description: 'd', timeout: 5_000 }),
  call('Bash', { command: 'echo hi', timeout: '5000' }),
  call('Bash', { command: 'exit 3', description: 'd' }),
  call('Bash', { command: 'echo hi', run_in_background: true }),
  call('Write', { file_path: '@WS@/a.txt', content: 'one  \ntwo\n' }),
  call('Write', { file_path: 'relative.txt', content: 'x' }),
  call('Write', { file_path: '@WS@/sub/../b.txt', content: 'x' }),
  call('Read', { file_path: '@WS@/a.txt' }),
  call('Read', { file_path: 'relative.txt', limit: '2' }),
  call('Read', { file_path: '@WS@/missing.txt' }),
  call('Edit', { file_path: '@WS@/a.txt', old_string: 'one', new_string: 'uno' }),
  call('Edit', { file_path: 'relative.txt', old_string: 'x', new_string: 'y' }),
  call('Read', { file_path: '@WS@/n.ipynb' }),
  call('NotebookEdit', { notebook_path: '@WS@/n.ipynb', new_source: 'print(1)', cell_id: 'c1' }),
  call('WebFetch', { url: 'http://127.0.0.1:9/x', prompt: 'p' }),
  call('Agent', { description: 'd', prompt: 'SUB-AGENT go' }),
  call('Task', { description: 'd', prompt: 'SUB-AGENT go', subagent_type: 'general-purpose' }),
  call('mcp__own__echo', { text: 'a' }),
  call('mcp__own__echo', { text: 'a', n: '4' }),
  call('Skill', { skill: 'mine' }),
  call('CronList', {}),
  call('ToolSearch', { query: 'select:WebFetch' }),
  call('Monitor', { command: 'echo m', description: 'd' }),
  call('SendMessage', { to: 'x', summary: 'y', message: 'y' }),
];

const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: 'code', id: 'c1', metadata: {}, outputs: [], source: ['x'], execution_count: null }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

describe.each(CLAUDE_CODE_VERSIONS)('Claude Code %s', (version) => {
  it('reports as executed what it showed before, for every tool', async () => {
    const run = await runClaude({
      version,
      scenario: { steps: STEPS, agents: [{ match: 'SUB-AGENT', steps: [{ text: 'done' }] }] },
      files: { 'server.mjs': SERVER, 'n.ipynb': NOTEBOOK },
      userFiles: {
        '.claude.json': JSON.stringify({
          mcpServers: { own: { command: process.execPath, args: ['@WS@/server.mjs'] } },
        }),
        'skills/mine/SKILL.md': '---\nname: mine\ndescription: d\n---\nhello',
      },
    });
    runs.push(run);
    const judged = new Map(
      run.dispatches
        .filter(({ event }) => event === 'PreToolUse')
        .map(({ payload }) => [payload['tool_use_id'], payload['tool_input'] as JsonObject]),
    );
    const pairs = run.dispatches
      .filter(({ event }) => event.startsWith('PostToolUse'))
      .map(({ payload }) => ({
        tool: String(payload['tool_name']),
        judged: judged.get(payload['tool_use_id'] as string) ?? {},
        executed: payload['tool_input'] as JsonObject,
      }));
    expect(pairs.filter((pair) => !claudeCode.executedArgsMatch(pair.tool, pair.judged, pair.executed))).toEqual([]);
    const tools = new Set(pairs.map((pair) => pair.tool));
    const everywhere = [
      'Bash',
      'Write',
      'Read',
      'Edit',
      'NotebookEdit',
      'WebFetch',
      'Agent',
      'mcp__own__echo',
      'Skill',
      'CronList',
    ];
    const newer = version === '2.1.197' ? [] : ['ToolSearch', 'Monitor', 'SendMessage'];
    for (const tool of [...everywhere, ...newer]) expect(tools).toContain(tool);
  });

  it.each<readonly [string, Step, JsonObject]>([
    ['Bash', call('Bash', { command: 'true' }), { command: 'cd /tmp && true', timeout: 1_000 }],
    ['Write', call('Write', { file_path: '@WS@/a', content: 'x' }), { file_path: 'sub/b.txt', content: 'y  \n' }],
    ['Read', call('Read', { file_path: '@WS@/other.txt' }), { file_path: './server.mjs' }],
  ])('reports what a rewrite of %s made of it', async (tool, step, args) => {
    const run = await runClaude({
      version,
      scenario: { steps: [step] },
      files: { 'server.mjs': SERVER, 'other.txt': 'x' },
      rules: [answers('PreToolUse', { verdict: 'modify', args })],
    });
    runs.push(run);
    const executed = run.dispatches.find(({ event }) => event === 'PostToolUse')?.payload['tool_input'] as JsonObject;
    expect(claudeCode.executedArgsMatch(tool, args, executed)).toBe(true);
    const original = run.dispatches.find(({ event }) => event === 'PreToolUse')?.payload['tool_input'] as JsonObject;
    expect(claudeCode.executedArgsMatch(tool, original, executed)).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../../electron/core/agents/claude-code.js';
import { settingsFaults } from '../../../electron/core/agents/claude-code/settings-file.js';
import type { Answer, CompileInput } from '../../../electron/core/agents/contract.js';
import { isJsonObject, type JsonObject } from '../../../shared/json.js';

const INPUT: CompileInput = {
  gate: {
    httpUrl: 'http://127.0.0.1:4711',
    token: 'token',
    launcher: "/state/it's here/launch er",
    launcherArgs: ['/run/socket', '25'],
  },
  version: '2.1.332',
  bypass: 'none',
  prompt: '-p or not',
  sessionId: '00000000-0000-4000-8000-000000000001',
  nativeTimeoutSeconds: 640,
  configFolder: '/run/config',
  agentArgs: ['--model', 'm'],
  workspaceConfig: false,
  noProxy: 'intern.example,127.0.0.1,localhost',
  workspace: '/ws',
  closeRoutes: false,
  learned: [],
};

interface Entry {
  readonly type: string;
  readonly timeout: number;
  readonly command?: string;
  readonly url?: string;
  readonly onFailure?: string;
}

function compiled(change: Partial<CompileInput> = {}) {
  const run = claudeCode.compileRun({ ...INPUT, ...change });
  const text = run.files[0]?.text ?? '';
  const settings = JSON.parse(text) as { hooks: Record<string, [{ hooks: [Entry] }]> } & JsonObject;
  const entries = Object.entries(settings.hooks).map(([event, [group]]) => [event, group.hooks[0]] as const);
  return { run, text, settings, entries: new Map(entries) };
}

describe('the compiled run', () => {
  it('is one settings file and an argv that ends in the prompt', () => {
    const { run } = compiled();
    expect(run.files.map((file) => file.name)).toEqual(['settings.json']);
    expect(run.argv).toEqual([
      ...['--model', 'm', '-p', '--output-format', 'stream-json', '--verbose'],
      ...['--session-id', INPUT.sessionId, '--setting-sources', 'user', '--settings', '/run/config/settings.json'],
      ...['--', '-p or not'],
    ]);
  });

  it('says the bypass level by argument, and refuses what it cannot say', () => {
    expect(compiled({ bypass: 'enable' }).run.argv).toContain('--allow-dangerously-skip-permissions');
    expect(compiled({ bypass: 'activate' }).run.argv).toContain('--dangerously-skip-permissions');
    expect(() => compiled({ bypass: 'no_sandbox' })).toThrow('no_sandbox');
  });

  it('uses http where the version blocks on failure, and exit 2 by the shell elsewhere', () => {
    const routes = (version: string | null) =>
      Object.fromEntries([...compiled({ version }).entries].map(([event, entry]) => [event, entry.type]));
    const http = { PreToolUse: 'http', PermissionRequest: 'http', PostToolUse: 'http', PostToolUseFailure: 'http' };
    const always = { Stop: 'command', SessionStart: 'command', ConfigChange: 'command' };
    expect(routes('2.1.332')).toEqual({ ...http, ...always, PreSkillShellCommand: 'http', SessionEnd: 'http' });
    expect(routes('2.1.295')).toEqual({ ...http, ...always, SessionEnd: 'http' });
    for (const version of ['2.1.294', '2.1.197', null, 'odd']) {
      expect(new Set(Object.values(routes(version)))).toEqual(new Set(['command']));
    }
  });

  it('blocks on failure wherever a failure would run the tool, with every time-out written', () => {
    const { entries } = compiled();
    for (const event of ['PreToolUse', 'PermissionRequest', 'PreSkillShellCommand']) {
      expect(entries.get(event)).toMatchObject({ onFailure: 'block', timeout: 640 });
    }
    expect(entries.get('Stop')?.timeout).toBe(640);
    for (const entry of compiled({ version: '2.1.197' }).entries.values()) {
      expect(entry.command).toMatch(/; exit 2( ; )?;? ?}?$/);
      expect(entry.timeout).toBeGreaterThan(0);
    }
  });

  it('keeps hooks on, and switches off shell lines that would meet none', () => {
    expect(compiled().settings).toMatchObject({
      disableAllHooks: false,
      env: { CLAUDE_CODE_SIMPLE: '0', CLAUDE_CODE_SAFE_MODE: '0' },
    });
    expect(compiled().settings).not.toHaveProperty('disableSkillShellExecution');
    expect(compiled({ version: '2.1.197' }).settings).toMatchObject({ disableSkillShellExecution: true });
  });

  it('passes its own check, and the check finds what the agent would drop', () => {
    const { text } = compiled();
    expect(settingsFaults(text)).toEqual([]);
    expect(settingsFaults(`// note\n${text}`)).toEqual(['it is not strict JSON']);
    expect(settingsFaults('[]')).toEqual(['it is not a JSON object']);
    expect(settingsFaults('{}')).toEqual(['"hooks" is not an object']);
    const spoil = (from: RegExp | string, to: string) => settingsFaults(text.replace(from, to));
    expect(spoil('"timeout": 640', '"timeout": 0')).toHaveLength(1);
    expect(spoil('"type": "http"', '"type": "https"')).toHaveLength(1);
    expect(spoil('"onFailure": "block"', '"onFailure": "explode"')).toHaveLength(1);
    expect(spoil('http://127.0.0.1:4711/', 'http://example.net/')).toHaveLength(1);
    expect(spoil('"disableAllHooks": false', '"disableAllHooks": true')).toHaveLength(1);
    expect(spoil('"Stop"', '"Halt"')).toEqual(['"hooks.Stop" is missing']);
    expect(spoil('{', '{"permissions": {"allow": 42},')).toHaveLength(1);
  });

  it('refuses to compile a time-out that the agent would not take', () => {
    expect(() => compiled({ nativeTimeoutSeconds: 0 })).toThrow('timeout');
    expect(() => compiled({ nativeTimeoutSeconds: 1.5 })).toThrow('timeout');
  });
});

describe('answers', () => {
  const body = (event: string, answer: Answer): unknown => JSON.parse(claudeCode.formatHookOutput(event, answer).body);
  const args = { command: 'x' };
  const EVENTS = [
    'PreToolUse',
    'PermissionRequest',
    'PreSkillShellCommand',
    'PostToolUse',
    'Stop',
    'SessionStart',
    'Odd',
  ];

  it('never grant for an allow', () => {
    for (const event of EVENTS) {
      expect(claudeCode.formatHookOutput(event, { verdict: 'allow' })).toEqual({ body: '{}', exit: 0, stderr: '' });
    }
  });

  it('carry a denial in the form of each event', () => {
    const deny: Answer = { verdict: 'deny', reason: 'why' };
    const decision = { permissionDecision: 'deny', permissionDecisionReason: 'why' };
    expect(body('PreToolUse', deny)).toEqual({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } });
    expect(body('PreSkillShellCommand', deny)).toEqual({
      hookSpecificOutput: { hookEventName: 'PreSkillShellCommand', ...decision },
    });
    expect(body('PermissionRequest', deny)).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message: 'why' } },
    });
    expect(body('Stop', { verdict: 'block', reason: 'why' })).toEqual({ decision: 'block', reason: 'why' });
    expect(claudeCode.formatHookOutput('Odd', deny)).toMatchObject({ exit: 2, stderr: 'Sallyport: why\n' });
  });

  it('carry a rewrite without a permission decision, and a grant with exactly the judged arguments', () => {
    expect(body('PreToolUse', { verdict: 'modify', args })).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: args },
    });
    expect(body('PermissionRequest', { verdict: 'grant', args })).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow', updatedInput: args } },
    });
  });

  it('turn what an event cannot carry into a denial', () => {
    expect(body('PreSkillShellCommand', { verdict: 'modify', args })).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
    for (const answer of [
      { verdict: 'grant', args },
      { verdict: 'block', reason: 'r' },
    ] as const) {
      expect(body('PreToolUse', answer)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    }
    expect(body('PermissionRequest', { verdict: 'modify', args })).toMatchObject({
      hookSpecificOutput: { decision: { behavior: 'deny' } },
    });
    expect(claudeCode.formatHookOutput('ConfigChange', { verdict: 'allow' }).exit).toBe(2);
  });

  it('are one JSON object, whatever the reason holds', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVENTS), fc.string({ unit: 'grapheme' }), (event, reason) => {
        const answer = claudeCode.formatHookOutput(event, { verdict: 'deny', reason });
        expect(isJsonObject(JSON.parse(answer.body))).toBe(true);
        expect(answer.body).not.toContain('"allow"');
      }),
    );
  });
});

describe('payloads that lack what a judgement needs', () => {
  const call = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: {}, tool_use_id: 't' };
  it.each<readonly [string, string, unknown]>([
    ['no object', 'PreToolUse', []],
    ['another event', 'PostToolUse', call],
    ['no event', 'PreToolUse', { ...call, hook_event_name: undefined }],
    ['no tool', 'PreToolUse', { ...call, tool_name: '' }],
    ['no input', 'PreToolUse', { ...call, tool_input: 'x' }],
    ['no id', 'PreToolUse', { ...call, tool_use_id: 1 }],
    ['no input at a request', 'PermissionRequest', { hook_event_name: 'PermissionRequest', tool_name: 'Bash' }],
    ['no flag at a stop', 'Stop', { hook_event_name: 'Stop' }],
  ])('%s', (_what, event, payload) => {
    expect(claudeCode.parseHookInput(event, payload).ok).toBe(false);
  });

  it('tolerates fields and events that nobody knows', () => {
    expect(claudeCode.parseHookInput('PreToolUse', { ...call, new_field: 1 })).toMatchObject({ ok: true });
    expect(claudeCode.parseHookInput('Later', { hook_event_name: 'Later' })).toMatchObject({
      value: { kind: 'unknown' },
    });
  });
});

describe('versions', () => {
  it('are read, judged and told apart by number', () => {
    expect(claudeCode.parseVersion('2.1.332 (Claude Code)\n')).toBe('2.1.332');
    expect(claudeCode.parseVersion('claude 2')).toBeNull();
    expect(claudeCode.judgeVersion('2.1.332').verdict).toBe('measured');
    expect(claudeCode.judgeVersion('2.1.1000').verdict).toBe('unmeasured');
    expect(claudeCode.judgeVersion(null).verdict).toBe('unmeasured');
    expect(claudeCode.routeGaps('2.1.332').map((gap) => gap.id)).toEqual(['workflow-stream']);
    expect(claudeCode.routeGaps('2.1.99').map((gap) => gap.id)).toHaveLength(3);
  });
});

describe('arguments of a profile', () => {
  it('may be those that leave the gate where it is', () => {
    const args = [
      '--model',
      'opus',
      '--allowedTools',
      'Bash(git *)',
      'Edit',
      '--max-turns=3',
      '--permission-mode',
      'plan',
    ];
    expect(claudeCode.refuseAgentArgs(args)).toEqual([]);
  });

  it.each([
    ['--bare'],
    ['--safe-mode'],
    ['--settings', '{}'],
    ['--settings={}'],
    ['--setting-sources', 'project'],
    ['--dangerously-skip-permissions'],
    ['--permission-mode', 'bypassPermissions'],
    ['--permission-mode=bypassPermissions'],
    ['--plugin-dir', 'x'],
    ['--resume'],
    ['--not-known-yet'],
    ['--'],
    ['stray'],
    ['--model', 'opus', 'stray'],
  ])('may not be %s %s %s', (...args) => {
    expect(claudeCode.refuseAgentArgs(args)).toHaveLength(1);
  });
});

describe('executed arguments', () => {
  const match = claudeCode.executedArgsMatch;
  it('are the judged ones apart from what the agent fills in itself', () => {
    expect(match('Bash', { command: 'a', x: 1 }, { x: 1, command: 'a' })).toBe(true);
    expect(match('Edit', { file_path: 'a/b' }, { file_path: '/ws/a/b', replace_all: false })).toBe(true);
    expect(match('Bash', { command: 'a', timeout: '5' }, { command: 'a', timeout: 5 })).toBe(true);
    expect(match('SendMessage', { to: 'x', type: 'message' }, { to: 'x' })).toBe(true);
  });

  it.each<readonly [string, JsonObject, JsonObject]>([
    ['Bash', { command: 'a' }, { command: 'b' }],
    ['Bash', { command: 'a' }, { command: 'a', dangerouslyDisableSandbox: true }],
    ['Bash', { command: 'a', timeout: 1 }, { command: 'a' }],
    ['Edit', { file_path: '/a' }, { file_path: '/a', replace_all: true }],
    ['Write', { file_path: '/ws/a' }, { file_path: '/ws/.env' }],
    ['Write', { file_path: 'a' }, { file_path: '/ws/ba' }],
    ['Write', { file_path: 'a' }, { file_path: 'b' }],
    ['Write', { content: 'a' }, { content: '/x/a' }],
    ['constructor', { a: 1 }, { a: 1, b: 2 }],
  ])('differ for %s %j %j', (tool, judged, executed) => {
    expect(match(tool, judged, executed)).toBe(false);
  });
});

describe('classification', () => {
  it('sees the writes of a command', () => {
    expect(claudeCode.classify('Bash', { command: 'cd a && echo x > .env' })).toMatchObject({
      operation: 'run_command',
      writePaths: ['a/.env'],
    });
    expect(claudeCode.classify('Monitor', { command: 'tee .env' })).toMatchObject({ writePaths: ['.env'] });
  });

  it('takes a tool that nobody described at its worst', () => {
    expect(
      claudeCode.classify('Later', { output_path: '.env', files: ['a', 'b'], command: 'rm c', note: 'd' }),
    ).toEqual({
      operation: 'run_command',
      category: 'other',
      reversible: false,
      writePaths: ['.env', 'a', 'b', 'c'],
      paths: ['.env', 'a', 'b', 'c'],
      command: 'rm c',
    });
    expect(claudeCode.classify('mcp__x__read', { path: '.env' })).toMatchObject({
      category: 'mcp.call',
      reversible: false,
      writePaths: ['.env'],
    });
    expect(claudeCode.classify('toString', {})).toMatchObject({ category: 'other', reversible: false });
  });
});

describe('the stream', () => {
  const read = (value: unknown) => claudeCode.readStreamLine(JSON.stringify(value));
  const result = { type: 'result', subtype: 'success', is_error: false, terminal_reason: 'completed', result: 'x' };

  it('ends well only when the agent says so in every way', () => {
    expect(read(result)).toEqual([{ kind: 'result', ok: true, reason: 'success', text: 'x' }]);
    for (const change of [
      { is_error: true, terminal_reason: 'api_error' },
      { subtype: 'error_max_turns', is_error: true },
      { terminal_reason: 'hook_stopped' },
      { terminal_reason: 'tool_deferred' },
      { is_error: undefined },
    ]) {
      expect(read({ ...result, ...change })).toMatchObject([{ ok: false }]);
    }
  });

  it('believes "not executed" only from the agent itself', () => {
    const line = (content: string, more: object = {}) => ({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't', is_error: true, content }] },
      ...more,
    });
    const invalid = '<tool_use_error>Error: No such tool available: X</tool_use_error>';
    const own = { tool_use_result: 'Error: No such tool available: X' };
    expect(read(line(invalid, own))).toMatchObject([{ executed: false }]);
    expect(read(line(invalid, { tool_use_result: [{ type: 'text' }] }))).toMatchObject([{ executed: true }]);
    const accepted = { tool_result_meta: [{ id: 't', permission_decision: { decision: 'accept' } }], ...own };
    expect(read(line(invalid, accepted))).toMatchObject([{ executed: true }]);
    const rejected = { tool_result_meta: [{ id: 't', permission_decision: { decision: 'reject' } }] };
    expect(read(line('no', rejected))).toMatchObject([{ executed: false }]);
  });

  it('knows a line that is no event', () => {
    for (const line of ['', 'text', '[]', '{}', '{"type":1}', '{"type":']) {
      expect(claudeCode.readStreamLine(line)).toBeNull();
    }
    expect(read({ type: 'later' })).toEqual([]);
  });
});

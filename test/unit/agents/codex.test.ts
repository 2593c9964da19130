import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codex } from '../../../electron/core/agents/codex.js';
import { tomlText } from '../../../electron/core/agents/codex/toml.js';
import type { Answer } from '../../../electron/core/agents/contract.js';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'codex');
const payload = (name: string): unknown => JSON.parse(readFileSync(join(FIXTURES, 'payloads', `${name}.json`), 'utf8'));
const parse = (name: string) => codex.parseHookInput(name.split('.')[0] ?? '', payload(name));

const SESSION = { sessionId: '01a22eac-bbc6-7153-bb6c-c09ea8605f3e', cwd: '/workspace' };

describe('recorded payloads', () => {
  it.each([
    ['PreToolUse.bash', 'tool.before', 'Bash', { command: 'cat a.txt' }, 'call_mock_0003'],
    ['PreToolUse.bash-fail', 'tool.before', 'Bash', { command: 'ls /nope' }, 'call_mock_0006'],
    ['PreToolUse.mcp', 'tool.before', 'mcp__lab__echo', { text: 'hi' }, 'call_mock_0012'],
    ['PreToolUse.view_image', 'tool.before', 'view_image', { path: 'p.png' }, 'call_mock_0015'],
    ['PostToolUse.bash', 'tool.after', 'Bash', { command: 'cat a.txt' }, 'call_mock_0003'],
    ['PostToolUse.bash-fail', 'tool.after', 'Bash', { command: 'ls /nope' }, 'call_mock_0006'],
    ['PostToolUse.mcp', 'tool.after', 'mcp__lab__echo', { text: 'hi' }, 'call_mock_0012'],
  ])('%s', (name, kind, toolName, args, callId) => {
    const parsed = parse(name);
    expect(parsed.ok && parsed.value).toMatchObject({ ...SESSION, kind, toolName, args, callId });
  });

  it.each([
    ['PermissionRequest.mcp', { kind: 'permission', toolName: 'mcp__lab__echo', args: { text: 'hi' } }],
    ['Stop.basic', { kind: 'turn.stopping', lastMessage: 'after search', alreadyDenied: false }],
    ['SessionStart.basic', { kind: 'session.start', source: 'startup', model: 'gpt-5.5' }],
    ['SessionStart.resume', { kind: 'session.start', source: 'resume' }],
    ['SessionStart.compact', { kind: 'session.start', source: 'compact' }],
    ['SessionEnd.basic', { kind: 'session.end', reason: 'other' }],
    ['SessionEnd.sigint', { kind: 'session.end', reason: 'other' }],
  ])('%s', (name, expected) => {
    const parsed = parse(name);
    expect(parsed.ok && parsed.value).toMatchObject(expected);
  });

  it('every other recorded event is tolerated and shown', () => {
    const names = readdirSync(join(FIXTURES, 'payloads')).map((name) => name.replace(/\.json$/, ''));
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) expect(parse(name).ok).toBe(true);
  });

  it('what lacks what a judgement needs is an error', () => {
    const whole = payload('PreToolUse.bash') as Record<string, unknown>;
    for (const name of ['tool_name', 'tool_input', 'tool_use_id', 'hook_event_name']) {
      expect(codex.parseHookInput('PreToolUse', { ...whole, [name]: undefined }).ok).toBe(false);
    }
    expect(codex.parseHookInput('PostToolUse', whole).ok).toBe(false);
    expect(codex.parseHookInput('Stop', { ...(payload('Stop.basic') as object), stop_hook_active: 'no' }).ok).toBe(
      false,
    );
    expect(codex.parseHookInput('PreToolUse', []).ok).toBe(false);
  });

  it('a call out of a script is not expected in the rollout', () => {
    const script = { ...(payload('PreToolUse.bash') as object), tool_use_id: 'exec-1' };
    const parsed = codex.parseHookInput('PreToolUse', script);
    expect(parsed.ok && parsed.value).toMatchObject({ kind: 'tool.before', inCoverage: false });
  });
});

describe('what calls do', () => {
  const PATCH =
    '*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b c.txt\n*** Move to: ../d.txt\n*** Delete File: /e\n*** End Patch';

  it('a patch names its files, whatever the argument is called', () => {
    const parsed = parse('PreToolUse.apply_patch');
    const args = parsed.ok && parsed.value.kind === 'tool.before' ? parsed.value.args : {};
    expect(codex.classify('apply_patch', args)).toMatchObject({ operation: 'modify_file', writePaths: ['b.txt'] });
    expect(codex.classify('apply_patch', { command: PATCH })).toMatchObject({
      category: 'fs.write',
      reversible: false,
      writePaths: ['a.txt', 'b c.txt', '../d.txt', '/e'],
      command: null,
    });
  });

  it.each(['apply_patch', 'applypatch'])('a patch inside a shell command writes its files (%s)', (program) => {
    const bare = codex.classify('Bash', { command: `${program} <<'EOF'\n${PATCH}\nEOF` });
    expect(bare).toMatchObject({ operation: 'run_command', category: 'exec.command' });
    expect(bare.writePaths).toEqual(expect.arrayContaining(['a.txt', 'b c.txt', '../d.txt', '/e']));
    const moved = codex.classify('Bash', { command: `cd .git && ${program} <<'EOF'\n${PATCH}\nEOF` });
    expect(moved.writePaths).toEqual(expect.arrayContaining(['.git/a.txt', '/e']));
  });

  it('shell commands write what the shell writes; a text that only mentions files does not', () => {
    expect(codex.classify('Bash', { command: 'echo x > .env' }).writePaths).toEqual(['.env']);
    expect(codex.classify('Bash', { command: 'grep "Add File: x" log' }).writePaths).toEqual([]);
  });

  it('other tools: by name where it is known, else as ones that change things', () => {
    expect(codex.classify('view_image', { path: 'p.png' })).toMatchObject({
      reversible: true,
      paths: ['p.png'],
      writePaths: [],
    });
    expect(codex.classify('get_goal', {})).toMatchObject({ category: 'session', reversible: true });
    expect(codex.classify('spawn_agent', { message: 'x' })).toMatchObject({ category: 'agent.spawn' });
    expect(codex.classify('mcp__lab__write', { path: '/x' })).toMatchObject({
      category: 'mcp.call',
      writePaths: ['/x'],
    });
    expect(codex.classify('new_tool', { file: '/x', command: 'rm y' })).toMatchObject({
      operation: 'run_command',
      writePaths: ['/x', 'y'],
      command: 'rm y',
    });
  });
});

describe('answers', () => {
  const body = (event: string, answer: Answer): unknown => JSON.parse(codex.formatHookOutput(event, answer).body);
  const args = { command: 'x' };

  it('are exactly what the agent takes', () => {
    const tool = (rest: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...rest } });
    expect(body('PreToolUse', { verdict: 'allow' })).toEqual({});
    expect(body('PreToolUse', { verdict: 'deny', reason: 'no' })).toEqual(
      tool({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    );
    expect(body('PreToolUse', { verdict: 'modify', args })).toEqual(
      tool({ permissionDecision: 'allow', updatedInput: args }),
    );
    const permission = (decision: object) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
    expect(body('PermissionRequest', { verdict: 'allow' })).toEqual({});
    expect(body('PermissionRequest', { verdict: 'grant', args })).toEqual(permission({ behavior: 'allow' }));
    expect(body('PermissionRequest', { verdict: 'deny', reason: 'no' })).toEqual(
      permission({ behavior: 'deny', message: 'no' }),
    );
    expect(body('Stop', { verdict: 'block', reason: 'go on' })).toEqual({ decision: 'block', reason: 'go on' });
    expect(body('Stop', { verdict: 'allow' })).toEqual({});
  });

  it('never carry a denial without a reason, and never an allow that nobody gave', () => {
    const verdicts: Answer[] = [
      { verdict: 'deny', reason: ' \n' },
      { verdict: 'block', reason: '' },
      { verdict: 'grant', args },
      { verdict: 'modify', args },
    ];
    for (const event of ['PreToolUse', 'PermissionRequest', 'Stop', 'Unheard']) {
      for (const answer of verdicts) {
        const { body: text, exit, stderr } = codex.formatHookOutput(event, answer);
        const meant =
          (event === 'PreToolUse' && answer.verdict === 'modify') ||
          (event === 'PermissionRequest' && answer.verdict === 'grant');
        expect(/"allow"/.test(text)).toBe(meant);
        if (meant) continue;
        // A reason that is there, in the body or beside exit 2.
        expect(exit === 2 ? stderr : text).toMatch(/denied by policy|cannot carry/);
      }
    }
  });
});

describe('arguments of a profile', () => {
  it('that only choose how the model works are taken', () => {
    const fine = [
      ['-m', 'gpt-5.5'],
      ['--model=gpt-5.5'],
      ['-s', 'read-only'],
      ['-c', 'model_reasoning_effort="high"'],
      ['--add-dir', '/data', '--ignore-rules'],
    ];
    for (const args of fine) expect(codex.refuseAgentArgs(args)).toEqual([]);
  });

  it.each([
    [['--dangerously-bypass-hook-trust']],
    [['--dangerously-bypass-approvals-and-sandbox']],
    [['--yolo']],
    [['--ephemeral']],
    [['--trust']],
    [['-s', 'danger-full-access']],
    [['--sandbox=danger-full-access']],
    [['-c', 'features.hooks=false']],
    [['-c', 'hooks.state={}']],
    [['--config=projects={}']],
    [['--disable', 'hooks']],
    [['-C', '/elsewhere']],
    [['resume', '--last']],
    [['--']],
    [['-m']],
    [['-m', '--ephemeral']],
    [['--unheard-of']],
  ])('%j are refused', (args) => {
    expect(codex.refuseAgentArgs(args).length).toBeGreaterThan(0);
  });
});

describe('TOML texts', () => {
  it('are JSON texts without the one character that TOML forbids', () => {
    expect(tomlText('a"b\\c\n\u007f é \u{1f600}')).toBe('"a\\"b\\\\c\\n\\u007F é \u{1f600}"');
    expect(() => tomlText('\ud800')).toThrow('surrogate');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(JSON.parse(tomlText(text))).toBe(text);
        expect(tomlText(text)).not.toMatch(/[\u0000-\u001f\u007f]/);
      }),
    );
  });
});

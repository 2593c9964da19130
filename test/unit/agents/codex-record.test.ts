/** What the agent says of a run: its stream while it lives, its rollout afterwards. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codex } from '../../../electron/core/agents/codex.js';
import { rolloutFiles } from '../../../electron/core/agents/codex/rollout.js';
import type { PreflightReader, StreamEvent } from '../../../electron/core/agents/contract.js';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'codex');
const lines = (name: string) => readFileSync(join(FIXTURES, name), 'utf8').trim().split('\n');
const stream = (name: string): readonly (StreamEvent | null)[] =>
  lines(name).flatMap((line): readonly (StreamEvent | null)[] => codex.readStreamLine(line) ?? [null]);

describe('the stream', () => {
  it('tells session, messages, notices and the end; calls come from the rollout', () => {
    const events = stream('stream.jsonl');
    expect(events[0]).toEqual({
      kind: 'init',
      sessionId: '01a22eac-bbc6-7153-bb6c-c09ea8605f3e',
      model: null,
      version: null,
    });
    expect(events).toContainEqual({ kind: 'message', text: 'after search' });
    expect(events).toContainEqual({ kind: 'notice', text: 'hosted web search: mock' });
    expect(events.at(-1)).toEqual({ kind: 'result', ok: true, reason: 'completed', text: '' });
    expect(events).not.toContain(null);
  });

  it('a failed turn is a failure, a warning is not', () => {
    const events = stream('stream.error.jsonl');
    expect(events.at(-1)).toMatchObject({ kind: 'result', ok: false });
    expect(events.filter((event) => event?.kind === 'notice').length).toBeGreaterThan(1);
  });

  it('what is no event is said to be none', () => {
    for (const line of ['', 'text', '[]', '{}', '{"type":1}']) expect(codex.readStreamLine(line)).toBeNull();
    expect(codex.readStreamLine('{"type":"something.new"}')).toEqual([]);
  });
});

describe('the rollout', () => {
  const read = (text: readonly string[]) => {
    const reader = codex.transcript?.newReader();
    return text.flatMap((line): readonly (StreamEvent | null)[] => reader?.(line) ?? [null]);
  };

  it('names each call once, and whether it was executed', () => {
    const events = read(lines('rollout.jsonl'));
    expect(events).not.toContain(null);
    const calls = events.filter((event) => event?.kind === 'tool.call');
    expect(calls.map((call) => `${call.callId} ${call.toolName} ${call.gap ?? ''}`.trim())).toEqual([
      'call_mock_0003 exec_command',
      'call_mock_0006 exec_command',
      'call_mock_0009 apply_patch',
      'call_mock_0012 mcp__lab__echo',
      'call_mock_0015 view_image',
      'item_mock_0017 web_search web-search',
    ]);
    const results = events.filter((event) => event?.kind === 'tool.result');
    expect(results.map(({ callId, ok, executed }) => [callId, ok, executed])).toEqual([
      ['call_mock_0003', true, true],
      ['call_mock_0006', false, true],
      ['call_mock_0009', true, true],
      ['call_mock_0012', true, true],
      ['call_mock_0015', true, true],
      ['item_mock_0017', true, true],
    ]);
  });

  const line = (ordinal: number, content: object) => JSON.stringify({ ordinal, payload: content });
  const call = (id: string, name: string, args: object) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: JSON.stringify(args),
  });
  const out = (id: string, output: string) => ({ type: 'function_call_output', call_id: id, output });

  it.each([
    ['unsupported call: nosuchtool', false],
    ['failed to parse function arguments: missing field `cmd`', false],
    ['Command blocked by PreToolUse hook: no. Command: x', false],
    ['Chunk ID: 1\nunsupported call: nosuchtool', true],
    ['anything else', true],
  ])('an answer "%s" means executed: %s', (text, executed) => {
    const events = read([line(0, call('a', 'f', {})), line(1, out('a', text))]);
    expect(events.at(-1)).toMatchObject({ kind: 'tool.result', callId: 'a', executed });
  });

  it('a tool that ran cannot deny it by what it prints', () => {
    const item = { type: 'item_completed', item: { type: 'McpToolCall', id: 'a', status: 'completed' } };
    const events = read([line(0, call('a', 'f', {})), line(1, item), line(2, out('a', 'unsupported call: f'))]);
    expect(events.filter((event) => event?.kind === 'tool.result')).toEqual([
      { kind: 'tool.result', callId: 'a', ok: true, executed: true, text: '' },
    ]);
  });

  it('only a look at a live shell is an expected gap', () => {
    const gapOf = (args: object) => {
      const [event] = read([line(0, call('a', 'write_stdin', args))]);
      return event?.kind === 'tool.call' ? event.gap : 'none';
    };
    expect(gapOf({ session_id: 1, chars: '' })).toBe('write-stdin');
    expect(gapOf({ session_id: 1 })).toBe('write-stdin');
    expect(gapOf({ session_id: 1, chars: 'rm x\n' })).toBeUndefined();
  });

  it('a missing line and a broken one are found', () => {
    const all = lines('rollout.jsonl');
    expect(read(all.slice(1))).toContain(null);
    expect(read(all.toSpliced(9, 1))).toContain(null);
    expect(read([...all.slice(0, 5), 'no json', ...all.slice(5)])).toContain(null);
  });
});

describe('the files of a session', () => {
  const files: Readonly<Record<string, string>> = {
    '/c/sessions/2026/11/30/rollout-2026-11-30T23-59-59-root.jsonl': '{"payload":{"session_id":"root","id":"root"}}\n…',
    '/c/sessions/2026/12/01/rollout-2026-12-01T00-00-01-child.jsonl':
      '{"payload":{"session_id":"root","id":"child"}}\n…',
    '/c/sessions/2026/12/01/rollout-2026-12-01T00-00-02-other.jsonl': '{"payload":{"session_id":"other"}}\n…',
    '/c/sessions/2026/12/01/notes.txt': '{"payload":{"session_id":"root"}}',
    '/c/sessions/2026/10/01/rollout-2026-10-01T00-00-02-old.jsonl': '{"payload":{"session_id":"root"}}',
  };
  const reader: PreflightReader = {
    workspace: '/ws',
    configDir: '/c',
    exists: (path) => path in files,
    readText: (path) => files[path] ?? null,
    readHead: (path) => files[path] ?? null,
    list: (folder) =>
      Object.keys(files)
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1)),
  };

  it("are its own and its sub-agents', over midnight and in whatever zone, and no others", () => {
    const at = Date.parse('2026-12-01T04:00:00Z') / 1_000;
    expect(rolloutFiles(reader, { sessionId: 'root', from: at, to: at + 60 })).toEqual([
      '/c/sessions/2026/11/30/rollout-2026-11-30T23-59-59-root.jsonl',
      '/c/sessions/2026/12/01/rollout-2026-12-01T00-00-01-child.jsonl',
    ]);
    expect(rolloutFiles(reader, { sessionId: 'nobody', from: at, to: at })).toEqual([]);
  });
});

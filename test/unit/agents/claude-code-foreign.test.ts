import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspectForeign } from '../../../electron/core/agents/claude-code/foreign.js';
import type { PreflightReader } from '../../../electron/core/agents/contract.js';
import { removeFolder } from '../../support/folders.js';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-foreign-'));
});
afterEach(() => removeFolder(base));

function put(name: string, content: unknown): void {
  const path = join(base, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

function inspect() {
  const isFile = (path: string) => existsSync(path) && statSync(path).isFile();
  const reader: PreflightReader = {
    workspace: join(base, 'ws'),
    configDir: join(base, 'home'),
    exists: existsSync,
    readText: (path) => (isFile(path) ? readFileSync(path, 'utf8') : null),
    readHead: (path, characters) => (isFile(path) ? readFileSync(path, 'utf8').slice(0, characters) : null),
    list: (path) => (existsSync(path) && !isFile(path) ? readdirSync(path).sort() : []),
  };
  return inspectForeign(reader, join(base, 'managed')).map(({ kind, path, what }) => ({
    kind,
    path: path.slice(base.length + 1),
    what,
  }));
}

const HOOK = [{ hooks: [{ type: 'command', command: 'x' }] }];

describe('foreign configuration', () => {
  it('finds nothing where there is nothing', () => {
    expect(inspect()).toEqual([]);
  });

  it('names each file of the workspace that is left out, and what is lost', () => {
    const files = ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json', 'CLAUDE.md'];
    for (const name of files) put(`ws/${name}`, '{}');
    for (const name of ['agents', 'commands', 'skills']) put(`ws/.claude/${name}/a.md`, 'x');
    const found = inspect();
    expect(new Set(found.map((finding) => finding.kind))).toEqual(new Set(['workspace-config']));
    expect(found.map((finding) => finding.path)).toEqual(
      [
        '.claude/settings.json',
        '.claude/settings.local.json',
        '.mcp.json',
        '.claude/agents',
        '.claude/commands',
        '.claude/skills',
        'CLAUDE.md',
      ].map((name) => `ws/${name}`),
    );
    for (const { what } of found) expect(what).toMatch(/^left out: the project/);
  });

  it('names the servers that the user keeps for this folder alone', () => {
    put('home/.claude.json', {
      projects: { [join(base, 'ws')]: { mcpServers: { mine: {} } } },
      mcpServers: { all: {} },
    });
    expect(inspect()).toMatchObject([{ kind: 'workspace-config', path: 'home/.claude.json' }]);
    put('home/.claude.json', { projects: { '/elsewhere': { mcpServers: { mine: {} } } } });
    put('home.json', { projects: { [join(base, 'ws')]: { mcpServers: { mine: {} } } } });
    expect(inspect()).toMatchObject([{ path: 'home.json', what: expect.stringContaining('mine') as string }]);
  });

  it('names the user’s hooks that can rewrite, wherever they stand', () => {
    put('home/settings.json', {
      hooks: { PreToolUse: HOOK, PostToolUse: HOOK },
      enabledPlugins: { 'p@m': true, 'q@m': false },
    });
    put('home/agents/a.md', '---\nname: a\nhooks:\n  PreToolUse: []\n---\nx');
    put('home/agents/b.md', '---\nname: b\n---\nhooks: no');
    put('home/skills/s/SKILL.md', '---\nhooks:\n  PreToolUse: []\n---\nx');
    expect(inspect()).toMatchObject([
      { kind: 'rewrite-gap', path: 'home/settings.json', what: expect.stringContaining('PreToolUse') as string },
      { kind: 'rewrite-gap', path: 'home/settings.json', what: expect.stringContaining('p@m') as string },
      { kind: 'rewrite-gap', path: 'home/agents/a.md' },
      { kind: 'rewrite-gap', path: 'home/skills/s/SKILL.md' },
    ]);
  });

  it('does not mind hooks that can only look', () => {
    put('home/settings.json', { hooks: { PostToolUse: HOOK, PreToolUse: [] } });
    expect(inspect()).toEqual([]);
  });

  it.each([
    [{ disableAllHooks: true }],
    [{ allowManagedHooksOnly: true }],
    [{ env: { CLAUDE_CODE_SIMPLE: '1' } }],
    [{ env: { CLAUDE_CODE_SAFE_MODE: 'true' } }],
    [{ allowedHttpHookUrls: [] }],
    ['{ broken'],
  ])('refuses managed settings that switch the gate off: %j', (settings) => {
    put('managed/managed-settings.json', settings);
    put('managed/managed-settings.d/10-more.json', settings);
    expect(inspect().map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'refused managed/managed-settings.json',
      'refused managed/managed-settings.d/10-more.json',
    ]);
  });

  it('lets managed settings be that leave the gate alone', () => {
    put('managed/managed-settings.json', { disableAllHooks: false, env: { CLAUDE_CODE_SIMPLE: '0' }, permissions: {} });
    put('managed/managed-settings.d/README', 'x');
    expect(inspect()).toEqual([]);
  });

  it('refuses a list of addresses that leaves out the gate', () => {
    put('home/settings.json', { allowedHttpHookUrls: ['https://example.net/*'] });
    expect(inspect()).toMatchObject([{ kind: 'refused', path: 'home/settings.json' }]);
    put('home/settings.json', { allowedHttpHookUrls: ['https://example.net/*', 'http://127.0.0.1:*'] });
    expect(inspect()).toEqual([]);
  });
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forbiddenPath } from '../../../../electron/core/engine/builtins/forbidden-path.js';
import type { Classification } from '../../../../shared/contracts/event.js';
import type { JsonObject } from '../../../../shared/json.js';

let base: string;
let workspace: string;
let home: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-forbidden-')));
  // The folder's own name holds two of the words; inside it that must not matter.
  workspace = join(base, 'my-credentials', 'private-key-tool');
  home = join(base, 'home');
  for (const folder of ['sub/deep', '.git/hooks', 'docs', '.github'])
    mkdirSync(join(workspace, folder), { recursive: true });
  mkdirSync(join(home, '.ssh'), { recursive: true });
  mkdirSync(join(base, 'outside', 'plain'), { recursive: true });
  writeFileSync(join(workspace, '.env'), 'A=1');
  writeFileSync(join(workspace, 'docs/a.md'), 'x');
  const link = (target: string, name: string) => symlinkSync(target, join(workspace, name));
  link('.env', 'to-env');
  link('../.env', 'sub/to-env');
  link('.env.production', 'dangling');
  link('missing/.git/x', 'dangling-deep');
  link('.git', 'repo');
  link('to-env', 'chain');
  link(join(home, '.ssh'), 'keys');
  link(join(base, 'outside', 'plain'), 'away');
  link('sub/deep', 'hop');
  link('docs/a.md', '.env.link');
  link('loop-b', 'loop-a');
  link('loop-a', 'loop-b');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Call {
  readonly writePaths?: readonly string[];
  readonly args?: JsonObject;
  readonly patterns?: readonly string[];
  readonly reversible?: boolean;
  readonly platform?: NodeJS.Platform;
}

function judge({ writePaths = [], args = {}, patterns, reversible = false, platform }: Call) {
  const classification: Classification = {
    operation: reversible ? 'read_file' : 'modify_file',
    category: reversible ? 'fs.read' : 'fs.write',
    reversible,
    writePaths,
    paths: writePaths,
    command: null,
  };
  return forbiddenPath({ workspace, home, classification, args, options: { patterns }, ...(platform && { platform }) });
}
const put = (text: string) => text.replace('<ws>', workspace).replace('<base>', base).replace('<home>', home);

async function verdict(call: Call): Promise<string> {
  const answer = await judge(call);
  return answer.ok ? answer.value.action : 'error';
}

describe('forbidden-path on this platform', () => {
  it.each([
    '.env',
    './.env',
    '<ws>/.env',
    'sub/.env',
    'sub/../.env',
    'not-there/../.env',
    'sub/deep/../../.env',
    'hop/../.env',
    'hop/../../.env',
    '.env/',
    './/.env',
    '.env.local',
    '.env.d/x',
    '.env.example',
    'new/folder/.env.production',
    '.git',
    '.git/config',
    '.git/hooks/pre-commit',
    'sub/.git/config',
    '.ssh/authorized_keys',
    'docs/../.git/index',
    'credentials',
    'aws-credentials.json',
    'credentials/readme.md',
    'my-private-key.pem',
    'private-key/x',
    'to-env',
    'sub/to-env',
    'chain',
    'dangling',
    'dangling-deep',
    'repo/config',
    'repo/not-yet/x',
    'keys/id_ed25519',
    'keys',
    '.env.link',
    '~/.ssh/config',
    '$HOME/.ssh/config',
    '${HOME}/.ssh/config',
    '~/.env',
    '<home>/.ssh/known_hosts',
    '<base>/outside/.env',
    '<base>/outside/credentials-store/x',
    '<base>/my-credentials/other',
    '../x',
    '/etc/.git/x',
    '/proc/self/root/etc/.ssh/x',
    `${'a/../'.repeat(2_000)}.env`,
    `${'x'.repeat(300)}/../.env`,
    'line\nfeed/.env',
    'file:///tmp/.env',
  ])('denies %j', async (path) => {
    expect(await verdict({ writePaths: [put(path)] })).toBe('deny');
  });

  it.each([
    '.environment',
    '.envrc',
    'env',
    '.ENV',
    '.Git/config',
    '.gitignore',
    '.github/workflows/x.yml',
    '.gitmodules',
    'git/config',
    '.sshrc',
    'ssh/config',
    'x.env',
    '.env-old',
    'credential.ts',
    'privatekey.pem',
    'Credentials.txt',
    'private_key',
    '.',
    'docs/a.md',
    '<ws>/docs/a.md',
    '<ws>',
    'new/file.txt',
    'away/file.txt',
    'hop/x',
    '<base>/outside/plain/x',
    '~/notes.txt',
    '$HOME/notes.txt',
    '/tmp/x',
    '.env /x',
    'sub\\.env',
    'GIT~1',
    '.env::$DATA',
  ])('allows %j', async (path) => {
    expect(await verdict({ writePaths: [put(path)] })).toBe('allow');
  });

  it('names the file that is reached, and why', async () => {
    expect(await judge({ writePaths: ['sub/to-env'] })).toEqual({
      ok: true,
      value: {
        action: 'deny',
        reason:
          'forbidden-path: writing .env (given as sub/to-env) is not allowed: environment files (.env, .env.*) are protected',
      },
    });
    const hidden = await judge({ writePaths: ['x\u202e/.git'] });
    expect(hidden).toMatchObject({ value: { reason: expect.stringContaining('x\\u{202e}/.git') as string } });
  });

  it.each(['loop-a', 'loop-a/x', 'a\0b'])('cannot judge %j, and says so', async (path) => {
    const answer = await judge({ writePaths: [path] });
    expect(answer.ok ? '' : answer.error).toMatch(/loop|NUL/);
    expect(await verdict({ writePaths: [path, 'docs/a.md'] })).toBe('error');
    expect(await verdict({ writePaths: [path, '.env'] })).toBe('deny');
  });

  it.each<[string, JsonObject]>([
    ['path', { path: '.env' }],
    ['file_path', { file_path: '.env', content: 'x' }],
    ['filePath', { filePath: '.env' }],
    ['output_path', { output_path: '.env' }],
    ['outputFile', { outputFile: '.env' }],
    ['destination', { source: 'a', destination: '.env' }],
    ['paths', { paths: ['a', '.env'] }],
    ['notebook_path', { notebook_path: '.git/x.ipynb' }],
    ['files of objects', { files: [{ path: 'a' }, { path: '.env' }] }],
    ['nested edits', { edits: [{ changes: { 'file-path': '.env' } }] }],
    ['target_file', { target_file: '.env' }],
    ['new_path', { old_path: 'a', new_path: '.env' }],
    ['a patch', { input: '*** Begin Patch\n*** Update File: a\n+x\n*** Add File: sub/.env\n+A=1\n*** End Patch' }],
    ['a patch that moves', { patch: '*** Begin Patch\n*** Update File: a\n*** Move to: .env\n*** End Patch' }],
    ['a unified diff', { patch: '--- a/x\n+++ b/.env\n@@ -0,0 +1 @@\n+A\n' }],
    [
      'a diff that deletes',
      { diff: 'diff --git a/.env b/.env\ndeleted file mode 100644\n--- a/.env\n+++ /dev/null\n' },
    ],
    ['a diff that renames', { diff: 'diff --git a/x b/.env\nsimilarity index 100%\nrename from x\nrename to .env\n' }],
    ['a quoted name in a diff', { diff: '--- "a/\\303\\244/.env"\n+++ "b/sub/.env"\n' }],
    [
      'an argument nested deep',
      Array.from({ length: 500 }).reduce<JsonObject>((inner) => ({ inner }), { path: '.env' }),
    ],
  ])('finds the path in the argument: %s', async (_what, args) => {
    expect(await verdict({ args })).toBe('deny');
  });

  it.each<[string, JsonObject]>([
    ['content', { file_path: 'a.md', content: '.env' }],
    ['a diff as content', { file_path: 'a.md', content: '--- a/.env\n+++ b/.env\n' }],
    ['a command', { command: 'cat .env', description: '.env' }],
    ['old and new text', { file_path: 'a', old_string: '.env', new_string: '.git' }],
    ['numbers and nothing', { path: 3, from: 1, to: null, paths: [], file_path: '' }],
    ['text under a name that may be a path', { to: 'x/'.repeat(40_000) }],
  ])('does not take for a path: %s', async (_what, args) => {
    expect(await verdict({ args })).toBe('allow');
  });

  it('leaves the arguments of a call that only reads alone, but not what it writes', async () => {
    expect(await verdict({ reversible: true, args: { file_path: '.env' } })).toBe('allow');
    expect(await verdict({ reversible: true, writePaths: ['.env'] })).toBe('deny');
  });

  it.each<[string, string, string]>([
    ['secrets/**', 'secrets/a', 'deny'],
    ['secrets/**', 'sub/../secrets/a', 'deny'],
    ['secrets/**', 'secret/a', 'allow'],
    ['*.pem', 'a.pem', 'deny'],
    ['*.pem', 'sub/a.pem', 'allow'],
    ['**/*.pem', 'sub/.hidden/a.pem', 'deny'],
    ['docs/*', 'docs/a\nb', 'deny'],
    ['/etc/**', '/etc/hosts', 'deny'],
    ['sub/deep/**', 'hop/x', 'deny'],
  ])('pattern %j, write to %j: %s', async (pattern, path, expected) => {
    const patterns = [pattern];
    expect(await verdict({ writePaths: [path], patterns })).toBe(expected);
    expect(await verdict({ writePaths: [path], patterns })).toBe(expected);
  });

  it('is an error with a pattern that cannot be read', async () => {
    expect(await verdict({ patterns: ['['] })).toBe('error');
  });
});

describe('forbidden-path by the rules of macOS (not run on that platform)', () => {
  it.each([
    '.ENV',
    '.Env.Local',
    '.GIT/config',
    '.\u017fsh/x',
    '.g\u200cit/config',
    'My-CREDENTIALS',
    'Private-Key.pem',
  ])('denies %j', async (path) => {
    expect(await verdict({ writePaths: [path], platform: 'darwin' })).toBe('deny');
  });
  it.each(['.env ', '.environment', 'GIT~1', '<ws>/docs/a.md'])('allows %j', async (path) => {
    expect(await verdict({ writePaths: [put(path)], platform: 'darwin' })).toBe('allow');
  });
  it('ignores case in patterns', async () => {
    expect(await verdict({ writePaths: ['SECRETS/a'], patterns: ['secrets/**'], platform: 'darwin' })).toBe('deny');
    expect(await verdict({ writePaths: ['SECRETS/a'], patterns: ['secrets/**'], platform: 'linux' })).toBe('allow');
  });
});

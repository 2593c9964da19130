import { describe, expect, it } from 'vitest';
import { foldSegment, protectedName, splitPath } from '../../../../electron/core/engine/builtins/path-names.js';
import { expandHome, foldPaths, reach, relativeTo } from '../../../../electron/core/engine/builtins/reach.js';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../../registry/folders.js';

// The rules of Windows as pure functions; they were not run on that platform.
describe('protectedName by the rules of Windows', () => {
  it.each([
    '.env',
    '.ENV',
    '.env.',
    '.env ',
    '.env. .',
    '.env::$DATA',
    '.env:stream',
    '.Env.local:x',
    '.git',
    '.GIT.',
    '.git::$INDEX_ALLOCATION',
    'GIT~1',
    'git~2',
    'ENV~1',
    'ENV~1.LOC',
    'SSH~1',
    'CREDEN~1.JSO',
    'PRIVAT~1.PEM',
    'My-Credentials ',
  ])('%j is protected', (name) => {
    expect(protectedName(name, 'win32')).not.toBeNull();
  });
  it.each(['.envrc', '.environment', 'C:', 'PROGRA~1', 'git', '.gitignore', 'ENV~1.LOCAL', '...', ' '])(
    '%j is not',
    (name) => {
      expect(protectedName(name, 'win32')).toBeNull();
    },
  );
});

describe('the parts of a path', () => {
  it('splits by the separators of the platform', () => {
    expect(splitPath('C:\\a/b\\\\c', 'win32')).toEqual(['C:', 'a', 'b', 'c']);
    expect(splitPath('/a\\b//c/', 'linux')).toEqual(['a\\b', 'c']);
  });
  it('folds only where the platform does', () => {
    expect(foldSegment('A\u0308.', 'linux')).toBe('A\u0308.');
    expect(foldSegment('A\u0308.', 'darwin')).toBe('\u00e4.');
    expect(foldSegment('A\u0308.', 'win32')).toBe('\u00e4');
  });
  it('knows what is inside a workspace', () => {
    expect(relativeTo('/w/x', '/w/x/a/b', 'linux')).toBe('a/b');
    expect(relativeTo('/w/x', '/w/x', 'linux')).toBe('.');
    expect(relativeTo('/w/x', '/w/xy/a', 'linux')).toBeNull();
    expect(relativeTo('/w/x', '/W/X/a', 'linux')).toBeNull();
    expect(relativeTo('/w/x', '/W/X/a', 'darwin')).toBe('a');
    expect(relativeTo('C:\\w', 'c:\\W.\\a\\b', 'win32')).toBe('a/b');
  });
  it('puts the home folder in only where a shell would', () => {
    expect(['~', '~/x', '$HOME/x', '${HOME}/x'].map((path) => expandHome(path, '/h'))).toEqual([
      '/h',
      '/h/x',
      '/h/x',
      '/h/x',
    ]);
    expect(['~user/x', '$HOMER/x', 'a/~', ''].map((path) => expandHome(path, '/h'))).toEqual([null, null, null, null]);
  });
});

describe('reach', () => {
  const relatives = async (path: string, workspace: string) => {
    const reached = await reach(path, { workspace, home: null });
    return reached.ok ? reached.value.map((file) => file.relativeToWorkspace ?? file.absolute) : [reached.error];
  };

  it('gives every file that programs could mean', async () => {
    const workspace = tempFolder();
    mkdirSync(join(workspace, 'a/b'), { recursive: true });
    symlinkSync('a/b', join(workspace, 'link'));
    expect(await relatives('a/x', workspace)).toEqual(['a/x']);
    expect(await relatives('link/x', workspace)).toEqual(['a/b/x']);
    expect(await relatives('link/../x', workspace)).toEqual(['x', 'a/x']);
    expect(await relatives('link', workspace)).toEqual(['a/b', 'link']);
    expect(await relatives('link/', workspace)).toEqual(['a/b', 'link']);
    expect(await relatives('..', workspace)).toEqual([join(workspace, '..')]);
    expect(await relatives('', workspace)).toEqual(['.']);
  });

  it('sees a workspace that is itself reached through a link', async () => {
    const real = tempFolder();
    const alias = join(tempFolder(), 'alias');
    symlinkSync(real, alias);
    expect(await relatives('x', alias)).toEqual(['x']);
    expect(await relatives(join(real, 'x'), alias)).toEqual(['x']);
  });

  it('folds lists for filters, or says which path it could not', async () => {
    const workspace = tempFolder();
    symlinkSync('self', join(workspace, 'self'));
    expect(await foldPaths(['a', './a', '/b/../c'], { workspace, home: null })).toEqual({
      ok: true,
      value: ['a', '/c'],
    });
    expect(await foldPaths(['a', 'self/x'], { workspace, home: null })).toMatchObject({
      ok: false,
      error: expect.stringContaining('"self/x"') as string,
    });
  });
});

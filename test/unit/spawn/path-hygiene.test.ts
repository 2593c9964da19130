import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanPath, type HygieneInput } from '../../../electron/core/spawn/path-hygiene.js';

const links: Record<string, string> = { '/home/me/link': '/ws', '/ws/loop': '/ws', '/ws/away': '/usr', '/real': '/ws' };
const posix = (path: string, cwd = '/ws') =>
  cleanPath({ path, cwd, platform: 'posix', realPath: (absolute) => links[absolute.replace(/\/$/, '')] ?? absolute });
const win = (path: string, more: Partial<HygieneInput> = {}) =>
  cleanPath({ path, cwd: 'C:\\project', platform: 'win32', realPath: () => null, ...more });

describe('PATH hygiene on POSIX', () => {
  it.each([
    ['leading separator', ':/usr/bin', '/usr/bin', 1, ['empty']],
    ['trailing separator', '/usr/bin:', '/usr/bin', 1, ['empty']],
    ['doubled separator', '/usr/bin::/bin', '/usr/bin:/bin', 1, ['empty']],
    ['a dot', '.:/bin', '/bin', 1, ['dot']],
    ['a dot with a slash', './:/bin', '/bin', 1, ['dot']],
    ['relative and back', 'bin/..:/bin', '/bin', 1, ['relative']],
    ['relative through a link', 'loop:/bin', '/bin', 1, ['relative']],
    ['full path', '/ws:/bin', '/bin', 1, ['full-path']],
    ['full path with a slash', '/ws/:/bin', '/bin', 1, ['full-path']],
    ['full path unfolded', '/ws/a/..:/bin', '/bin', 1, ['full-path']],
    ['a link to it', '/home/me/link:/bin', '/bin', 1, ['real-path']],
    ['several', '::.:/ws:/bin', '/bin', 4, ['empty', 'dot', 'full-path']],
  ])('removes: %s', (_name, dirty, path, removed, kinds) => {
    expect(posix(dirty)).toEqual({ path, removed, kinds });
  });

  it.each([
    '/usr/bin',
    'node_modules/.bin:/bin',
    '   :/bin',
    '/wsx:/bin',
    '/ws/bin:/bin',
    'away:/bin',
    '"/ws":/bin',
    '~:/bin',
  ])('keeps %j', (path) => {
    expect(posix(path)).toEqual({ path, removed: 0, kinds: [] });
  });

  it('looks through the real path of the working directory itself', () => {
    expect(posix('/ws:/bin', '/real')).toEqual({ path: '/bin', removed: 1, kinds: ['real-path'] });
  });

  it('leaves no empty PATH, which would mean the working directory', () => {
    expect(posix('')).toEqual({ path: null, removed: 1, kinds: ['empty'] });
    expect(posix('.:/ws').path).toBeNull();
  });

  it('never keeps an entry that names the folder and never loses another', () => {
    const naming = fc.constantFrom('', '.', './', '/ws', '/ws/', '//ws', '/ws/.', 'x/..', 'a/b/../..', '/x/../ws');
    const other = fc.constantFrom('/usr/bin', '/bin', 'sub', 'sub/dir', '..', '/', ' ');
    fc.assert(
      fc.property(fc.array(fc.oneof(naming, other), { minLength: 1 }), (entries) => {
        const innocent = entries.filter((entry) =>
          ['/usr/bin', '/bin', 'sub', 'sub/dir', '..', '/', ' '].includes(entry),
        );
        const result = posix(entries.join(':'));
        expect(result.path ?? '').toBe(innocent.join(':'));
        expect(result.removed).toBe(entries.length - innocent.length);
      }),
    );
  });
});

describe('PATH hygiene on Windows', () => {
  it.each([
    ['empty', ';C:\\bin', ['empty']],
    ['a dot', '.;C:\\bin', ['dot']],
    ['a dot with a backslash', '.\\;C:\\bin', ['dot']],
    ['relative and back', 'bin\\..;C:\\bin', ['relative']],
    ['full path', 'C:\\project;C:\\bin', ['full-path']],
    ['another case and slashes', 'c:/PROJECT/;C:\\bin', ['full-path']],
    ['dots and spaces at the end', 'C:\\project. .;C:\\bin', ['full-path']],
    ['the long-path prefix', '\\\\?\\C:\\project;C:\\bin', ['full-path']],
    ['rooted without a drive', '\\project;C:\\bin', ['full-path']],
    ['a drive without a folder', 'C:;C:\\bin', ['relative']],
    ['quotes around', '"C:\\project";C:\\bin', ['quoted']],
    ['quotes inside', 'C:\\"project";C:\\bin', ['quoted']],
    ['a quote left open', '"C:\\project;C:\\bin', ['quoted']],
    ['only quotes', '"";C:\\bin', ['quoted']],
    ['spaces before', '  C:\\project;C:\\bin', ['leading-space']],
  ])('removes: %s', (_name, dirty, kinds) => {
    const result = win(dirty);
    expect(result.kinds).toEqual(kinds);
    expect(result.removed).toBe(1);
    expect(result.path ?? '').not.toContain('roject');
  });

  it('knows ~ only when the profile folder is the working directory', () => {
    expect(win('~;C:\\bin', { cwd: 'C:\\Users\\me', home: 'C:\\Users\\me' }).kinds).toEqual(['tilde']);
    expect(win('~\\.;C:\\bin', { cwd: 'C:\\Users\\me', home: 'C:\\Users\\me' }).kinds).toEqual(['tilde']);
    expect(win('~;C:\\bin', { home: 'C:\\Users\\me' }).removed).toBe(0);
  });

  it.each([
    'C:\\bin',
    '"C:\\Program Files\\x;y";C:\\bin',
    '   ;C:\\bin',
    'tools;C:\\bin',
    'D:\\project',
    'C:\\projects',
  ])('keeps %j', (path) => {
    expect(win(path)).toEqual({ path, removed: 0, kinds: [] });
  });

  it('follows real paths (8.3 names, junctions)', () => {
    const realPath = (absolute: string) => (/^C:\\PROJEC~1$/i.test(absolute) ? 'C:\\project' : absolute);
    expect(win('C:\\PROJEC~1;C:\\bin', { realPath })).toEqual({ path: 'C:\\bin', removed: 1, kinds: ['real-path'] });
  });
});

import { describe, expect, it } from 'vitest';
import { hookDepth } from '../../../electron/core/runs/depth.js';
import { secretsOf } from '../../../electron/core/runs/secrets.js';

describe('hook depth', () => {
  it.each([
    [undefined, 0],
    ['', 0],
    ['0', 1],
    ['3', 4],
  ])('after %j is %i', (text, depth) => {
    expect(hookDepth(text === undefined ? {} : { SALLYPORT_HOOK_DEPTH: text })).toBe(depth);
  });

  it.each(['9999', '1e3', '-1', 'x', ' 1', '99999999999999999999'])('%j is too deep, not none', (text) => {
    expect(hookDepth({ SALLYPORT_HOOK_DEPTH: text })).toBeGreaterThanOrEqual(1_000);
  });
});

describe('secrets of an environment', () => {
  const valuesOf = (env: Record<string, string>) => secretsOf(env).map((secret) => secret.value);

  it('are the values of telling names, and of no others', () => {
    const env = {
      AWS_ACCESS_KEY_ID: 'AKIA1',
      AZURE_STORAGE_ACCESSKEY: 'k2',
      GH_TOKEN: 't3',
      EDITOR: 'vi',
      MY_SECRET: '',
    };
    expect(secretsOf(env)).toEqual([
      { label: 'AWS_ACCESS_KEY_ID', value: 'AKIA1' },
      { label: 'AZURE_STORAGE_ACCESSKEY', value: 'k2' },
      { label: 'GH_TOKEN', value: 't3' },
    ]);
  });

  it.each([
    ['http://bob:pass@proxy:8080', ['pass', 'bob:pass']],
    ['http://bob:p@ss:w@proxy/x?y=@z', ['p@ss:w', 'bob:p@ss:w']],
    ['http://bob:p%40ss@proxy', ['p%40ss', 'bob:p%40ss', 'p@ss', 'bob:p@ss']],
    ['http://bob:p%zz@proxy', ['p%zz', 'bob:p%zz']],
    ['postgres://a:one@h/db,postgres://b:two@h/db', ['one', 'a:one', 'two', 'b:two']],
    ['ssh://git@host/x', []],
    ['http://bob:@host', []],
    ['http://host/a:b@c', []],
  ])('%s', (url, values) => {
    expect(valuesOf({ HTTPS_PROXY: url })).toEqual(values);
  });

  it('are the values of header lines, and what follows their scheme', () => {
    const ANTHROPIC_CUSTOM_HEADERS = 'X-Team: blue-team\r\nAuthorization: Bearer abc.def\nno header';
    expect(valuesOf({ ANTHROPIC_CUSTOM_HEADERS })).toEqual(['blue-team', 'Bearer abc.def', 'abc.def']);
  });
});

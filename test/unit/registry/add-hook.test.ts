import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { HookDocument } from '../../../shared/contracts/hook.js';
import { addHook } from '../../../electron/core/registry/add-hook.js';
import { documentFile, loadRegistry } from '../../../electron/core/registry/registry.js';
import { hookDocument } from '../shared/policy/hooks.js';
import { bytesOf, put, tempFolder } from './folders.js';

const add = (stateDir: string, content: unknown, profile: string | null = null) =>
  addHook({ stateDir, profile, bytes: bytesOf(content), label: 'given.json' });
const ids = (stateDir: string, profile: string | null = null) => {
  const { hooks, faults } = loadRegistry({ stateDir, profile, sessionDocuments: [] });
  expect(faults).toEqual([]);
  return hooks.map((hook) => hook.id).toSorted();
};

describe('addHook', () => {
  it('makes the document, for the owner alone', async () => {
    const stateDir = tempFolder();
    expect(await add(stateDir, hookDocument())).toMatchObject({
      ok: true,
      value: { file: documentFile(stateDir, null) },
    });
    const file = documentFile(stateDir, null);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').endsWith('}\n')).toBe(true);
    expect(ids(stateDir)).toEqual(['guard']);
    await add(stateDir, hookDocument({ id: 'p', scope: 'profile', scope_key: 'work' }), 'work');
    expect(ids(stateDir, 'work')).toEqual(['guard', 'p']);
  });

  it('leaves the text of the other hooks as it is', async () => {
    const stateDir = tempFolder();
    const file = documentFile(stateDir, null);
    const odd = `{ "hooks":\n\n [ {"id" : "odd","schema_version":1.0,   "name":"\\u00e4",\n"point":"tool.before","scope":"global","mode":"blocking","handler":{"argv":["x"],"kind":"command"}}\n ],"schema_version" : 1 }\n`;
    put(file, odd);
    expect(
      (await add(stateDir, { schema_version: 1, hooks: [hookDocument({ id: 'a' }), hookDocument({ id: 'b' })] })).ok,
    ).toBe(true);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(odd.slice(odd.indexOf('{"id"'), odd.indexOf('}}') + 2));
    expect(ids(stateDir)).toEqual(['a', 'b', 'odd']);
  });

  it('makes a list around a document of one hook, and fills an empty list', async () => {
    const stateDir = tempFolder();
    const single = JSON.stringify(hookDocument({ id: 'single' }));
    put(documentFile(stateDir, null), single);
    expect((await add(stateDir, hookDocument({ id: 'more' }))).ok).toBe(true);
    expect(readFileSync(documentFile(stateDir, null), 'utf8')).toContain(single);
    expect(ids(stateDir)).toEqual(['more', 'single']);
    const empty = tempFolder();
    put(documentFile(empty, null), '{"schema_version":1,"hooks":[]}');
    expect((await add(empty, hookDocument())).ok).toBe(true);
    expect(ids(empty)).toEqual(['guard']);
  });

  it.each<[string, unknown, string, string]>([
    ['a fault in what is given', { ...hookDocument({ id: 'new' }), mode: 'x' }, 'given.json', 'mode'],
    ['a scope of another place', hookDocument({ id: 'new', scope: 'session' }), 'given.json', 'scope'],
    ['an id that is taken', hookDocument({ id: 'old' }), 'given.json', 'id'],
  ])('refuses %s and writes nothing', async (_what, content, file, path) => {
    const stateDir = tempFolder();
    await add(stateDir, hookDocument({ id: 'old' }));
    const before = readFileSync(documentFile(stateDir, null), 'utf8');
    expect(await add(stateDir, content)).toMatchObject({ ok: false, error: [{ file, path }] });
    expect(readFileSync(documentFile(stateDir, null), 'utf8')).toBe(before);
  });

  it('refuses to touch a document that is broken, and names its faults', async () => {
    const stateDir = tempFolder();
    const file = documentFile(stateDir, null);
    for (const broken of ['{"schema_version":1,"hooks":[', '', '{"schema_version":1,"hooks":[{}, 3]}']) {
      put(file, broken);
      const added = await add(stateDir, hookDocument());
      expect(added.ok ? [] : added.error.map((fault) => fault.file)).toContain(file);
      expect(readFileSync(file, 'utf8')).toBe(broken);
    }
  });

  it('refuses one hook too many', async () => {
    const stateDir = tempFolder();
    const full: HookDocument[] = Array.from({ length: 1_000 }, (_, i) => hookDocument({ id: `h-${i}` }));
    put(documentFile(stateDir, null), { schema_version: 1, hooks: full });
    expect(await add(stateDir, hookDocument())).toMatchObject({ ok: false, error: [{ path: 'hooks' }] });
  });

  it('loses none of many that are added at once', async () => {
    const stateDir = tempFolder();
    const wanted = Array.from({ length: 8 }, (_, i) => `h-${i}`);
    const added = await Promise.all(wanted.map((id) => add(stateDir, hookDocument({ id }))));
    expect(added.every((result) => result.ok)).toBe(true);
    expect(ids(stateDir)).toEqual(wanted);
  });

  it('keeps Windows line ends', async () => {
    const stateDir = tempFolder();
    const file = documentFile(stateDir, null);
    put(file, '');
    writeFileSync(
      file,
      `{\r\n  "schema_version": 1,\r\n  "hooks": [\r\n    ${JSON.stringify(hookDocument({ id: 'a' }))}\r\n  ]\r\n}\r\n`,
    );
    expect((await add(stateDir, hookDocument({ id: 'b' }))).ok).toBe(true);
    expect(readFileSync(file, 'utf8').replaceAll('\r\n', '')).not.toContain('\n');
  });
});

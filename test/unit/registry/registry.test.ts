import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createRegistryKeeper,
  documentFile,
  loadRegistry,
  type RegistryChange,
} from '../../../electron/core/registry/registry.js';
import { hookDocument } from '../shared/policy/hooks.js';
import { bytesOf, put, tempFolder } from './folders.js';

const list = (...hooks: unknown[]) => ({ schema_version: 1, hooks });
const options = (stateDir: string) => ({ stateDir, profile: 'work', sessionDocuments: [], platform: 'linux' as const });
const ofProfile = (id: string) => hookDocument({ id, scope: 'profile', scope_key: 'work' });

describe('loadRegistry', () => {
  it('is empty without files, with a version all the same', () => {
    const snapshot = loadRegistry(options(tempFolder()));
    expect(snapshot).toMatchObject({ hooks: [], listing: [], faults: [], broken: [] });
    expect(snapshot.version).toBe('reg-4f53cda18c2baa0c');
    expect(snapshot.atPoint('tool.before')).toEqual([]);
  });

  it('merges the scopes and prepares each point in order', () => {
    const stateDir = tempFolder();
    put(
      documentFile(stateDir, null),
      list(
        hookDocument({ id: 'late', order: 200 }),
        hookDocument({ id: 'shared' }),
        hookDocument({ id: 'off', enabled: false }),
      ),
    );
    put(
      documentFile(stateDir, 'work'),
      list(
        ofProfile('shared'),
        hookDocument({ id: 'stop', point: 'turn.stopping', scope: 'profile', scope_key: 'work' }),
      ),
    );
    const session = {
      label: 'extra.json',
      bytes: bytesOf(hookDocument({ id: 'first', scope: 'session', order: 1, filters: { tools: ['Bash'] } })),
    };
    const snapshot = loadRegistry({ ...options(stateDir), sessionDocuments: [session] });
    expect(snapshot.faults).toEqual([]);
    expect(snapshot.atPoint('tool.before').map(({ hook }) => hook.key)).toEqual([
      'session::first',
      'profile:work:shared',
      'global::late',
    ]);
    expect(snapshot.atPoint('turn.stopping').map(({ hook }) => hook.id)).toEqual(['stop']);
    expect(snapshot.listing.map((row) => [row.hook.key, row.state])).toEqual([
      ['session::first', 'active'],
      ['global::off', 'off'],
      ['global::shared', 'shadowed'],
      ['profile:work:shared', 'active'],
      ['global::late', 'active'],
      ['profile:work:stop', 'active'],
    ]);
    const facts = { operation: null, category: null, paths: [], sessionId: null, data: {} };
    const first = snapshot.atPoint('tool.before')[0];
    expect(first?.matches({ ...facts, toolName: 'Bash' }).matches).toBe(true);
    expect(first?.matches({ ...facts, toolName: 'Read' }).matches).toBe(false);
    expect(loadRegistry({ ...options(stateDir), profile: null }).hooks).toHaveLength(3);
  });

  it('has a version of the content alone', () => {
    const [one, two, three] = [tempFolder(), tempFolder(), tempFolder()];
    put(documentFile(one, null), list(hookDocument({ id: 'a' }), hookDocument({ id: 'b' })));
    put(documentFile(two, null), JSON.stringify(list(hookDocument({ id: 'b' }), hookDocument({ id: 'a' }))));
    put(documentFile(three, null), list(hookDocument({ id: 'a' }), hookDocument({ id: 'b', order: 101 })));
    const [first, second, third] = [one, two, three].map((folder) => loadRegistry(options(folder)).version);
    expect(first).toMatch(/^reg-[0-9a-f]{16}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('names the faults of every broken document at once', () => {
    const stateDir = tempFolder();
    put(documentFile(stateDir, null), list(hookDocument(), { ...hookDocument({ id: 'x' }), order: 'high' }));
    put(documentFile(stateDir, 'work'), '{');
    const bytes = bytesOf(hookDocument({ scope: 'session' }));
    const snapshot = loadRegistry({
      ...options(stateDir),
      sessionDocuments: [
        { label: 'one', bytes },
        { label: 'two', bytes },
        { label: 'three', bytes: bytesOf(hookDocument()) },
      ],
    });
    expect(snapshot.faults.map((fault) => [fault.file, fault.path])).toEqual(
      expect.arrayContaining([
        [documentFile(stateDir, null), 'hooks[1].order'],
        [documentFile(stateDir, 'work'), ''],
        ['two', 'id'],
        ['three', 'scope'],
      ]),
    );
    expect(snapshot.broken).toEqual([documentFile(stateDir, null), documentFile(stateDir, 'work'), 'two', 'three']);
    expect(snapshot.hooks.map((hook) => hook.key)).toEqual(['session::guard']);
  });

  it('refuses what is no regular file, and names that are no profile', () => {
    const stateDir = tempFolder();
    mkdirSync(documentFile(stateDir, null), { recursive: true });
    expect(loadRegistry(options(stateDir)).faults).toMatchObject([{ message: 'is not a regular file' }]);
    expect(() => documentFile(stateDir, '../global')).toThrow('no profile name');
  });
});

describe('createRegistryKeeper', () => {
  function keep(stateDir: string) {
    const changes: RegistryChange[] = [];
    return { keeper: createRegistryKeeper(options(stateDir), (change) => changes.push(change)), changes };
  }

  it('gives the same snapshot while nothing changes', () => {
    const stateDir = tempFolder();
    put(documentFile(stateDir, null), list(hookDocument()));
    const { keeper, changes } = keep(stateDir);
    expect(keeper.current()).toBe(keeper.current());
    expect(changes).toEqual([]);
  });

  it('sees a change at the next call, also one of the same size within the same instant', () => {
    const stateDir = tempFolder();
    const file = documentFile(stateDir, null);
    put(file, list(hookDocument({ id: 'aaa' })));
    const { keeper, changes } = keep(stateDir);
    keeper.current();
    for (const id of ['bbb', 'ccc', 'ddd', 'eee', 'fff']) {
      put(file, list(hookDocument({ id })));
      expect(keeper.current().hooks.map((hook) => hook.id)).toEqual([id]);
    }
    expect(changes).toHaveLength(5);
    expect(changes[0]).toMatchObject({ added: ['global::bbb'], removed: ['global::aaa'], changed: [], faults: [] });
    expect(changes.slice(1).map((change) => change.previous)).toEqual(
      changes.slice(0, -1).map((change) => change.next),
    );
  });

  it('sees a change of a file that had long settled', async () => {
    const stateDir = tempFolder();
    const file = documentFile(stateDir, null);
    put(file, list(hookDocument({ id: 'aaa' })));
    const { keeper, changes } = keep(stateDir);
    const first = keeper.current();
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect([keeper.current(), keeper.current()]).toEqual([first, first]);
    put(file, list(hookDocument({ id: 'bbb' })));
    expect(keeper.current().hooks.map((hook) => hook.id)).toEqual(['bbb']);
    expect(changes).toHaveLength(1);
  });

  it('sees files come, be replaced by a rename, and go', () => {
    const stateDir = tempFolder();
    const file = documentFile(stateDir, 'work');
    const { keeper, changes } = keep(stateDir);
    expect(keeper.current().hooks).toEqual([]);
    put(file, list(ofProfile('a')));
    expect(keeper.current().hooks.map((hook) => hook.id)).toEqual(['a']);
    put(`${file}.new`, list(ofProfile('a'), ofProfile('b')));
    renameSync(`${file}.new`, file);
    expect(keeper.current().hooks.map((hook) => hook.id)).toEqual(['a', 'b']);
    rmSync(file);
    expect(keeper.current().hooks).toEqual([]);
    expect(changes.map((change) => [change.added, change.removed])).toEqual([
      [['profile:work:a'], []],
      [['profile:work:b'], []],
      [[], ['profile:work:a', 'profile:work:b']],
    ]);
  });

  it('keeps the last good content of a file that breaks, names all its faults, and takes it up again', () => {
    const stateDir = tempFolder();
    const file = documentFile(stateDir, null);
    const other = documentFile(stateDir, 'work');
    put(file, list(hookDocument({ id: 'good' })));
    const { keeper, changes } = keep(stateDir);
    const before = keeper.current();
    put(
      file,
      list(
        { ...hookDocument({ id: 'one' }), mode: 'sometimes' },
        { ...hookDocument({ id: 'two' }), handler: { kind: 'command', argv: [] } },
      ),
    );
    put(other, list(ofProfile('new')));
    const broken = keeper.current();
    expect(broken.hooks.map((hook) => hook.id)).toEqual(['good', 'new']);
    expect(broken.faults.map((fault) => [fault.file, fault.path])).toEqual([
      [file, 'hooks[0].mode'],
      [file, 'hooks[1].handler.argv'],
    ]);
    expect(broken.broken).toEqual([]);
    expect(keeper.current()).toBe(broken);
    writeFileSync(file, '');
    expect(keeper.current().hooks.map((hook) => hook.id)).toEqual(['good', 'new']);
    rmSync(other);
    put(file, list(hookDocument({ id: 'good' })));
    expect(keeper.current()).toMatchObject({ version: before.version, faults: [] });
    expect(changes.map((change) => change.faults.length)).toEqual([2, 1, 0]);
  });

  it('says of a file that was never whole that it is broken, and that nothing of it is in force', () => {
    const stateDir = tempFolder();
    const file = documentFile(stateDir, null);
    put(file, '[');
    const { keeper } = keep(stateDir);
    expect(keeper.current()).toMatchObject({ hooks: [], broken: [file] });
    put(file, list(hookDocument()));
    expect(keeper.current()).toMatchObject({ faults: [], broken: [] });
  });

  it('does not build anew for a file that stays unreadable', () => {
    const stateDir = tempFolder();
    put(join(stateDir, 'hooks'), 'a file where the folder should be');
    const { keeper, changes } = keep(stateDir);
    const first = keeper.current();
    expect(first.faults).toHaveLength(2);
    expect(keeper.current()).toBe(first);
    expect(changes).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookAdd } from '../../../electron/cli/commands/hook-add.js';
import { hookList } from '../../../electron/cli/commands/hook-list.js';
import { hookValidate } from '../../../electron/cli/commands/hook-validate.js';
import { documentFile } from '../../../electron/core/registry/registry.js';
import { put, tempFolder } from '../registry/folders.js';
import { hookDocument } from '../shared/policy/hooks.js';

function terminal(fields: { stateDir?: string; profile?: string; json?: boolean } = {}) {
  const written = { out: '', err: '' };
  const io = {
    stateDir: fields.stateDir ?? tempFolder(),
    profile: fields.profile ?? null,
    json: fields.json ?? false,
    out: (text: string) => void (written.out += text),
    err: (text: string) => void (written.err += text),
  };
  return { io, written };
}

function fileWith(content: unknown): string {
  const file = join(tempFolder(), 'hook.json');
  put(file, content);
  return file;
}

describe('hook validate', () => {
  it('says yes', async () => {
    const { io, written } = terminal();
    const file = fileWith(hookDocument());
    expect(await hookValidate({ file }, io)).toBe(0);
    expect(written).toEqual({ out: `${file}: valid, 1 hook\n  guard  tool.before  global  blocking\n`, err: '' });
  });

  it('says no with every fault, its path and place', async () => {
    const { io, written } = terminal();
    const file = fileWith('{"schema_version":1,"hooks":[\n{"schema_version":2},\n{"schema_version":1}]}');
    expect(await hookValidate({ file }, io)).toBe(1);
    expect(written.out).toBe('');
    expect(written.err).toContain(
      `${file}:2:2: hooks[0].schema_version: schema_version 2 is not known; known versions: 1\n`,
    );
    expect(written.err).toContain(`${file}:3:1: hooks[1].id: missing; allowed: a text\n`);
    expect(written.err).toMatch(/not valid, \d+ faults\n$/);
  });

  it('answers in JSON', async () => {
    const { io, written } = terminal({ json: true });
    expect(await hookValidate({ file: fileWith('[]') }, io)).toBe(1);
    expect(JSON.parse(written.out)).toMatchObject({
      valid: false,
      hooks: [],
      faults: [{ path: '', line: 1, column: 1 }],
    });
    expect(written.err).toBe('');
  });

  it('tells a missing file from one that cannot be read', async () => {
    const { io, written } = terminal();
    expect(await hookValidate({ file: join(tempFolder(), 'none.json') }, io)).toBe(2);
    expect(await hookValidate({ file: tempFolder() }, io)).toBe(4);
    expect(written.err).toMatch(/there is no file .*none\.json; give the path.*\n.*is not a regular file\.\n/);
  });
});

describe('hook add', () => {
  it('adds, says where, and says that a command asks first', async () => {
    const { io, written } = terminal();
    expect(await hookAdd({ file: fileWith(hookDocument()) }, io)).toBe(0);
    expect(written.out).toBe(
      `added to ${documentFile(io.stateDir, null)}: guard\na command runs only after you approved exactly it; you are asked when a run starts.\n`,
    );
    expect(JSON.parse(readFileSync(documentFile(io.stateDir, null), 'utf8'))).toEqual({
      schema_version: 1,
      hooks: [hookDocument()],
    });
  });

  it('adds to a profile', async () => {
    const { io, written } = terminal({ profile: 'work', json: true });
    const hook = hookDocument({ scope: 'profile', scope_key: 'work' });
    expect(await hookAdd({ file: fileWith(hook) }, io)).toBe(0);
    expect(JSON.parse(written.out)).toEqual({ file: documentFile(io.stateDir, 'work'), added: ['guard'] });
  });

  it('refuses by fault, by name and by file', async () => {
    const { io, written } = terminal();
    const file = fileWith(hookDocument());
    await hookAdd({ file }, io);
    expect(await hookAdd({ file }, io)).toBe(1);
    expect(written.err).toContain('"guard" is already the id of a hook in');
    expect(written.err).toContain('nothing was added');
    expect(await hookAdd({ file: join(tempFolder(), 'none') }, io)).toBe(2);
    expect(await hookAdd({ file }, terminal({ profile: '../x' }).io)).toBe(2);
    expect(await hookAdd({ file: tempFolder() }, io)).toBe(4);
  });

  it('says so when the disk refuses', async () => {
    const stateDir = join(tempFolder(), 'state');
    put(stateDir, 'a file where the folder should be');
    const { io, written } = terminal({ stateDir });
    expect(await hookAdd({ file: fileWith(hookDocument()) }, io)).toBe(4);
    expect(written.err).toMatch(/could not be written \(.+\); nothing was added/);
  });
});

describe('hook list', () => {
  it('shows every hook with state, reason and handler, tokens made safe to read', async () => {
    const { io, written } = terminal({ profile: 'work' });
    const argv = ['/bin/x', 'a b', 'rm\u202e', 'p\u0430th', '--k=v'];
    put(documentFile(io.stateDir, null), {
      schema_version: 1,
      hooks: [
        hookDocument({ id: 'a', handler: { kind: 'command', argv } }),
        hookDocument({ id: 'b' }),
        hookDocument({ id: 'c', enabled: false }),
      ],
    });
    const override = hookDocument({
      id: 'b',
      scope: 'profile',
      scope_key: 'work',
      handler: { kind: 'builtin', builtin: 'forbidden-path' },
    });
    put(documentFile(io.stateDir, 'work'), override);
    expect(await hookList({}, io)).toBe(0);
    const lines = written.out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(lines[0]?.[0]).toMatch(/^registry reg-[0-9a-f]{16}$/);
    expect(lines.slice(1)).toEqual([
      ['ID', 'POINT', 'SCOPE', 'MODE', 'STATE', 'HANDLER'],
      [
        'a',
        'tool.before',
        'global',
        'blocking',
        'active (asks for approval when a run starts)',
        'command /bin/x "a b" "rm\\u{202e}" "p\\u{430}th" (look-alike letters!) --k=v',
      ],
      [
        'b',
        'tool.before',
        'global',
        'blocking',
        'shadowed (replaced by the profile hook of the same id)',
        'command /bin/true',
      ],
      ['c', 'tool.before', 'global', 'blocking', 'off (its document says "enabled": false)', 'command /bin/true'],
      ['b', 'tool.before', 'profile work', 'blocking', 'active', 'builtin forbidden-path'],
    ]);
  });

  it('answers in JSON, and says no when a document is broken', async () => {
    const { io, written } = terminal({ json: true });
    put(documentFile(io.stateDir, null), hookDocument());
    expect(await hookList({}, io)).toBe(0);
    expect(JSON.parse(written.out)).toMatchObject({
      hooks: [{ id: 'guard', state: 'active', reason: '' }],
      faults: [],
    });
    put(documentFile(io.stateDir, null), '{');
    const plain = terminal({ stateDir: io.stateDir });
    expect(await hookList({}, plain.io)).toBe(1);
    expect(plain.written.out).toContain('no hooks');
    expect(plain.written.err).toContain(`${documentFile(io.stateDir, null)}:1:2: `);
  });

  it('refuses a name that is no profile', async () => {
    expect(await hookList({}, terminal({ profile: 'A B' }).io)).toBe(2);
  });
});

import { describe, expect, it } from 'vitest';
import { parseDocument, type DocumentPlace } from '../../../electron/core/registry/document.js';
import { hookDocument } from '../shared/policy/hooks.js';
import { bytesOf } from './folders.js';

const GLOBAL: DocumentPlace = { scope: 'global' };
const list = (...hooks: unknown[]) => ({ schema_version: 1, hooks });

function faultsOf(content: unknown, place: DocumentPlace = GLOBAL) {
  const parsed = parseDocument(content instanceof Uint8Array ? content : bytesOf(content), 'f.json', place, null);
  return parsed.ok ? [] : parsed.error;
}
const brief = (content: unknown, place?: DocumentPlace) =>
  faultsOf(content, place).map((fault) => `${fault.path}: ${fault.message}`);

describe('parseDocument', () => {
  it('takes one hook or a list of hooks', () => {
    expect(parseDocument(bytesOf(hookDocument()), 'f', GLOBAL, 'f')).toMatchObject({
      ok: true,
      value: { form: 'single', hooks: [{ id: 'guard' }] },
    });
    const both = list(hookDocument(), hookDocument({ id: 'b' }));
    expect(parseDocument(bytesOf(both), 'f', GLOBAL, null)).toMatchObject({
      ok: true,
      value: { form: 'list', hooks: [{ id: 'guard' }, { id: 'b' }] },
    });
    expect(faultsOf(list())).toEqual([]);
  });

  it('names both of two broken hooks, each fault with path, line and column', () => {
    const text = `{
  "schema_version": 1,
  "hooks": [
    ${JSON.stringify(hookDocument({ id: 'fine' }))},
    { "schema_version": 1, "id": "one", "name": "One", "point": "tool.befor", "scope": "global", "mode": "blocking",
      "handler": { "kind": "command", "argv": [7] } },
    { "schema_version": 1, "id": "two", "name": "Two", "point": "session.start", "scope": "global", "mode": "blocking",
      "handler": { "kind": "command", "argv": ["x"], "shell": true }, "ordre": 3 }
  ]
}`;
    expect(faultsOf(text)).toEqual([
      {
        file: 'f.json',
        path: 'hooks[1].point',
        line: 5,
        column: expect.any(Number) as number,
        message: expect.stringMatching(/^"tool.befor" stands here; allowed: "run.before", .*"tool.before"/) as string,
      },
      {
        file: 'f.json',
        path: 'hooks[1].handler.argv[0]',
        line: 6,
        column: 48,
        message: '7 stands here; allowed: a text',
      },
      {
        file: 'f.json',
        path: 'hooks[2].handler.shell',
        line: 8,
        column: 54,
        message: 'unknown field; allowed: kind, argv, env',
      },
      {
        file: 'f.json',
        path: 'hooks[2].ordre',
        line: 8,
        column: 71,
        message: expect.stringContaining('unknown field; allowed: schema_version, id, name') as string,
      },
      {
        file: 'f.json',
        path: 'hooks[2].mode',
        line: 7,
        column: expect.any(Number) as number,
        message: expect.stringContaining('point session.start cannot be blocked') as string,
      },
    ]);
  });

  it('tells all faults of one hook at once, those across fields and in nested rules too', () => {
    const faults = brief({
      schema_version: 1,
      id: 'Bad Id',
      name: '',
      point: 'notification',
      scope: 'global',
      scope_key: 'x',
      mode: 'blocking',
      order: 1.5,
      timeout_seconds: 0,
      max_concurrency: 65,
      pin_program: true,
      needs: { decisions: [], signals: ['nope'] },
      filters: { tools: ['['], paths: [], data: { a: {} } },
      handler: { kind: 'builtin', builtin: 'forbidden-path', options: { patterns: ['', '(', 3], other: 1 } },
    });
    expect(faults.map((fault) => fault.split(':')[0]).toSorted()).toEqual(
      [
        ...['id', 'name', 'scope_key', 'mode', 'order', 'timeout_seconds', 'max_concurrency', 'pin_program'],
        ...['needs.decisions', 'needs.signals[0]', 'filters.tools[0]', 'filters.paths', 'filters.data.a'],
        ...[
          'handler.options.patterns[0]',
          'handler.options.patterns[1]',
          'handler.options.patterns[2]',
          'handler.options.other',
        ],
      ].toSorted(),
    );
    expect(faults).toContain('timeout_seconds: 0 stands here; allowed: at least 0.1');
    expect(faults).toContain('order: 1.5: must be a whole number');
    expect(faults).toContain('handler.options.other: unknown field; allowed: patterns');
    expect(faults.find((fault) => fault.startsWith('filters.tools[0]'))).toContain('"[" is no glob that can be read');
  });

  it('says which versions are known, and nothing else about such a hook', () => {
    expect(brief({ ...hookDocument(), schema_version: 2, future: true })).toEqual([
      'schema_version: schema_version 2 is not known; known versions: 1',
    ]);
    expect(brief({ ...list(hookDocument()), schema_version: '1' })).toEqual([
      'schema_version: schema_version "1" is not known; known versions: 1',
    ]);
    expect(brief({ hooks: [] })).toEqual(['schema_version: missing; known versions: 1']);
    expect(brief({})).toEqual(['schema_version: missing; known versions: 1']);
  });

  it('names what is missing', () => {
    const { name: _name, handler: _handler, ...rest } = hookDocument();
    expect(brief(rest)).toEqual(['name: missing; allowed: a text', 'handler: missing; allowed: an object']);
    expect(brief({ ...hookDocument(), handler: { kind: 'shell' } })).toEqual([
      'handler.kind: "shell" stands here; allowed: "builtin", "command"',
    ]);
  });

  it.each([[null], [[]], [3], ['text']])('refuses %j as a document', (content) => {
    expect(brief(JSON.stringify(content))).toEqual([': a document is one hook or {"schema_version":1,"hooks":[…]}']);
  });

  it('refuses what is not strict JSON, with its place', () => {
    expect(faultsOf('{"schema_version":1,\n"hooks":[],\n"hooks":[]}')).toMatchObject([
      { path: '', line: 3, column: 1, message: expect.stringContaining('twice') as string },
    ]);
    expect(faultsOf(Uint8Array.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))).toMatchObject([
      { message: expect.stringContaining('BOM') as string },
    ]);
    expect(brief('{"a":'.repeat(40))).toEqual([': nested more than 32 levels deep']);
  });

  it('holds its bounds', () => {
    const many = (count: number) => list(...Array.from({ length: count }, (_, i) => hookDocument({ id: `h-${i}` })));
    expect(faultsOf(many(1_000))).toEqual([]);
    expect(brief(many(1_001))).toEqual(['hooks: 1001 hooks stand here; allowed: at most 1000']);
    expect(brief(`${JSON.stringify(hookDocument())}${' '.repeat(1_048_576)}`)).toEqual([
      expect.stringContaining('more than 1048576 bytes'),
    ]);
  });

  it('wants the scope that belongs to the place', () => {
    const profile: DocumentPlace = { scope: 'profile', profile: 'work' };
    expect(faultsOf(hookDocument({ scope: 'profile', scope_key: 'work' }), profile)).toEqual([]);
    expect(brief(hookDocument({ scope: 'profile', scope_key: 'home' }), profile)).toEqual([
      'scope_key: "home" stands here; allowed: "work", the profile\'s name',
    ]);
    expect(brief(hookDocument({ scope: 'profile' }), profile)).toEqual([
      'scope_key: missing; allowed: "work", the profile\'s name',
    ]);
    expect(brief(hookDocument({ scope: 'session' }))).toEqual([
      'scope: "session" stands here, but this document is for the global hooks; allowed: "global"',
    ]);
    expect(faultsOf(hookDocument({ scope: 'session' }), { scope: 'session' })).toEqual([]);
    expect(faultsOf(list(hookDocument(), hookDocument({ scope: 'session' })), { scope: 'anywhere' })).toEqual([]);
  });

  it('wants ids that are unique within their scope', () => {
    expect(brief(list(hookDocument(), hookDocument({ id: 'b' }), hookDocument()))).toEqual([
      'hooks[2].id: "guard" is already the id of hooks[0]; ids are unique within a scope',
    ]);
  });

  it('never echoes a value of the environment', () => {
    const handler = {
      kind: 'command',
      argv: ['x'],
      env: { MY_TOKEN: 'hunter2', LD_PRELOAD: 'hunter2', OK: 'hunter2\0' },
    };
    const faults = brief({ ...hookDocument(), handler });
    expect(faults).toHaveLength(3);
    expect(faults.join('\n')).not.toContain('hunter2');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HookFilters } from '../../../../shared/contracts/hook.js';
import { CATEGORIES, OPERATIONS } from '../../../../shared/contracts/vocabulary.js';
import { compileFilters, type FilterFacts } from '../../../../shared/policy/filters.js';

const facts: FilterFacts = {
  toolName: 'Write',
  operation: 'modify_file',
  category: 'fs.write',
  paths: ['src/a.ts'],
  sessionId: 's-1',
  data: { args: { file_path: 'src/a.ts', edits: [{ n: 1 }], flag: null } },
};

function matcher(filters: HookFilters, ignoreCase = false) {
  const compiled = compileFilters(filters, { ignoreCase });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  return compiled.value;
}
const matches = (filters: HookFilters, changed: Partial<FilterFacts> = {}, ignoreCase = false) =>
  matcher(filters, ignoreCase)({ ...facts, ...changed }).matches;
const path = (glob: string, name: string, ignoreCase = false) =>
  matches({ paths: [glob] }, { paths: [name] }, ignoreCase);

describe('compileFilters', () => {
  it('matches everything without filters', () => {
    expect(matches({})).toBe(true);
  });

  it('is conjunctive across families and any-of within one', () => {
    const name = fc.constantFrom('Write', 'Bash', 'Read');
    const anyFilters = fc.record(
      {
        tools: fc.uniqueArray(name, { minLength: 1 }),
        operations: fc.uniqueArray(fc.constantFrom(...OPERATIONS), { minLength: 1 }),
        categories: fc.uniqueArray(fc.constantFrom(...CATEGORIES), { minLength: 1 }),
        sessions: fc.uniqueArray(fc.constantFrom('s-1', 's-2'), { minLength: 1 }),
        paths: fc.uniqueArray(fc.constantFrom('a', 'b', 'c/d'), { minLength: 1 }),
      },
      { requiredKeys: [] },
    );
    const anyFacts = fc.record({
      toolName: fc.option(name),
      operation: fc.option(fc.constantFrom(...OPERATIONS)),
      category: fc.option(fc.constantFrom(...CATEGORIES)),
      sessionId: fc.option(fc.constantFrom('s-1', 's-2')),
      paths: fc.array(fc.constantFrom('a', 'b', 'c/d')),
      data: fc.constant({}),
    });
    fc.assert(
      fc.property(anyFilters, anyFacts, (filters, event) => {
        const expected = {
          operations: filters.operations?.some((x) => x === event.operation),
          categories: filters.categories?.some((x) => x === event.category),
          tools: filters.tools?.some((x) => x === event.toolName),
          sessions: filters.sessions?.some((x) => x === event.sessionId),
          paths: filters.paths?.some((x) => event.paths.includes(x)),
        };
        const result = matcher(filters as HookFilters)(event);
        expect(result.matches).toBe(Object.values(expected).every((answer) => answer !== false));
        const why = Object.fromEntries(result.why().map((verdict) => [verdict.family, verdict.matches]));
        const named = Object.fromEntries(Object.entries(expected).filter(([, answer]) => answer !== undefined));
        expect(why).toEqual(named);
      }),
    );
  });

  it('explains what it wanted and what the event had', () => {
    expect(matcher({ tools: ['Bash'], data: { 'args.flag': true } })(facts).why()).toEqual([
      { family: 'tools', matches: false, wanted: ['Bash'], seen: 'Write' },
      { family: 'data', matches: false, wanted: { 'args.flag': true }, seen: { 'args.flag': null } },
    ]);
  });

  it.each([
    ['**', '.', true],
    ['.', '.', true],
    ['src/**', '.', false],
    ['*', '.env', true],
    ['**/.env', 'a/.b/.env', true],
    ['protected/**', 'protected/x/y', true],
    ['protected/**', 'protected', true],
    ['protected/**', 'protected2/x', false],
    ['protected/**', 'protected/a\nb', true],
    ['protected/**', 'protected/\n/x', true],
    ['*.pem', 'keys/a.pem', false],
    ['**/*.pem', 'keys/a.pem', true],
    ['/etc/**', '/etc/passwd', true],
    ['etc/**', '/etc/passwd', false],
    ['{a,b}/*.ts', 'b/x.ts', true],
    ['!src/**', 'docs/x', true],
    ['!src/**', 'src/x', false],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
  ])('glob %j against %j: %s', (glob, name, expected) => {
    expect(path(glob, name)).toBe(expected);
  });

  it('takes any path of several, and none matches none', () => {
    expect(matches({ paths: ['b/*'] }, { paths: ['a/x', 'b/x'] })).toBe(true);
    expect(matches({ paths: ['**'] }, { paths: [] })).toBe(false);
  });

  it('ignores case, and the two spellings of an accent, only where it is told to', () => {
    expect(path('Protected/**', 'pROTECTED/x')).toBe(false);
    expect(path('Protected/**', 'pROTECTED/x', true)).toBe(true);
    expect(path('caf\u00e9/*', 'CAFE\u0301/x', true)).toBe(true);
    expect(matches({ tools: ['write'] }, {}, true)).toBe(false);
  });

  it('does not match a family that the event has nothing for', () => {
    expect(matches({ tools: ['*'] }, { toolName: null })).toBe(false);
    expect(matches({ operations: ['run_command'] }, { operation: null })).toBe(false);
    expect(matches({ sessions: ['*'] }, { sessionId: null })).toBe(false);
  });

  it.each([
    [{ 'args.file_path': 'src/a.ts' }, true],
    [{ 'args.file_path': ['x', 'src/a.ts'] }, true],
    [{ 'args.edits.0.n': 1 }, true],
    [{ 'args.edits.0.n': '1' }, false],
    [{ 'args.edits.length': 1 }, false],
    [{ 'args.flag': null }, true],
    [{ 'args.missing': null }, false],
    [{ 'args.constructor.name': 'Object' }, false],
    [{ 'args.flag': null, 'args.missing': 1 }, false],
  ])('data %j: %s', (data, expected) => {
    expect(matches({ data })).toBe(expected);
  });

  it.each(['[', '(', '{a', 'a)', '[b-a]', '\\', 'a\0b'])('names the glob %j as unreadable', (glob) => {
    const compiled = compileFilters({ paths: ['ok', glob], tools: [glob] }, { ignoreCase: false });
    expect(compiled.ok ? [] : compiled.error.map((fault) => fault.path)).toEqual(
      expect.arrayContaining([
        ['paths', 1],
        ['tools', 0],
      ]),
    );
  });
});

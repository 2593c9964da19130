/**
 * Filters, compiled once when a document is loaded: conjunctive across families, any-of within one.
 * It matches facts and never asks a file system; paths come folded and with links resolved.
 */
import picomatch from 'picomatch';
import type { HookFilters } from '../contracts/hook.js';
import type { Category, Operation } from '../contracts/vocabulary.js';
import type { Json, JsonObject } from '../json.js';
import { fail, ok, type Result } from '../result.js';

/** What is known about an event when filters are asked; null where the event has no such thing. */
export interface FilterFacts {
  readonly toolName: string | null;
  readonly operation: Operation | null;
  readonly category: Category | null;
  /** `/`-separated; from the workspace's root (`.` is the root itself), or absolute when outside it. */
  readonly paths: readonly string[];
  readonly sessionId: string | null;
  readonly data: JsonObject;
}

export type FilterFamily = keyof HookFilters;

/** One family's answer, for an explanation: what the filter wants and what the event has. */
export interface FamilyVerdict {
  readonly family: FilterFamily;
  readonly matches: boolean;
  readonly wanted: Json;
  readonly seen: Json;
}

export interface FilterResult {
  readonly matches: boolean;
  /** Every family that the filters name, each with its own answer; worked out only when asked for. */
  readonly why: () => readonly FamilyVerdict[];
}

/** Compiled filters: does the hook run for this event, and why or why not? */
export type FilterMatcher = (facts: FilterFacts) => FilterResult;

export interface FilterOptions {
  /** True on Windows and macOS, whose file names do not tell cases apart. */
  readonly ignoreCase: boolean;
}

/** A glob that cannot be read, and where in the filters it stands. */
export interface FilterFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

interface Family {
  readonly family: FilterFamily;
  readonly wanted: Json;
  readonly test: (facts: FilterFacts) => boolean;
  readonly seen: (facts: FilterFacts) => Json;
}

/** Compiles the filters of a hook; every bad glob is named, because it refuses the document. */
export function compileFilters(filters: HookFilters, options: FilterOptions): Result<FilterMatcher, FilterFault[]> {
  const faults: FilterFault[] = [];
  const globs = (family: 'tools' | 'paths' | 'sessions', ignoreCase: boolean): GlobTest => {
    const compiled = compileGlobs(filters[family] ?? [], ignoreCase);
    if (compiled.ok) return compiled.value;
    for (const fault of compiled.error) faults.push({ path: [family, fault.index], message: fault.message });
    return () => false;
  };
  // Cheap families first: the first that fails decides.
  const families: Family[] = [];
  const { operations, categories, tools, sessions, paths, data } = filters;
  if (operations !== undefined) families.push(exactFamily('operations', operations, (facts) => facts.operation));
  if (categories !== undefined) families.push(exactFamily('categories', categories, (facts) => facts.category));
  if (tools !== undefined) families.push(globFamily('tools', tools, globs('tools', false), (facts) => facts.toolName));
  if (sessions !== undefined) {
    families.push(globFamily('sessions', sessions, globs('sessions', false), (facts) => facts.sessionId));
  }
  if (paths !== undefined) families.push(pathFamily(paths, globs('paths', options.ignoreCase)));
  if (data !== undefined) families.push(dataFamily(data));
  if (faults.length > 0) return fail(faults);
  return ok((facts) => ({ matches: testAll(families, facts), why: () => explain(families, facts) }));
}

function testAll(families: readonly Family[], facts: FilterFacts): boolean {
  for (const family of families) if (!family.test(facts)) return false;
  return true;
}

function explain(families: readonly Family[], facts: FilterFacts): readonly FamilyVerdict[] {
  return families.map(({ family, wanted, test, seen }) => ({
    family,
    matches: test(facts),
    wanted,
    seen: seen(facts),
  }));
}

function exactFamily<T extends string>(
  family: FilterFamily,
  wanted: readonly T[],
  of: (facts: FilterFacts) => T | null,
): Family {
  const set = new Set<T | null>(wanted);
  return { family, wanted, test: (facts) => set.has(of(facts)), seen: of };
}

function globFamily(
  family: FilterFamily,
  wanted: readonly string[],
  test: GlobTest,
  of: (facts: FilterFacts) => string | null,
): Family {
  return {
    family,
    wanted,
    seen: of,
    test: (facts) => {
      const text = of(facts);
      return text !== null && test(text);
    },
  };
}

function pathFamily(wanted: readonly string[], test: GlobTest): Family {
  return { family: 'paths', wanted, test: (facts) => facts.paths.some(test), seen: (facts) => facts.paths };
}

function dataFamily(wanted: NonNullable<HookFilters['data']>): Family {
  const rows = Object.entries(wanted).map(([path, value]) => ({
    path,
    steps: path.split('.'),
    values: new Set<Json | undefined>(Array.isArray(value) ? value : [value]),
  }));
  return {
    family: 'data',
    wanted,
    test: (facts) => rows.every((row) => row.values.has(valueAt(facts.data, row.steps))),
    seen: (facts) => Object.fromEntries(rows.map((row) => [row.path, valueAt(facts.data, row.steps) ?? null])),
  };
}

/** The value at a dotted path, own members and list places only; undefined when nothing is there. */
function valueAt(root: Json, steps: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(step)) return undefined;
    value = Object.hasOwn(value, step) ? (value as JsonObject)[step] : undefined;
  }
  return value;
}

export type GlobTest = (text: string) => boolean;

/** Globs that cover the workspace's root itself, which picomatch does not match against `.`. */
const ROOT_GLOBS: ReadonlySet<string> = new Set(['.', './', '**', '**/', '**/*', './**', './**/*']);

/**
 * One test for any of several globs (picomatch, dots included, `/` as the only separator).
 * The `s` flag matters: without it `protected/**` would not see a file name with a line feed in it.
 */
export function compileGlobs(
  globs: readonly string[],
  ignoreCase: boolean,
): Result<GlobTest, { readonly index: number; readonly message: string }[]> {
  const fold = (text: string): string => (ignoreCase ? text.normalize('NFC') : text);
  const faults: { index: number; message: string }[] = [];
  const tests: GlobTest[] = [];
  for (const [index, glob] of globs.entries()) {
    const compiled = compileGlob(fold(glob), ignoreCase);
    if (compiled.ok) tests.push(compiled.value);
    else faults.push({ index, message: `${JSON.stringify(glob)} is no glob that can be read: ${compiled.error}` });
  }
  if (faults.length > 0) return fail(faults);
  return ok((text) => {
    const folded = fold(text);
    for (const test of tests) if (test(folded)) return true;
    return false;
  });
}

function compileGlob(glob: string, ignoreCase: boolean): Result<GlobTest, string> {
  if (glob === '') return fail('it is empty');
  if (glob.includes('\0')) return fail('it has a NUL character');
  try {
    const test = picomatch(glob, {
      dot: true,
      windows: false,
      strictBrackets: true,
      debug: true,
      flags: ignoreCase ? 'is' : 's',
    });
    const coversRoot = ROOT_GLOBS.has(glob);
    return ok((text) => (text === '.' ? coversRoot : test(text)));
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Bytes of one document file to resolved hooks, or all that is wrong with them at once.
 * The bytes come in already read, so that what is hashed, parsed and shown is the same.
 */
import { DOCUMENT_LIMITS, hookSchema, type HookDocument } from '../../../shared/contracts/hook.js';
import type { Scope } from '../../../shared/contracts/vocabulary.js';
import { isJsonObject, type Json } from '../../../shared/json.js';
import { compileGlobs } from '../../../shared/policy/filters.js';
import { resolveHook, type ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { formatPath, parseStrictJson, positionsIn } from '../../../shared/strict-json.js';
import { decodeUtf8 } from '../../../shared/utf8.js';
import { describeIssue, describeVersion, KNOWN_SCHEMA_VERSIONS, valueAt, type PathFault } from './describe-issue.js';

/** One fault of a document: where, what stands there, what is allowed. Line and column count from 1. */
export interface DocumentFault {
  readonly file: string;
  /** Such as `hooks[2].handler.argv[0]`; "" is the whole document. */
  readonly path: string;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** Where a document lives; its hooks must declare the scope that belongs there. `anywhere` is for looking at a file. */
export type DocumentPlace =
  { readonly scope: 'global' | 'session' | 'anywhere' } | { readonly scope: 'profile'; readonly profile: string };

/** A document whose every hook is valid. */
export interface ParsedDocument {
  readonly text: string;
  /** `single`: the document is one hook; `list`: the hooks stand under `hooks`. */
  readonly form: 'single' | 'list';
  readonly hooks: readonly ResolvedHook[];
}

/** Parses and checks a document; `file` is the name that its faults carry. */
export function parseDocument(
  bytes: Uint8Array,
  file: string,
  place: DocumentPlace,
  source: string | null,
): Result<ParsedDocument, DocumentFault[]> {
  const text = readText(bytes);
  if (!text.ok) return fail([{ file, path: '', message: text.error, line: 1, column: 1 }]);
  const json = parseStrictJson(text.value, { depth: DOCUMENT_LIMITS.depth });
  if (!json.ok) return fail(json.error.map((fault) => ({ file, ...fault })));
  const checked = checkHooks(json.value, place);
  if (!checked.ok) return fail(locate(checked.error, text.value, file));
  const { form, documents } = checked.value;
  return ok({ text: text.value, form, hooks: documents.map((document) => resolveHook(document, source)) });
}

function readText(bytes: Uint8Array): Result<string, string> {
  if (bytes.length > DOCUMENT_LIMITS.bytes) {
    return fail(`has more than ${DOCUMENT_LIMITS.bytes} bytes; that is the most a document may have`);
  }
  return decodeUtf8(bytes);
}

function locate(faults: readonly PathFault[], text: string, file: string): DocumentFault[] {
  const positionOf = positionsIn(text);
  return faults.map(({ path, message }) => ({ file, path: formatPath(path), message, ...positionOf(path) }));
}

interface CheckedHooks {
  readonly form: 'single' | 'list';
  readonly documents: readonly HookDocument[];
}

function checkHooks(value: Json, place: DocumentPlace): Result<CheckedHooks, PathFault[]> {
  const listed = splitHooks(value);
  if (!listed.ok) return fail([listed.error]);
  const { form, faults, items } = listed.value;
  const documents: HookDocument[] = [];
  for (const item of items) {
    const checked = checkHook(item.value, place);
    if (checked.ok) documents.push(checked.value);
    else faults.push(...checked.error.map(({ path, message }) => ({ path: [...item.path, ...path], message })));
  }
  faults.push(...findDuplicates(items));
  return faults.length > 0 ? fail(faults) : ok({ form, documents });
}

interface HookItem {
  readonly path: readonly (string | number)[];
  readonly value: Json;
}

interface HookList {
  readonly form: 'single' | 'list';
  readonly items: readonly HookItem[];
  readonly faults: PathFault[];
}

function splitHooks(value: Json): Result<HookList, PathFault> {
  if (!isJsonObject(value))
    return fail({ path: [], message: 'a document is one hook or {"schema_version":1,"hooks":[…]}' });
  if (!Object.hasOwn(value, 'hooks')) return ok({ form: 'single', items: [{ path: [], value }], faults: [] });
  const version = value.schema_version;
  if (!isKnownVersion(version)) return fail({ path: ['schema_version'], message: describeVersion(version) });
  const hooks = value.hooks;
  if (!Array.isArray(hooks)) return fail({ path: ['hooks'], message: 'allowed: a list of hooks' });
  if (hooks.length > DOCUMENT_LIMITS.hooks) {
    return fail({
      path: ['hooks'],
      message: `${hooks.length} hooks stand here; allowed: at most ${DOCUMENT_LIMITS.hooks}`,
    });
  }
  const faults = Object.keys(value)
    .filter((key) => key !== 'schema_version' && key !== 'hooks')
    .map((key) => ({ path: [key], message: 'unknown field; allowed beside a list of hooks: schema_version' }));
  const items = (hooks as readonly Json[]).map((hook, index) => ({ path: ['hooks', index], value: hook }));
  return ok({ form: 'list', items, faults });
}

function isKnownVersion(version: unknown): boolean {
  return typeof version === 'number' && KNOWN_SCHEMA_VERSIONS.includes(version);
}

function checkHook(value: Json, place: DocumentPlace): Result<HookDocument, PathFault[]> {
  // Fields of a version that is not known cannot be judged, so only the version is named.
  if (isJsonObject(value) && !isKnownVersion(value.schema_version)) {
    return fail([{ path: ['schema_version'], message: describeVersion(value.schema_version) }]);
  }
  const checked = hookSchema.safeParse(value);
  const faults = checked.success ? [] : checked.error.issues.flatMap((issue) => describeIssue(issue, value));
  faults.push(...findBadGlobs(value), ...findMisplaced(value, place));
  return checked.success && faults.length === 0 ? ok(checked.data) : fail(faults);
}

const GLOB_LISTS: readonly (readonly string[])[] = [
  ['filters', 'tools'],
  ['filters', 'paths'],
  ['filters', 'sessions'],
  ['handler', 'options', 'patterns'],
];

function findBadGlobs(hook: Json): PathFault[] {
  const faults: PathFault[] = [];
  for (const list of GLOB_LISTS) {
    const globs = valueAt(hook, list);
    if (!Array.isArray(globs)) continue;
    for (const [index, glob] of globs.entries()) {
      if (typeof glob !== 'string' || glob === '') continue;
      const compiled = compileGlobs([glob], false);
      if (!compiled.ok) faults.push({ path: [...list, index], message: compiled.error[0]?.message ?? 'no glob' });
    }
  }
  return faults;
}

const PLACE_WORDS: Readonly<Record<Exclude<DocumentPlace['scope'], 'anywhere'>, string>> = {
  global: 'the global hooks',
  profile: "this profile's hooks",
  session: 'a run',
};

function findMisplaced(hook: Json, place: DocumentPlace): PathFault[] {
  if (place.scope === 'anywhere' || !isJsonObject(hook)) return [];
  const scope = hook.scope as Scope | undefined;
  if (typeof scope !== 'string') return [];
  if (scope !== place.scope) {
    const message = `"${scope}" stands here, but this document is for ${PLACE_WORDS[place.scope]}; allowed: "${place.scope}"`;
    return [{ path: ['scope'], message }];
  }
  if (place.scope !== 'profile' || hook.scope_key === place.profile) return [];
  const found = hook.scope_key === undefined ? 'missing' : `${JSON.stringify(hook.scope_key)} stands here`;
  return [{ path: ['scope_key'], message: `${found}; allowed: ${JSON.stringify(place.profile)}, the profile's name` }];
}

function findDuplicates(items: readonly HookItem[]): PathFault[] {
  const seen = new Map<string, HookItem>();
  const faults: PathFault[] = [];
  for (const item of items) {
    if (!isJsonObject(item.value) || typeof item.value.id !== 'string') continue;
    const key = JSON.stringify([item.value.scope ?? null, item.value.scope_key ?? null, item.value.id]);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, item);
    else {
      const message = `${JSON.stringify(item.value.id)} is already the id of ${formatPath(first.path)}; ids are unique within a scope`;
      faults.push({ path: [...item.path, 'id'], message });
    }
  }
  return faults;
}

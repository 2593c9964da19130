/**
 * What the schema found wrong, in words: what stands there and what is allowed.
 * It must not echo the values of a handler's environment, which may be somebody's secret.
 */
import type { z } from 'zod';
import {
  builtinOptions,
  filtersSchema,
  handlerSchema,
  hookSchema,
  needsSchema,
} from '../../../shared/contracts/hook.js';
import { UNKNOWN_FIELD } from '../../../shared/contracts/hook.js';
import { visibleText } from '../../../shared/visible-text.js';

export type DocumentPath = readonly (string | number)[];

/** One fault of a document, before file and position are known. */
export interface PathFault {
  readonly path: DocumentPath;
  readonly message: string;
}

export const KNOWN_SCHEMA_VERSIONS: readonly number[] = [1];

/** The faults of one schema issue inside `root`; one issue can name several unknown fields. */
export function describeIssue(issue: z.core.$ZodIssue, root: unknown): PathFault[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownField([...path, key], root) }));
  }
  if (issue.message === UNKNOWN_FIELD) return [{ path, message: unknownField(path, root) }];
  const value = valueAt(root, path);
  const secret = path.includes('env');
  return [{ path, message: describe(issue, value, path, secret) }];
}

function describe(issue: z.core.$ZodIssue, value: unknown, path: DocumentPath, secret: boolean): string {
  if (path.at(-1) === 'schema_version') return describeVersion(value);
  const allowed = allowedBy(issue);
  if (value === undefined) return `missing; allowed: ${allowed ?? 'a value'}`;
  const stands = secret ? kindOf(value) : show(value);
  return allowed === null ? `${stands}: ${issue.message}` : `${stands} stands here; allowed: ${allowed}`;
}

/** Says which versions are known, for a document of another one. */
export function describeVersion(value: unknown): string {
  const known = `known versions: ${KNOWN_SCHEMA_VERSIONS.join(', ')}`;
  return value === undefined ? `missing; ${known}` : `schema_version ${show(value)} is not known; ${known}`;
}

function allowedBy(issue: z.core.$ZodIssue): string | null {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(', ');
    case 'too_small':
      return `at least ${String(issue.minimum)}${unitOf(issue.origin)}`;
    case 'too_big':
      return `at most ${String(issue.maximum)}${unitOf(issue.origin)}`;
    case 'invalid_union':
      if ('options' in issue && Array.isArray(issue.options))
        return issue.options.map((o) => JSON.stringify(o)).join(', ');
      return 'a text, a number, true, false or null, or a list of these';
    default:
      return null;
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' entries' : '';
}

/** A value as JSON, short and safe to print. */
function show(value: unknown): string {
  if (typeof value === 'object' && value !== null) return kindOf(value);
  const text = visibleText(JSON.stringify(value)).text;
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

function unknownField(path: DocumentPath, root: unknown): string {
  const allowed = allowedKeys(path, root);
  return allowed === null ? UNKNOWN_FIELD : `${UNKNOWN_FIELD}; allowed: ${allowed.join(', ')}`;
}

/** The fields that the object around an unknown field may have. */
function allowedKeys(path: DocumentPath, root: unknown): readonly string[] | null {
  switch (path.slice(0, -1).join('.')) {
    case '':
      return Object.keys(hookSchema.shape);
    case 'filters':
      return Object.keys(filtersSchema.shape);
    case 'needs':
      return Object.keys(needsSchema.shape);
    case 'handler': {
      const kind = valueAt(root, ['handler', 'kind']);
      const option = handlerSchema.options.find((candidate) => candidate.shape.kind.value === kind);
      return option === undefined ? null : Object.keys(option.shape);
    }
    case 'handler.options': {
      const builtin = valueAt(root, ['handler', 'builtin']);
      const options = Object.entries(builtinOptions).find(([name]) => name === builtin)?.[1];
      return options === undefined ? null : Object.keys(options.shape);
    }
    default:
      return null;
  }
}

export function valueAt(root: unknown, path: DocumentPath): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

import canonicalize from 'canonicalize';
import { fail, ok, type Result } from './result.js';

/**
 * RFC 8785 (JCS) text of a JSON value. What JCS cannot carry is refused before anything is
 * hashed: non-finite numbers, lone surrogates, and values that are not JSON at all.
 * (Duplicate keys cannot be seen here; the strict parser refuses them earlier.)
 */
export function canonicalJson(value: unknown): Result<string, string> {
  const fault = findFault(value, '$', 0);
  if (fault !== null) return fail(fault);
  const text = canonicalize(value);
  return text === undefined ? fail('$: not a JSON value') : ok(text);
}

/** Depth up to which a value is walked; deeper ones are refused rather than overflow the stack. */
const MAX_DEPTH = 256;

function findFault(value: unknown, path: string, depth: number): string | null {
  if (depth > MAX_DEPTH) return `${path}: nested more than ${MAX_DEPTH} levels deep`;
  if (value === null || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${path}: not a finite number`;
  if (typeof value === 'string') return value.isWellFormed() ? null : `${path}: has a lone surrogate`;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const fault = findFault(item, `${path}[${index}]`, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }
  if (typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      if (!key.isWellFormed()) return `${path}: a key has a lone surrogate`;
      const fault = findFault(item, `${path}.${key}`, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }
  return `${path}: ${typeof value} is not JSON`;
}

/** Equality of JSON values by their canonical form; a value that has none equals nothing. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b;
  const left = canonicalJson(a);
  const right = canonicalJson(b);
  return left.ok && right.ok && left.value === right.value;
}

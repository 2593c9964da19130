import { canonicalJson } from '../../../shared/canonical-json.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';

/** What the engine remembers of one session: circuits, hooks switched off by failure, denials of the turn. */
export interface EngineSession {
  /** Consecutive failures by hook form; a success resets the count. */
  readonly failures: Map<string, number>;
  /** Forms whose circuit is open: they fail without being run. */
  readonly openCircuits: Set<string>;
  /** Forms switched off by the failure policy `disable`. */
  readonly disabled: Set<string>;
  /** Inert hooks that were traced already (once a session). */
  readonly inertTraced: Set<string>;
  /** How often the present turn was sent back to work. */
  turnDenials: number;
  /** Turns that were let end after three denials. */
  turnsPassedAfterDenials: number;
  /** Attempts of blocking hooks that failed and were let pass by their policy. */
  failedOpen: number;
}

/** Failures in a row that open a hook's circuit. */
export const CIRCUIT_LIMIT = 3;

/** A fresh session's memory. */
export function newEngineSession(): EngineSession {
  return {
    failures: new Map(),
    openCircuits: new Set(),
    disabled: new Set(),
    inertTraced: new Set(),
    turnDenials: 0,
    turnsPassedAfterDenials: 0,
    failedOpen: 0,
  };
}

/** Counts a failure; true when this one opened the circuit. */
export function countFailure(session: EngineSession, key: string): boolean {
  const count = (session.failures.get(key) ?? 0) + 1;
  session.failures.set(key, count);
  if (count < CIRCUIT_LIMIT || session.openCircuits.has(key)) return false;
  session.openCircuits.add(key);
  return true;
}

/** A success: the count starts again. An open circuit never gets here, since its hook does not run. */
export function countSuccess(session: EngineSession, key: string): void {
  session.failures.delete(key);
}

const forms = new WeakMap<ResolvedHook, string>();

/**
 * The form of a hook that circuits and `disable` are kept by: its key and its exact document. Two forms of one
 * hook may be in force at once, and what one of them does must not switch the other off.
 */
export function hookForm(hook: ResolvedHook): string {
  const known = forms.get(hook);
  if (known !== undefined) return known;
  const document = canonicalJson(hook.document);
  const form = `${hook.key} ${document.ok ? document.value : ''}`;
  forms.set(hook, form);
  return form;
}

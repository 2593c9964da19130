/**
 * A hook document with every default of schema version 1 filled in. The document itself stays as it
 * was written, because that is what is hashed and shown.
 */
import type { BuiltinName, HookDocument, HookFilters, HookHandler } from '../contracts/hook.js';
import type { Point } from '../contracts/points.js';
import type { Action, FailurePolicy, Mode, Operation, Scope, Signal } from '../contracts/vocabulary.js';

/** What a hook may answer and must see; gaps are computed from it, an answer outside it is a failure. */
export interface HookNeeds {
  readonly decisions: readonly Action[];
  /** Empty: no particular operation. */
  readonly operations: readonly Operation[];
  readonly signals: readonly Signal[];
}

export interface ResolvedHook {
  /** `scope:scopeKey:id`; unique in a registry. */
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly point: Point;
  readonly scope: Scope;
  readonly scopeKey: string | null;
  readonly enabled: boolean;
  readonly mode: Mode;
  readonly order: number;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly maxConcurrency: number;
  readonly failurePolicy: FailurePolicy;
  readonly needs: HookNeeds;
  readonly pinProgram: boolean;
  readonly filters: HookFilters;
  readonly handler: HookHandler;
  readonly document: HookDocument;
  /** The file it was read from; null for a document that was given in memory. */
  readonly source: string | null;
}

const BUILTIN_NEEDS: Readonly<Record<BuiltinName, HookNeeds>> = {
  'forbidden-path': { decisions: ['allow', 'deny'], operations: ['modify_file'], signals: [] },
};

/** Fills in the defaults of a document that passed the schema. */
export function resolveHook(document: HookDocument, source: string | null): ResolvedHook {
  const scopeKey = document.scope_key ?? null;
  return {
    key: `${document.scope}:${scopeKey ?? ''}:${document.id}`,
    id: document.id,
    name: document.name,
    description: document.description ?? '',
    point: document.point,
    scope: document.scope,
    scopeKey,
    enabled: document.enabled ?? true,
    mode: document.mode,
    order: document.order ?? 100,
    timeoutMs: Math.round((document.timeout_seconds ?? 10) * 1_000),
    maxOutputBytes: document.max_output_bytes ?? 65_536,
    maxConcurrency: document.max_concurrency ?? 1,
    failurePolicy: document.failure_policy ?? (document.mode === 'blocking' ? 'deny' : 'warn'),
    needs: resolveNeeds(document),
    pinProgram: document.pin_program ?? false,
    filters: document.filters ?? {},
    handler: document.handler,
    document,
    source,
  };
}

function resolveNeeds(document: HookDocument): HookNeeds {
  const builtin = document.handler.kind === 'builtin' ? BUILTIN_NEEDS[document.handler.builtin] : null;
  // An observational hook cannot deny, so by default it does not need an agent that lets it.
  const decisions: readonly Action[] =
    document.mode === 'observational' ? ['allow'] : (builtin?.decisions ?? ['allow', 'deny']);
  return {
    decisions: document.needs?.decisions ?? decisions,
    operations: document.needs?.operations ?? builtin?.operations ?? document.filters?.operations ?? [],
    signals: document.needs?.signals ?? builtin?.signals ?? [],
  };
}

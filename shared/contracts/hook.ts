import { z } from 'zod';
import { POINT_NAMES, pointRow } from './points.js';
import {
  ACTIONS,
  type Action,
  CATEGORIES,
  FAILURE_POLICIES,
  MODES,
  OPERATIONS,
  SCOPES,
  SIGNALS,
} from './vocabulary.js';

/**
 * The hook document, schema version 1. Parsing fills in no defaults: what was written is what is
 * hashed and shown; `resolveHook` in shared/policy applies the defaults.
 */
export const HOOK_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|API_KEY|APIKEY|PRIVATE_KEY|CREDENTIAL|AUTH/i;
const LOADER_NAME = /^(LD_.*|DYLD_.*|NODE_OPTIONS|PYTHON.*|PERL5.*|RUBYOPT|BASH_ENV|ENV|IFS|GIT_.*)$/i;

const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((s) => s.isWellFormed(), 'has a lone surrogate');
const noNul = (s: string) => !s.includes('\0');

/** Rules across fields run also when a field is wrong, so that all faults of a document are told at once. */
const ALWAYS = { when: () => true } as const;
export const UNKNOWN_FIELD = 'unknown field';
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Not `z.int()`: its fault would end the check before the rules across fields. */
const integer = (min: number, max: number) =>
  z
    .number()
    .min(min)
    .max(max)
    .refine((n) => Number.isInteger(n), 'must be a whole number')
    .meta({ type: 'integer' });

const envSchema = z.record(z.string(), text(32_768).refine(noNul, 'has a NUL character')).superRefine((env, ctx) => {
  if (!isObject(env)) return;
  for (const name of Object.keys(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      ctx.addIssue({ code: 'custom', path: [name], message: 'not a name for an environment variable' });
    } else if (LOADER_NAME.test(name)) {
      ctx.addIssue({
        code: 'custom',
        path: [name],
        message:
          "this name changes how programs are loaded and is refused; set the option in the program's own arguments",
      });
    } else if (SECRET_NAME.test(name)) {
      ctx.addIssue({
        code: 'custom',
        path: [name],
        message: 'this name looks like a secret and is refused; let the program read the secret from its own store',
      });
    }
  }
}, ALWAYS);

const argvSchema = z
  .array(text(32_768).refine(noNul, 'has a NUL character'))
  .min(1)
  .max(64)
  .refine((argv) => !Array.isArray(argv) || argv[0] !== '', {
    path: [0],
    error: 'the program may not be empty',
    ...ALWAYS,
  });

/** Builtins of this version, with the schema of their options. */
export const builtinOptions = {
  'forbidden-path': z.strictObject({ patterns: z.array(text(4_096).min(1)).max(256).optional() }),
} as const;
export type BuiltinName = keyof typeof builtinOptions;
const BUILTIN_NAMES = Object.keys(builtinOptions) as [BuiltinName, ...BuiltinName[]];

const builtinHandler = z
  .strictObject({
    kind: z.literal('builtin'),
    builtin: z.enum(BUILTIN_NAMES),
    options: z.record(z.string(), z.unknown()).optional(),
  })
  .superRefine((handler, ctx) => {
    if (!isObject(handler) || !BUILTIN_NAMES.includes(handler.builtin)) return;
    const checked = builtinOptions[handler.builtin].safeParse(handler.options ?? {});
    if (checked.success) return;
    for (const issue of checked.error.issues) {
      const path = ['options', ...issue.path];
      if (issue.code !== 'unrecognized_keys') ctx.addIssue({ code: 'custom', path, message: issue.message });
      else for (const key of issue.keys) ctx.addIssue({ code: 'custom', path: [...path, key], message: UNKNOWN_FIELD });
    }
  }, ALWAYS);

const commandHandler = z.strictObject({
  kind: z.literal('command'),
  argv: argvSchema,
  env: envSchema.optional(),
});

export const handlerSchema = z.discriminatedUnion('kind', [builtinHandler, commandHandler]);
export type HookHandler = z.infer<typeof handlerSchema>;

const globList = z.array(text(4_096).min(1)).min(1).max(256);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const filtersSchema = z.strictObject({
  tools: globList.optional(),
  operations: z.array(z.enum(OPERATIONS)).min(1).optional(),
  categories: z.array(z.enum(CATEGORIES)).min(1).optional(),
  paths: globList.optional(),
  sessions: globList.optional(),
  data: z.record(z.string().min(1), z.union([scalar, z.array(scalar).min(1)])).optional(),
});
export type HookFilters = z.infer<typeof filtersSchema>;

export const needsSchema = z.strictObject({
  decisions: z.array(z.enum(ACTIONS)).min(1).optional(),
  operations: z.array(z.enum(OPERATIONS)).optional(),
  signals: z.array(z.enum(SIGNALS)).optional(),
});

export const hookSchema = z
  .strictObject({
    schema_version: z.literal(1),
    id: z.string().regex(HOOK_ID, 'must match ^[a-z0-9][a-z0-9-]{0,63}$'),
    name: text(120).min(1),
    description: text(2_000).optional(),
    point: z.enum(POINT_NAMES),
    scope: z.enum(SCOPES),
    scope_key: text(4_096).min(1).nullable().optional(),
    enabled: z.boolean().optional(),
    mode: z.enum(MODES),
    order: integer(-10_000, 10_000).optional(),
    timeout_seconds: z.number().min(0.1).max(600).optional(),
    max_output_bytes: integer(1, 1_048_576).optional(),
    max_concurrency: integer(1, 64).optional(),
    failure_policy: z.enum(FAILURE_POLICIES).optional(),
    needs: needsSchema.optional(),
    pin_program: z.boolean().optional(),
    filters: filtersSchema.optional(),
    handler: handlerSchema,
  })
  .superRefine((hook, ctx) => {
    // Any field may be wrong here, whatever the type says: ask before using one.
    if (!isObject(hook)) return;
    const row = POINT_NAMES.includes(hook.point) ? pointRow(hook.point) : null;
    const refuse = (path: (string | number)[], message: string) => ctx.addIssue({ code: 'custom', path, message });
    if (row !== null && hook.mode === 'blocking' && row.blocking.length === 0) {
      refuse(['mode'], `point ${hook.point} cannot be blocked; allowed here: "observational"`);
    }
    if (hook.mode === 'observational' && hook.failure_policy === 'deny') {
      refuse(['failure_policy'], 'an observational hook has nothing to deny; allowed: "continue", "warn", "disable"');
    }
    const decisions: unknown = hook.needs?.decisions;
    if (row !== null && hook.mode === 'blocking' && Array.isArray(decisions)) {
      for (const [i, action] of (decisions as Action[]).entries()) {
        if (ACTIONS.includes(action) && row.blocking.length > 0 && !row.blocking.includes(action)) {
          refuse(
            ['needs', 'decisions', i],
            `"${action}" is no answer at ${hook.point}; allowed: ${row.blocking.join(', ')}`,
          );
        }
      }
    }
    const key = hook.scope_key ?? null;
    if ((hook.scope === 'global' || hook.scope === 'session') && key !== null) {
      refuse(['scope_key'], `must be null for scope "${hook.scope}"`);
    }
    const handler = hook.handler as HookHandler | null | undefined;
    if (hook.pin_program !== undefined && handler?.kind === 'builtin') {
      refuse(['pin_program'], 'only command and script handlers have a program to pin');
    }
  }, ALWAYS);

export type HookDocument = z.infer<typeof hookSchema>;

/** Bounds of a document file. */
export const DOCUMENT_LIMITS = { bytes: 1_048_576, hooks: 1_000, depth: 32 } as const;

/**
 * The statement of a receipt: in-toto Statement v1. Field names follow in-toto (camelCase); times are RFC 3339 in UTC;
 * digests inside the predicate are `sha256:` + hex, those of subjects in-toto's own form. docs/receipts.md explains it.
 */
import { z } from 'zod';
import { exitScanSchema } from './exit-scan.js';
import { OUTCOMES } from './run.js';
import { runLaunchSchema } from './run-launch.js';
import { BYPASS_LEVELS } from './vocabulary.js';

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
export const RUN_PREDICATE = 'https://sallyport.dev/agent-run/v1';
/** Of the last entry of a chain that goes on nowhere: its key was changed, or the installation given up. */
export const CHAIN_END_PREDICATE = 'https://sallyport.dev/receipt-chain-end/v1';

export const sha256Schema = z.string().regex(/^sha256:[0-9a-f]{64}$/);

const subjectSchema = z.strictObject({
  name: z.string(),
  digest: z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
});
export type Subject = z.infer<typeof subjectSchema>;

/** Where a receipt stands. All null in an unsigned one, which stands in no chain. */
const placeSchema = z.strictObject({
  /** Of the state folder; names the chain. */
  installation: z.string(),
  /** From 1. */
  sequence: z.int().min(1).nullable(),
  /** SHA-256 of the envelope before it; null for the first. */
  previous: sha256Schema.nullable(),
  /** SHA-256 of the public key (DER), by which it is signed. */
  key: sha256Schema.nullable(),
});

const countSchema = z.strictObject({ point: z.string(), decision: z.string(), count: z.int() });

export const runPredicateSchema = z.strictObject({
  schemaVersion: z.literal(1),
  receipt: placeSchema,
  /** Why nobody signed it, in words; null when it is signed. */
  unsignedBecause: z.string().nullable(),
  appVersion: z.string(),
  runId: z.string(),
  times: z.strictObject({
    accepted: z.string(),
    started: z.string().nullable(),
    ended: z.string().nullable(),
  }),
  agent: z.strictObject({
    name: z.string(),
    version: z.string().nullable(),
    program: z.string().nullable(),
    programDigest: z.string().nullable(),
  }),
  profile: z.string(),
  workspace: z.string(),
  backend: z.strictObject({ name: z.string(), imageDigest: z.string().nullable() }),
  bypass: z.enum(BYPASS_LEVELS),
  /** Arguments (redacted), names of variables, compiled configuration, approvals; null where it came to none of it. */
  launch: runLaunchSchema.nullable(),
  registryVersions: z.array(z.string()),
  gaps: z.array(z.strictObject({ kind: z.string(), what: z.string(), why: z.string() })),
  notices: z.array(z.string()),
  /** What each hook that was asked said, by point; `failed` and `inert` where it said nothing. */
  hookDecisions: z.array(countSchema),
  /** Lines of `traces.jsonl` that are no traces and so are in none of these counts. */
  unreadableTraces: z.int(),
  /** Files that every run writes, and that somebody had removed; they are no subjects. */
  artifactsGone: z.array(z.string()),
  calls: z.strictObject({
    total: z.int(),
    guarded: z.int(),
    denied: z.int(),
    modified: z.int(),
    notExecuted: z.int(),
    expectedGap: z.int(),
    unguarded: z.array(z.string()),
    dispatchedWithoutCall: z.array(z.string()),
    executedOtherwise: z.array(z.string()),
    coverageUnknown: z.string().nullable(),
  }),
  runtimeApprovals: z.strictObject({ granted: z.int(), denied: z.int() }),
  failedOpen: z.int(),
  turnsPassedAfterDenials: z.int(),
  handlersChanged: z.array(z.string()),
  tampering: z.array(z.string()),
  exit: z.strictObject({ code: z.int().nullable(), signal: z.string().nullable() }),
  outcome: z.enum(OUTCOMES).nullable(),
  reason: z.string().nullable(),
  exitScan: exitScanSchema,
});
export type RunPredicate = z.infer<typeof runPredicateSchema>;

export const runStatementSchema = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(subjectSchema),
  predicateType: z.literal(RUN_PREDICATE),
  predicate: runPredicateSchema,
});
export type RunStatement = z.infer<typeof runStatementSchema>;

/** The terminal entry. Its subject is the envelope before it. */
export const chainEndStatementSchema = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(subjectSchema),
  predicateType: z.literal(CHAIN_END_PREDICATE),
  predicate: z.strictObject({
    schemaVersion: z.literal(1),
    receipt: placeSchema,
    reason: z.enum(['key-rotated', 'retired']),
    at: z.string(),
    /** SHA-256 of the key that the next chain is signed by; null where there is none. */
    nextKey: sha256Schema.nullable(),
  }),
});
export type ChainEndStatement = z.infer<typeof chainEndStatementSchema>;

export const statementSchema = z.discriminatedUnion('predicateType', [runStatementSchema, chainEndStatementSchema]);
export type Statement = z.infer<typeof statementSchema>;

/** What the exit scan says of a run, and what it found. A finding never holds the secret. */
import { z } from 'zod';

/** The worst that applies stands: redaction_failed, leaked, incomplete, exposed, clean. */
export const EXIT_SCAN_STATES = [
  'not_scanned',
  'clean',
  'exposed',
  'incomplete',
  'leaked',
  'redaction_failed',
] as const;
export type ExitScanState = (typeof EXIT_SCAN_STATES)[number];

/** How a secret came to where it was found. */
export const FINDING_ORIGINS = ['exposed', 'leaked', 'redaction_failed'] as const;
export type FindingOrigin = (typeof FINDING_ORIGINS)[number];

export const findingSchema = z.strictObject({
  /** Of this finding, within its run. */
  id: z.string(),
  rule: z.string(),
  origin: z.enum(FINDING_ORIGINS),
  /** Where it was looked for: the run's own files, the agent's state, the workspace, the compiled configuration. */
  part: z.enum(['artifacts', 'agent_state', 'workspace', 'configuration']),
  path: z.string(),
  /** From 1; null where the place is a byte offset. */
  line: z.int().nullable(),
  column: z.int().nullable(),
  offset: z.int().nullable(),
  /** First 3 and last 2 characters at most, never more than a quarter. */
  preview: z.string(),
  /** HMAC-SHA-256 with a key of this installation: equal secrets are equal, short ones cannot be guessed. */
  fingerprint: z.string(),
  /** Unix seconds. */
  firstSeen: z.number(),
  /** What this origin rests on, in words. */
  why: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;

/** The part of it that `run.json` holds; the findings themselves are in `findings.json` beside it. */
export const exitScanSchema = z.strictObject({
  state: z.enum(EXIT_SCAN_STATES),
  /** Why it is incomplete, or was not made, and what else is worth knowing of it, in words. */
  why: z.array(z.string()),
  exposed: z.int(),
  leaked: z.int(),
  redactionFailed: z.int(),
  /** Files and bytes that were looked at. */
  files: z.int(),
  bytes: z.int(),
  /** Name and version of the rules; null when nothing was scanned. */
  rules: z.string().nullable(),
  /** What a leak does to the run, by its profile; absent means `fail`. */
  leakPolicy: z.enum(['fail', 'warn']).optional(),
});
export type ExitScan = z.infer<typeof exitScanSchema>;

export const NOT_SCANNED: ExitScan = {
  state: 'not_scanned',
  why: [],
  ...{ exposed: 0, leaked: 0, redactionFailed: 0, files: 0, bytes: 0 },
  rules: null,
};

/** `findings.json`: what the exit scan of one run found. */
export const findingsFileSchema = z.strictObject({
  schema_version: z.literal(1),
  run_id: z.string(),
  findings: z.array(findingSchema),
});

import { z } from 'zod';
import { exitScanSchema, NOT_SCANNED } from './exit-scan.js';
import { NO_RECEIPT, runReceiptSchema } from './receipt.js';
import { runLaunchSchema } from './run-launch.js';
import { BYPASS_LEVELS } from './vocabulary.js';

/** The states of a run, in the order in which it passes them. */
export const RUN_PHASES = [
  'draft',
  'preflight',
  'awaiting_approval',
  'queued',
  'starting',
  'running',
  'waiting_for_approval',
  'stopping',
  'scanning',
  'done',
] as const;
export type RunPhase = (typeof RUN_PHASES)[number];

export const OUTCOMES = [
  'succeeded',
  'failed',
  'denied',
  'killed',
  'timed_out',
  'limit_reached',
  'interrupted',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const COVERAGE_STATES = ['guarded', 'not_executed', 'expected_gap', 'unguarded'] as const;
export type CoverageState = (typeof COVERAGE_STATES)[number];

/** What a run counted and saw that its colour depends on. All numbers are counts. */
export const runFactsSchema = z.strictObject({
  toolCalls: z.int(),
  denials: z.int(),
  modified: z.int(),
  approvalsGranted: z.int(),
  approvalsDenied: z.int(),
  /** Attempts that failed and were let pass by `continue`, `warn` or `disable`. */
  failedOpen: z.int(),
  /** Turns that were allowed to end after three denials. */
  turnsPassedAfterDenials: z.int(),
  guarded: z.int(),
  notExecuted: z.int(),
  expectedGap: z.int(),
  unguarded: z.array(z.string()),
  /** Dispatches that no tool call of the agent's stream belongs to (call ids). */
  dispatchesWithoutCall: z.array(z.string()),
  /** Calls whose executed arguments differ from the judged ones (call ids). */
  argsDiffer: z.array(z.string()),
  /** Hooks whose program or script was another one after the execution than before it. */
  handlersChanged: z.array(z.string()),
  /** Signs that somebody tried to switch the gate off, in words. */
  tampering: z.array(z.string()),
  /** Coverage could not be established, and why; null when it could. */
  coverageUnknown: z.string().nullable(),
  unparsedLines: z.int(),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

export const EMPTY_FACTS: RunFacts = {
  toolCalls: 0,
  denials: 0,
  modified: 0,
  approvalsGranted: 0,
  approvalsDenied: 0,
  failedOpen: 0,
  turnsPassedAfterDenials: 0,
  guarded: 0,
  notExecuted: 0,
  expectedGap: 0,
  unguarded: [],
  dispatchesWithoutCall: [],
  argsDiffer: [],
  handlersChanged: [],
  tampering: [],
  coverageUnknown: null,
  unparsedLines: 0,
};

/** `run.json`: the request and the state of one run; the truth about it on disk. */
export const runRecordSchema = z.strictObject({
  schema_version: z.literal(1),
  id: z.string(),
  agent: z.string(),
  agentVersion: z.string().nullable(),
  agentProgram: z.string().nullable(),
  /** `sha256:` + hex of the agent's program file. */
  agentProgramDigest: z.string().nullable(),
  profile: z.string(),
  workspace: z.string(),
  prompt: z.string(),
  bypass: z.enum(BYPASS_LEVELS),
  backend: z.literal('local'),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  /** Process id of the owner and of the agent; for finding leftovers. */
  ownerPid: z.int().nullable(),
  /** When the owner started, as its system tells it; with the pid it names one process. Absent or null where that cannot be known. */
  ownerStart: z.string().nullable().optional(),
  agentPid: z.int().nullable(),
  phase: z.enum(RUN_PHASES),
  outcome: z.enum(OUTCOMES).nullable(),
  /** Why it ended so, in words for a person. */
  reason: z.string().nullable(),
  exitCode: z.int().nullable(),
  exitSignal: z.string().nullable(),
  registryVersions: z.array(z.string()),
  /** Absent or null where it was refused before anybody was asked, and in runs of earlier versions. */
  launch: runLaunchSchema.nullable().optional(),
  gaps: z.array(z.strictObject({ kind: z.string(), what: z.string(), why: z.string() })),
  /** What was left out or is worth knowing, in words (inert hooks, excluded workspace configuration, …). */
  notices: z.array(z.string()),
  /** Runs of earlier versions say only that there is none. */
  exitScan: z.preprocess((value) => (value === 'not_scanned' ? NOT_SCANNED : value), exitScanSchema),
  receipt: z.preprocess((value) => (value === 'none' ? NO_RECEIPT : value), runReceiptSchema),
  facts: runFactsSchema,
});
export type RunRecord = z.infer<typeof runRecordSchema>;

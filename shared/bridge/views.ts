/**
 * What the renderer gets to see, and the little that it may say. Everything here is plain data.
 * The renderer never names a path, an argv or a digest that the main process did not offer first:
 * it refers to workspaces, prompts, runs and approvals by ids that main gave out.
 */
import { z } from 'zod';
import { findingSchema } from '../contracts/exit-scan.js';
import { runRecordSchema, RUN_PHASES, OUTCOMES } from '../contracts/run.js';
import { traceSchema } from '../contracts/trace.js';
import { BYPASS_LEVELS, MODES, SCOPES } from '../contracts/vocabulary.js';
import { POINT_NAMES } from '../contracts/points.js';

const colour = z.enum(['red', 'amber', 'grey', 'green', 'live']);

/** How the keychain stands; each state has a text that says what it means and what to do. */
export const keychainViewSchema = z.strictObject({
  state: z.enum(['ready', 'no-bus', 'no-service', 'locked', 'hanging', 'failed-check', 'refused', 'starting']),
  text: z.string(),
});

export const appInfoSchema = z.strictObject({
  version: z.string(),
  stateDir: z.string(),
  /** Null where there is a tray; else why there is none. */
  noTray: z.string().nullable(),
  keychain: keychainViewSchema,
  /** The chain of receipts as it was at the start; `unchecked`: it could not be checked, and the text says why. */
  receipts: z.strictObject({ state: z.enum(['checking', 'whole', 'faulty', 'unchecked']), text: z.string() }),
  /** True until the first start was walked through. */
  firstStart: z.boolean(),
});

export const agentViewSchema = z.strictObject({
  profile: z.string(),
  agent: z.string(),
  title: z.string(),
  /** Where its program was found, or null with the reason in `note`. */
  program: z.string().nullable(),
  version: z.string().nullable(),
  measured: z.boolean(),
  note: z.string().nullable(),
  bypassLevels: z.array(z.enum(BYPASS_LEVELS)),
  /** Whether it can be let take in the configuration that a workspace brings. */
  takesWorkspaceConfig: z.boolean(),
});

/** A folder that a person picked in the system's dialog (or used before); the id is what the renderer sends back. */
export const workspaceViewSchema = z.strictObject({ id: z.string(), path: z.string() });

export const launchInputSchema = z.strictObject({
  profile: z.string(),
  workspaceId: z.string(),
  prompt: z.string().min(1).max(200_000),
  bypass: z.enum(BYPASS_LEVELS),
  acceptGaps: z.boolean(),
  /** `approve`: ask me whether the workspace's own configuration may be taken in. */
  workspaceConfig: z.enum(['exclude', 'approve']),
});

const gapView = z.strictObject({ kind: z.string(), what: z.string(), why: z.string(), effect: z.string() });

/**
 * One executable thing a person is asked about: every argument a token of its own. Its texts are exact, as
 * they were hashed; whoever shows one makes it visible first (shared/visible-text.ts).
 */
export const subjectViewSchema = z.strictObject({
  kind: z.string(),
  key: z.string(),
  title: z.string(),
  argv: z.array(z.string()),
  program: z.string(),
  envNames: z.array(z.string()),
  cwd: z.string(),
  files: z.array(z.strictObject({ path: z.string(), digest: z.string() })),
  /** What stands in files that are to be read; null lines: no text, or too long to be shown. */
  texts: z.array(z.strictObject({ path: z.string(), lines: z.array(z.string()).nullable() })),
  notCovered: z.array(z.string()),
  digest: z.string(),
  /** approved, changed (something else was approved under this key) or unapproved. */
  state: z.enum(['approved', 'changed', 'unapproved']),
  /** For a change: lines of the content approved before and of this one. */
  diff: z.array(z.strictObject({ side: z.enum(['same', 'old', 'new']), text: z.string() })),
});

export const preflightViewSchema = z.strictObject({
  /** Null when a run may start (after its approvals); else why it may not. */
  refused: z.string().nullable(),
  agent: z.string(),
  program: z.string().nullable(),
  gaps: z.array(gapView),
  /** What the workspace brings and is left out, and what of the user's own can rewrite calls. */
  foreign: z.array(z.strictObject({ kind: z.string(), path: z.string(), what: z.string() })),
  subjects: z.array(subjectViewSchema),
  notices: z.array(z.string()),
  hooks: z.array(z.strictObject({ id: z.string(), scope: z.string(), point: z.string() })),
  registryVersion: z.string(),
});

export const runSummarySchema = z.strictObject({
  id: z.string(),
  agent: z.string(),
  workspace: z.string(),
  /** First line of the prompt. */
  prompt: z.string(),
  createdAt: z.number(),
  endedAt: z.number().nullable(),
  phase: z.enum(RUN_PHASES),
  outcome: z.enum(OUTCOMES).nullable(),
  colour,
  why: z.array(z.string()),
  /** Owned by this app (and so can be stopped here). */
  own: z.boolean(),
  waiting: z.int(),
});

/** One entry of a timeline, as `events.jsonl` holds it. */
export const runEventViewSchema = z.looseObject({ at: z.number(), kind: z.string() });

export const runDetailSchema = z.strictObject({
  summary: runSummarySchema,
  record: runRecordSchema,
  events: z.array(runEventViewSchema),
  /** True when older events were left out. */
  eventsCut: z.boolean(),
  traces: z.array(traceSchema),
  /** What the exit scan found, masked; null where that cannot be read. */
  findings: z.array(findingSchema).nullable().default([]),
});

export const rawOutputSchema = z.strictObject({ text: z.string(), next: z.int().nullable() });

export const receiptViewSchema = z.strictObject({
  file: z.string(),
  digest: z.string(),
  /** Of the key that it names; null where nobody signed it. */
  keyId: z.string().nullable(),
  /** The statement as JSON text. */
  statement: z.string(),
});

/** What verifying came to; `note`: could not be checked, or is worth knowing. */
export const receiptVerdictSchema = z.strictObject({
  verified: z.boolean(),
  checks: z.array(z.strictObject({ state: z.enum(['good', 'bad', 'note']), text: z.string() })),
});

/** Something that waits for a person. */
export const promptViewSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('trust'),
    id: z.string(),
    runId: z.string().nullable(),
    openedAt: z.number(),
    subject: subjectViewSchema,
  }),
  z.strictObject({
    kind: z.literal('question'),
    id: z.string(),
    runId: z.string(),
    openedAt: z.number(),
    /** Unix seconds after which it is denied. */
    deniedAt: z.number(),
    agent: z.string(),
    workspace: z.string(),
    toolName: z.string(),
    /** Argument names and their texts, safe to show (visible escapes, known secrets masked). */
    args: z.array(z.strictObject({ name: z.string(), text: z.string(), flags: z.array(z.string()) })),
    /** SHA-256 of the canonical raw arguments. */
    digest: z.string(),
    askedBy: z.array(z.strictObject({ who: z.string(), reason: z.string() })),
  }),
]);

export const promptAnswerSchema = z.strictObject({
  id: z.string(),
  /** The digest that stood on the screen; another one is refused as changed since shown. */
  shownDigest: z.string(),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('approve') }),
    z.strictObject({ kind: z.literal('approve-for-run') }),
    z.strictObject({ kind: z.literal('deny'), message: z.string().max(2_000) }),
  ]),
});

export const approvalRecordViewSchema = z.strictObject({
  kind: z.string(),
  key: z.string(),
  digest: z.string(),
  title: z.string(),
  user: z.string(),
  surface: z.string(),
  when: z.number(),
  expires: z.number().nullable(),
});

export const hookViewSchema = z.strictObject({
  key: z.string(),
  id: z.string(),
  name: z.string(),
  description: z.string(),
  scope: z.enum(SCOPES),
  scopeKey: z.string().nullable(),
  point: z.enum(POINT_NAMES),
  mode: z.enum(MODES),
  order: z.int(),
  failurePolicy: z.string(),
  /** The handler in tokens; a builtin's name or each argument. */
  handler: z.array(z.string()),
  /** One of the hook states: active, inert, changed, shadowed, off, broken, … */
  state: z.string(),
  reason: z.string(),
  source: z.string().nullable(),
});

export const registryViewSchema = z.strictObject({
  version: z.string(),
  hooks: z.array(hookViewSchema),
  faults: z.array(
    z.strictObject({ file: z.string(), path: z.string(), message: z.string(), line: z.int(), column: z.int() }),
  ),
});

export const doctorFindingSchema = z.strictObject({
  section: z.string(),
  state: z.enum(['well', 'person', 'broken']),
  text: z.string(),
});

export const settingsSchema = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']),
  /** Where a tray exists: closing the window keeps the app. */
  closeToTray: z.boolean(),
  notifications: z.boolean(),
  defaultProfile: z.string(),
});

/** What the first start offers to install, and what it says about it. */
export const starterPolicySchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  explanation: z.string(),
  installed: z.boolean(),
});

/** An answer that may be a no with a reason for the person. */
export const outcomeSchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true) }),
  z.strictObject({ ok: z.literal(false), text: z.string() }),
]);

export const launchOutcomeSchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), runId: z.string() }),
  z.strictObject({ ok: z.literal(false), text: z.string() }),
]);

export type AppInfo = z.infer<typeof appInfoSchema>;
export type AgentView = z.infer<typeof agentViewSchema>;
export type WorkspaceView = z.infer<typeof workspaceViewSchema>;
export type LaunchInput = z.infer<typeof launchInputSchema>;
export type PreflightView = z.infer<typeof preflightViewSchema>;
export type SubjectView = z.infer<typeof subjectViewSchema>;
export type RunSummary = z.infer<typeof runSummarySchema>;
export type RunDetail = z.infer<typeof runDetailSchema>;
export type PromptView = z.infer<typeof promptViewSchema>;
export type PromptAnswer = z.infer<typeof promptAnswerSchema>;
export type ApprovalRecordView = z.infer<typeof approvalRecordViewSchema>;
export type HookView = z.infer<typeof hookViewSchema>;
export type RegistryView = z.infer<typeof registryViewSchema>;
export type DoctorFinding = z.infer<typeof doctorFindingSchema>;
export type Settings = z.infer<typeof settingsSchema>;
export type StarterPolicy = z.infer<typeof starterPolicySchema>;
export type KeychainView = z.infer<typeof keychainViewSchema>;

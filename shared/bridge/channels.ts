/**
 * Every channel between main and renderer, once. Both ends are derived from this map: main checks
 * each request against its schema and each answer on the way out; the preload exposes nothing else.
 */
import { z } from 'zod';
import {
  agentViewSchema,
  appInfoSchema,
  approvalRecordViewSchema,
  doctorFindingSchema,
  launchInputSchema,
  launchOutcomeSchema,
  outcomeSchema,
  preflightViewSchema,
  promptAnswerSchema,
  promptViewSchema,
  rawOutputSchema,
  receiptVerdictSchema,
  receiptViewSchema,
  registryViewSchema,
  runDetailSchema,
  runEventViewSchema,
  runSummarySchema,
  settingsSchema,
  starterPolicySchema,
  workspaceViewSchema,
} from './views.js';

const nothing = z.null();
const runId = z.strictObject({ runId: z.string() });

/** Requests of the renderer, each with the answer that it gets. */
export const REQUESTS = {
  'app.info': { request: nothing, answer: appInfoSchema },
  'app.firstStartDone': { request: nothing, answer: outcomeSchema },
  'app.starterPolicy': { request: nothing, answer: starterPolicySchema },
  /** Installs the starter policy (an explained example) into the global hooks. */
  'app.installStarterPolicy': { request: nothing, answer: outcomeSchema },
  'agents.list': { request: nothing, answer: z.array(agentViewSchema) },
  'workspaces.recent': { request: nothing, answer: z.array(workspaceViewSchema) },
  /** Opens the system's folder dialog; null when it was cancelled. */
  'workspaces.pick': { request: nothing, answer: workspaceViewSchema.nullable() },
  /** A fresh temporary folder for the practice run. */
  'workspaces.practice': { request: nothing, answer: workspaceViewSchema },
  'runs.preflight': { request: launchInputSchema, answer: preflightViewSchema },
  'runs.launch': { request: launchInputSchema, answer: launchOutcomeSchema },
  'runs.stop': { request: runId, answer: outcomeSchema },
  'runs.list': { request: z.strictObject({ limit: z.int().min(1).max(10_000) }), answer: z.array(runSummarySchema) },
  'runs.show': { request: runId, answer: runDetailSchema.nullable() },
  'runs.raw': {
    request: z.strictObject({ runId: z.string(), stream: z.enum(['stdout', 'stderr']), offset: z.int().min(0) }),
    answer: rawOutputSchema.nullable(),
  },
  /** What the run's receipt says; nothing is checked. Null where there is none. */
  'receipts.show': { request: runId, answer: receiptViewSchema.nullable() },
  /** Checks it with the keychain of this installation; null for what is no run. */
  'receipts.verify': { request: runId, answer: receiptVerdictSchema.nullable() },
  'prompts.list': { request: nothing, answer: z.array(promptViewSchema) },
  'prompts.answer': { request: promptAnswerSchema, answer: outcomeSchema },
  'approvals.list': { request: nothing, answer: z.array(approvalRecordViewSchema) },
  'approvals.revoke': {
    request: z.strictObject({ kind: z.string(), key: z.string(), digest: z.string() }),
    answer: outcomeSchema,
  },
  'registry.show': { request: z.strictObject({ profile: z.string().nullable() }), answer: registryViewSchema },
  'doctor.run': { request: nothing, answer: z.array(doctorFindingSchema) },
  'settings.get': { request: nothing, answer: settingsSchema },
  'settings.set': { request: settingsSchema, answer: outcomeSchema },
  'clipboard.write': { request: z.strictObject({ text: z.string().max(1_000_000) }), answer: outcomeSchema },
} as const;

/** What main tells the renderer without being asked. */
export const EVENTS = {
  'runs.changed': runSummarySchema,
  /** Live entries, in batches. */
  'runs.events': z.strictObject({ runId: z.string(), events: z.array(runEventViewSchema) }),
  'prompts.changed': z.array(promptViewSchema),
  'settings.changed': settingsSchema,
  /** Main asks the window to show something (a notification was clicked, the tray's menu). */
  navigate: z.strictObject({
    to: z.enum(['new-run', 'runs', 'run', 'approvals', 'registry', 'doctor', 'settings']),
    id: z.string().nullable(),
  }),
} as const;

export type RequestName = keyof typeof REQUESTS;
export type RequestOf<N extends RequestName> = z.infer<(typeof REQUESTS)[N]['request']>;
export type AnswerOf<N extends RequestName> = z.infer<(typeof REQUESTS)[N]['answer']>;
export type EventName = keyof typeof EVENTS;
export type EventOf<N extends EventName> = z.infer<(typeof EVENTS)[N]>;

/** The one object that the preload exposes, as `window.sallyport`. */
export interface Bridge {
  readonly ask: <N extends RequestName>(name: N, request: RequestOf<N>) => Promise<AnswerOf<N>>;
  readonly on: <N extends EventName>(name: N, listener: (event: EventOf<N>) => void) => () => void;
  /** Which window this is: the main one, or a prompt window for one prompt. */
  readonly place: { readonly window: 'main' } | { readonly window: 'prompt'; readonly promptId: string };
}

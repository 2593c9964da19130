import { z } from 'zod';
import { POINT_NAMES } from './points.js';
import { ACTIONS } from './vocabulary.js';

/** The redacted record of one attempted handler execution (or of a hook that was left out, or of an engine failure). */
export const traceSchema = z.strictObject({
  schema_version: z.literal(1),
  trace_id: z.string(),
  event_id: z.string(),
  execution_id: z.string(),
  run_id: z.string(),
  session_id: z.string().nullable(),
  hook_id: z.string(),
  scope: z.string(),
  point: z.enum(POINT_NAMES),
  call_id: z.string().nullable(),
  /** Unix seconds, fractional. */
  started: z.number(),
  duration_ms: z.number(),
  /** What the hook decided; null where it gave no decision. */
  decision: z.enum(ACTIONS).nullable(),
  reason: z.string().nullable(),
  /** ran: a decision was given; failed: see error; inert: left out without effect, see error. */
  status: z.enum(['ran', 'failed', 'inert']),
  exit_status: z.int().nullable(),
  timed_out: z.boolean(),
  truncated: z.boolean(),
  error: z.string().nullable(),
  snapshot: z.string(),
});
export type Trace = z.infer<typeof traceSchema>;

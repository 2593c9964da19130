/** What a run was started with, as far as it can be told again: `run.json` holds it, and the receipt repeats it. */
import { z } from 'zod';
import { APPROVAL_SUBJECTS } from './approval.js';

export const runLaunchSchema = z.strictObject({
  /** What a person had approved, or the command was handed for this run alone. */
  approvals: z.array(z.strictObject({ kind: z.enum(APPROVAL_SUBJECTS), key: z.string(), digest: z.string() })),
  /** Program and arguments of the agent, redacted; empty where it was never started. */
  argv: z.array(z.string()),
  /** Names of the variables that the agent was given, sorted. */
  environment: z.array(z.string()),
  /** Files that were compiled for this run, below its `gate/`, by SHA-256 of the form that stays: its token masked. */
  configuration: z.array(z.strictObject({ name: z.string(), digest: z.string() })),
});
export type RunLaunch = z.infer<typeof runLaunchSchema>;

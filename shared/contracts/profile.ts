import { z } from 'zod';
import { BYPASS_LEVELS } from './vocabulary.js';

export const PROFILE_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A named set-up of one agent (`profiles/<name>.json`). Each agent also has a default profile of its own name. */
export const profileSchema = z.strictObject({
  schema_version: z.literal(1),
  name: z.string().regex(PROFILE_NAME),
  agent: z.string(),
  /** The agent's configuration folder; null means where the agent keeps it itself. */
  config_dir: z.string().nullable().default(null),
  environment: z.record(z.string().regex(VARIABLE), z.string()).default({}),
  /** Names that are taken from the user's own environment, beside those that the adapter names. */
  pass_through: z.array(z.string().regex(VARIABLE)).default([]),
  bypass: z.enum(BYPASS_LEVELS).default('none'),
  approval_timeout_seconds: z.number().min(1).max(3_600).default(600),
  /** What a leak that the exit scan finds does to the run: it fails it, or it is a warning. */
  leak_policy: z.enum(['fail', 'warn']).default('fail'),
  agent_args: z.array(z.string()).default([]),
  /** The agent's configuration that a workspace brings: left out, or a person is asked about exactly it. */
  foreign_hooks: z.enum(['exclude', 'approve']).default('exclude'),
});
export type Profile = z.infer<typeof profileSchema>;

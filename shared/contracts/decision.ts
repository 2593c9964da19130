import { z } from 'zod';
import { ACTIONS } from './vocabulary.js';

/** What a handler writes on standard output: exactly one such object, nothing around it. */
export const decisionSchema = z
  .strictObject({
    schema_version: z.literal(1),
    action: z.enum(ACTIONS),
    reason: z.string().max(10_000).optional(),
    mutations: z.record(z.string(), z.unknown()).optional(),
    output: z.record(z.string(), z.unknown()).optional(),
  })
  .refine((d) => d.mutations === undefined || d.action === 'modify', {
    path: ['mutations'],
    error: 'mutations are only for action "modify"',
  })
  .refine((d) => d.action !== 'modify' || d.mutations !== undefined, {
    path: ['mutations'],
    error: 'action "modify" needs mutations',
  });

export type Decision = z.infer<typeof decisionSchema>;

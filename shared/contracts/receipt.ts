/** What `run.json` says of a run's receipt; the receipt itself is `receipt.json` beside it. */
import { z } from 'zod';

export const runReceiptSchema = z.strictObject({
  /** `unsigned`: written without a key, and never presented as verified. `failed`: could not be written. */
  state: z.enum(['none', 'signed', 'unsigned', 'failed']),
  /** Why it is not signed or not there, or what a signed one lacks, in words; null else. */
  why: z.string().nullable(),
  /** Its place in the chain, from 1. */
  sequence: z.int().nullable(),
  /** `sha256:` + hex of the envelope's file. */
  digest: z.string().nullable(),
});
export type RunReceipt = z.infer<typeof runReceiptSchema>;

export const NO_RECEIPT: RunReceipt = { state: 'none', why: null, sequence: null, digest: null };

import { openIndex, type IndexClient } from '../core/store/index-client.js';
import type { StateFolder } from '../core/store/layout.js';
import type { CommandContext } from './context.js';

/** Opens the index for a command; null, and said, when it cannot be. */
export type OpenIndex = (context: CommandContext, state: StateFolder) => Promise<IndexClient | null>;

/** The index for a command; null (and said) where it cannot be opened, since the run folders are the truth. */
export async function openCommandIndex(context: CommandContext, state: StateFolder): Promise<IndexClient | null> {
  const index = await openIndex(state, { workerUrl: new URL('../worker/index-worker.mjs', import.meta.url) });
  if (index.ok) return index.value;
  context.err(`note     the index cannot be used (${index.error}); lists are read from the run folders\n`);
  return null;
}

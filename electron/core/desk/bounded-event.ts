import type { z } from 'zod';
import type { runEventViewSchema } from '../../../shared/bridge/views.js';
import { cutMiddle } from './shown-text.js';

export type EventView = z.infer<typeof runEventViewSchema>;

/** Most entries of a timeline that are shown, newest kept. */
export const MOST_EVENTS = 2_000;
/** Longest text within an entry, in characters; the run folder has it all. */
const MAX_TEXT = 20_000;

/** A timeline entry as a window gets it: long texts are cut, and say so. */
export function boundedEvent(event: object): EventView {
  return bounded(event) as EventView;
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return cutMiddle(value, MAX_TEXT);
  if (Array.isArray(value)) return value.map(bounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bounded(item)]));
}

/** What main and the preload agree on beside the channels: two names, the form of an answer, and a window's place. */
import { z } from 'zod';
import type { Bridge } from './channels.js';

/** The one way to ask; which request it is comes as its first argument. */
export const ASK = 'sallyport:ask';
/** The one way in which main tells something. */
export const TELL = 'sallyport:tell';

/** What main answers; an error is a text for a person, never an exception with a stack. */
export type Reply = { readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly text: string };

const placeSchema = z.discriminatedUnion('window', [
  z.strictObject({ window: z.literal('main') }),
  z.strictObject({ window: z.literal('prompt'), promptId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }),
]);

const PLACE = '--sallyport-place=';

/** The argument by which main hands a window its place. */
export function placeArgument(place: Bridge['place']): string {
  return PLACE + JSON.stringify(placeSchema.parse(place));
}

/** The place that main handed over. Throws when there is none: such a window is not ours. */
export function placeFrom(argv: readonly string[]): Bridge['place'] {
  const given = argv.findLast((argument) => argument.startsWith(PLACE));
  return placeSchema.parse(JSON.parse(given?.slice(PLACE.length) ?? 'null'));
}

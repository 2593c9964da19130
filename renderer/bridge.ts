/**
 * The only reader of `window.sallyport`. Job: let pages ask the main process and listen to it, and
 * turn whatever goes wrong on the way into words. It must not keep state.
 */
import type { AnswerOf, Bridge, EventName, EventOf, RequestName, RequestOf } from '../shared/bridge/channels.js';
import { fail, ok, type Result } from '../shared/result.js';

declare global {
  interface Window {
    /** Missing where the page was opened by something that is not Sallyport. */
    readonly sallyport?: Bridge;
  }
}

/** Which window this is; null outside Sallyport. */
export const place: Bridge['place'] | null = window.sallyport?.place ?? null;

/** Asks the main process; an error says what did not work and what to do. */
export async function ask<N extends RequestName>(name: N, request: RequestOf<N>): Promise<Result<AnswerOf<N>, string>> {
  const bridge = window.sallyport;
  if (bridge === undefined) return fail('This page was not opened by Sallyport, so there is nobody to ask.');
  try {
    return ok(await bridge.ask(name, request));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return fail(
      `Sallyport's main process gave no answer to "${name}" (${detail}). Nothing was changed by this window. Try again; if it stays, quit Sallyport and start it anew.`,
    );
  }
}

/** Asks for something that answers with a yes or a reason; both kinds of no become one text. */
export async function tell<
  N extends
    | 'prompts.answer'
    | 'runs.stop'
    | 'approvals.revoke'
    | 'settings.set'
    | 'clipboard.write'
    | 'app.firstStartDone'
    | 'app.installStarterPolicy',
>(name: N, request: RequestOf<N>): Promise<Result<null, string>> {
  const answer = await ask(name, request);
  if (!answer.ok) return answer;
  return answer.value.ok ? ok(null) : fail(answer.value.text);
}

/** Listens to the main process; the answer ends the listening. */
export function on<N extends EventName>(name: N, listener: (event: EventOf<N>) => void): () => void {
  return window.sallyport?.on(name, listener) ?? (() => undefined);
}

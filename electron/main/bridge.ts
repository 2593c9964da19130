/**
 * The main end of the bridge. Job: let nothing in but a declared request of the declared form from the main
 * frame of a window of ours, and nothing out but an answer of the declared form. It must not answer by itself.
 */
import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { EVENTS, REQUESTS, type Bridge, type EventName, type EventOf } from '../../shared/bridge/channels.js';
import type { AnswerOf, RequestName, RequestOf } from '../../shared/bridge/channels.js';
import { ASK, TELL, type Reply } from '../../shared/bridge/wire.js';
import type { Faults } from './faults.js';
import { isOwnOrigin } from './scheme.js';

export type Place = Bridge['place'];

export type Handlers = {
  readonly [N in RequestName]: (request: RequestOf<N>, from: WebContents) => Promise<AnswerOf<N>>;
};

export interface BridgeInput {
  readonly handlers: Handlers;
  /** Which window of ours a page is; null for any other. */
  readonly placeOf: (contents: WebContents) => Place | null;
  /** Whether it was one that has been closed: what its page still asked on its way out is refused without a word. */
  readonly isGone: (contents: WebContents) => boolean;
  readonly faults: Pick<Faults, 'note'>;
}

/** What a prompt's window needs; the rest is the main window's. */
const OF_PROMPTS: ReadonlySet<RequestName> = new Set([
  ...(['app.info', 'settings.get', 'agents.list', 'runs.list'] as const),
  ...(['prompts.list', 'prompts.answer', 'clipboard.write'] as const),
]);
/** Longest text of an error that a page is told, in characters. */
const LONGEST = 600;

const refused = (text: string): Reply => ({ ok: false, text });

/** Begins to answer. */
export function serveBridge({ handlers, placeOf, isGone, faults }: BridgeInput): void {
  ipcMain.handle(ASK, async (event, name: unknown, request: unknown): Promise<Reply> => {
    const place = isMainFrame(event) ? placeOf(event.sender) : null;
    if (place === null) {
      if (!isGone(event.sender))
        faults.note(`a request was refused: it came from ${JSON.stringify(event.senderFrame?.url ?? 'nowhere')}`);
      return refused('This page may not ask anything.');
    }
    if (typeof name !== 'string' || !isRequest(name)) return refused('There is no such request.');
    const checked = REQUESTS[name].request.safeParse(request);
    if (!checked.success) return refused(`This is no request of the form that ${name} takes.`);
    if (place.window === 'prompt' && !mayAsk(place.promptId, name, checked.data)) {
      return refused('The window of a prompt may not ask this.');
    }
    return answerWith(handlers, name, checked.data, event.sender, faults);
  });
}

/** Tells a window's page something; a form that was not declared is a fault, and is not sent. */
export function tellPage<N extends EventName>(
  contents: WebContents,
  name: N,
  event: EventOf<N>,
  faults: Pick<Faults, 'note'>,
): void {
  if (contents.isDestroyed()) return;
  const checked = EVENTS[name].safeParse(event);
  if (checked.success) contents.send(TELL, name, checked.data);
  else faults.note(`"${name}" has not the declared form and was not told: ${checked.error.message}`);
}

/** A frame inside the page, and a page of another origin, are not ours, whatever window they are in. */
function isMainFrame({ senderFrame, sender }: IpcMainInvokeEvent): boolean {
  return senderFrame !== null && senderFrame === sender.mainFrame && isOwnOrigin(senderFrame.origin);
}

function isRequest(name: string): name is RequestName {
  return Object.hasOwn(REQUESTS, name);
}

function mayAsk(promptId: string, name: RequestName, request: unknown): boolean {
  if (!OF_PROMPTS.has(name)) return false;
  return name !== 'prompts.answer' || (request as RequestOf<'prompts.answer'>).id === promptId;
}

async function answerWith(
  handlers: Handlers,
  name: RequestName,
  request: unknown,
  from: WebContents,
  faults: Pick<Faults, 'note'>,
): Promise<Reply> {
  try {
    const handler = handlers[name] as (request: unknown, from: WebContents) => Promise<unknown>;
    const checked = REQUESTS[name].answer.safeParse(await handler(request, from));
    if (checked.success) return { ok: true, answer: checked.data };
    faults.note(`the answer to "${name}" has not the declared form: ${checked.error.message}`);
    return refused('Sallyport made an answer of a wrong form, which is a fault of Sallyport; it was not passed on.');
  } catch (error) {
    faults.note(`"${name}" failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    // No stack: what is shown is for a person.
    return refused((error instanceof Error ? error.message : String(error)).slice(0, LONGEST));
  }
}

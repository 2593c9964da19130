/**
 * preload: the only code of ours that a page can reach. Job: expose the bridge, as it is declared, and
 * nothing else: no object of Electron, no channel that is not in the list. It must not decide anything;
 * main checks every request again.
 */
import { contextBridge, ipcRenderer } from 'electron';
import { z } from 'zod';
import { EVENTS, REQUESTS, type Bridge, type RequestName } from '../../shared/bridge/channels.js';
import { ASK, placeFrom, TELL, type Reply } from '../../shared/bridge/wire.js';

// The pages' content policy allows no code from text, which zod would try to make for speed.
z.config({ jitless: true });

const isRequest = (name: unknown): name is RequestName => typeof name === 'string' && Object.hasOwn(REQUESTS, name);

async function ask(name: string, request: unknown): Promise<unknown> {
  if (!isRequest(name)) throw new Error(`there is no request ${JSON.stringify(name)}`);
  const checked = REQUESTS[name].request.safeParse(request);
  if (!checked.success) throw new Error(`this is no request of the form that ${name} takes`);
  const reply = (await ipcRenderer.invoke(ASK, name, checked.data)) as Reply;
  if (reply.ok) return reply.answer;
  throw new Error(reply.text);
}

const listeners = new Map<string, Set<(event: unknown) => void>>();
ipcRenderer.on(TELL, (_, name: string, event: unknown) => {
  for (const listener of listeners.get(name) ?? []) listener(event);
});

function on(name: string, listener: (event: unknown) => void): () => void {
  if (!Object.hasOwn(EVENTS, name)) throw new Error(`there is no event ${JSON.stringify(name)}`);
  const all = listeners.get(name) ?? new Set();
  const entry = (event: unknown) => {
    listener(event);
  };
  listeners.set(name, all.add(entry));
  return () => {
    all.delete(entry);
  };
}

const bridge: Bridge = { ask: ask as Bridge['ask'], on: on as Bridge['on'], place: placeFrom(process.argv) };
contextBridge.exposeInMainWorld('sallyport', bridge);

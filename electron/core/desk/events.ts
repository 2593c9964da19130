import type { EventOf } from '../../../shared/bridge/channels.js';
import type { DeskEvent } from './ports.js';

type Listener<N extends DeskEvent> = (event: EventOf<N>) => void;

export interface DeskEvents {
  readonly on: <N extends DeskEvent>(name: N, listener: Listener<N>) => () => void;
  readonly tell: <N extends DeskEvent>(name: N, event: EventOf<N>) => void;
}

/** Who hears of what. A listener that throws (a window that is gone) stands in nobody's way; `onFault` is told. */
export function createDeskEvents(onFault: (text: string) => void): DeskEvents {
  const listeners = new Map<DeskEvent, Set<(event: unknown) => void>>();
  return {
    on: (name, listener) => {
      const all = listeners.get(name) ?? new Set();
      // One object per call, so that ending one listening does not end another of the same function.
      const entry = (event: unknown) => {
        listener(event as Parameters<typeof listener>[0]);
      };
      listeners.set(name, all.add(entry));
      return () => {
        all.delete(entry);
      };
    },
    tell: (name, event) => {
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          listener(event);
        } catch (error) {
          onFault(`a window could not be told "${name}": ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    },
  };
}

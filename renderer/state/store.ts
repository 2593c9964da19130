/**
 * The one store of a window. Job: hold the state, tell who looks at it. What changes it is in
 * actions.ts; it must not talk to the main process itself.
 */
import { useSyncExternalStore } from 'react';
import { EMPTY, type AppState } from './model.js';

let state: AppState = EMPTY;
const listeners = new Set<() => void>();

export function getState(): AppState {
  return state;
}

/** Changes the state; a change that changes nothing is told to nobody. */
export function update(change: (before: AppState) => AppState): void {
  const next = change(state);
  if (next === state) return;
  state = next;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A part of the state; `select` must give the same object for the same state. */
export function useApp<T>(select: (state: AppState) => T): T {
  return useSyncExternalStore(subscribe, () => select(state));
}

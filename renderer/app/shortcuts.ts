import type { PageName } from '../state/model.js';

/** Pages in the order of the rail; each has the number of its place as a shortcut. */
export const RAIL_PAGES = [
  'runs',
  'approvals',
  'registry',
  'doctor',
  'settings',
] as const satisfies readonly PageName[];

interface Keys {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** The page that a combination of keys opens; null for any other. Control, or the command key. */
export function pageOfKeys(keys: Keys): PageName | null {
  if (keys.ctrlKey === keys.metaKey || keys.altKey || keys.shiftKey) return null;
  if (keys.key.toLowerCase() === 'n') return 'new-run';
  if (keys.key === ',') return 'settings';
  const place = Number.parseInt(keys.key, 10);
  return RAIL_PAGES[place - 1] ?? null;
}

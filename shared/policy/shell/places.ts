/** Where a shell may stand: every folder that a `cd` could have led to, as far as the text tells. Follows no link. */
import type { Operand } from './options.js';

/** More possible working folders than this are not followed. */
export const MAX_FOLDERS = 16;

/** Where the command may be at this moment: folders relative to the start; `known` is false after a computed `cd`. */
export interface Place {
  readonly folders: readonly string[];
  readonly known: boolean;
}

/** The place after `cd`, `pushd` or `popd`. */
export function changeFolder(name: string, words: readonly Operand[], place: Place): Place {
  const target = words.find((word) => !/^-[LPe@n]+$|^--$/.test(word.texts[0] ?? ''));
  if (name === 'popd' || target === undefined) {
    return name === 'cd' ? { folders: ['~'], known: true } : { folders: place.folders, known: false };
  }
  if (target.texts[0] === '-' || /^[-+]\d/.test(target.texts[0] ?? '')) return { folders: place.folders, known: false };
  return enter(target, place);
}

/** The place after going to a folder. */
export function enter(target: Operand, place: Place): Place {
  const folders = place.folders.flatMap((folder) => target.texts.map((text) => join(folder, text)));
  return bounded({ folders, known: place.known && target.exact });
}

/** Either of two places. */
export function union(a: Place, b: Place): Place {
  if (a === b) return a;
  return bounded({ folders: [...a.folders, ...b.folders], known: a.known && b.known });
}

function bounded(place: Place): Place {
  const folders = [...new Set(place.folders)];
  if (folders.length <= MAX_FOLDERS) return { folders, known: place.known };
  return { folders: folders.slice(0, MAX_FOLDERS), known: false };
}

/** A path seen from a folder; absolute and home paths stay as they are. */
export function join(folder: string, path: string): string {
  if (path.startsWith('/') || path === '~' || path.startsWith('~/')) return path;
  return folder === '' ? path : `${folder.replace(/\/$/, '')}/${path}`;
}

/**
 * The paths that the arguments of a tool call name, whatever the tool calls them: by the names of
 * the arguments, at any depth, and in patch bodies. It reads names, not meanings: content is never
 * taken for a path.
 */
import { posix } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../../../shared/json.js';
import { LONGEST_PATH } from './reach.js';

/** Names of arguments whose texts are paths, without `_`, `-` and case. */
const PATH_NAME =
  /^(?:(?:file|files|dir|folder|directory|notebook|output|out|input|source|src|target|dest|destination|old|new|from|to|abs|absolute|relative|full)?(?:path|paths|file|files|filename|filenames|filepath|filepaths|dir|directory|folder|uri)|source|sources|src|target|targets|dest|destination|destinations|output|outputs|out|from|to|oldname|newname)$/;
const PATCH_NAME = /^(?:patch|patches|diff|input|patchtext|unifieddiff)$/;

/** Every path that the arguments name, each once, in no particular order. */
export function namedPaths(args: JsonObject): readonly string[] {
  const found = new Set<string>();
  // A stack of our own: how deep the arguments are nested is not ours to choose.
  const pending: { readonly name: string | null; readonly value: Json }[] = [{ name: null, value: args }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { name, value } = next;
    if (typeof value === 'string') for (const path of pathsOfText(name, value)) found.add(path);
    else if (Array.isArray(value)) for (const item of value as readonly Json[]) pending.push({ name, value: item });
    else if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) pending.push({ name: foldName(key), value: item });
    }
  }
  return [...found];
}

function pathsOfText(name: string | null, text: string): readonly string[] {
  if (name === null) return [];
  const path = PATH_NAME.test(name) && isPathLike(text) ? [text] : [];
  return PATCH_NAME.test(name) ? [...path, ...patchPaths(text)] : path;
}

function foldName(name: string): string {
  return name.replace(/[_\-.]/g, '').toLowerCase();
}

/** A text that no system could open as a path is content under a misleading name. */
function isPathLike(text: string): boolean {
  return text !== '' && posix.normalize(text).length < LONGEST_PATH / 2;
}

const PATCH_LINES: readonly RegExp[] = [
  /^\*\*\* (?:Add|Update|Delete) File: (.+?)\r?$/gm,
  /^\*\*\* Move to: (.+?)\r?$/gm,
  /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\r\n]+)/gm,
  /^(?:rename|copy) (?:from|to) (.+?)\r?$/gm,
  /^diff --git (?:"?a\/)(.+?)"? "?b\/.+$/gm,
  /^diff --git "?a\/.+?"? (?:"?b\/)(.+?)"?\r?$/gm,
];

/** The files that a patch names: the `*** Begin Patch` form and unified diffs. */
export function patchPaths(text: string): readonly string[] {
  const found = new Set<string>();
  for (const line of PATCH_LINES) {
    for (const match of text.matchAll(line)) {
      const path = match[1]?.trim().replace(/^"(?:[ab]\/)?(.*)"$/, '$1');
      if (path !== undefined && path !== '' && path !== '/dev/null') found.add(path);
    }
  }
  return [...found];
}

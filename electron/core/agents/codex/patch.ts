/**
 * The files that a patch names. A patch is the agent's own format (`*** Add File: name`); it comes as the one argument of
 * apply_patch, or inside a shell command, where the agent takes it out and applies it itself (measured).
 */
import { quoteSh } from '../../../../shared/quote-sh.js';
import { shellWrites } from '../../../../shared/policy/shell-writes.js';

/** Looser than the agent's own reader: a name too many is judged for nothing, a name too few opens the gate. */
const FILE_LINE = /^\s*\*\*\*\s*(?:(?:Add|Update|Delete)\s+File|Move\s+to)\s*:\s*(.*?)\s*$/gim;

/** A command in which a patch may stand. */
const PATCH_COMMAND = /apply_?patch|\*\*\* ?begin patch/i;

/** Names in the order of the patch, each once, as written. */
export function patchTargets(patch: string): readonly string[] {
  const names = [...patch.matchAll(FILE_LINE)].map((match) => match[1] ?? '').filter((name) => name !== '');
  return [...new Set(names)];
}

/** The same for a shell command: the names as written, and as they are seen from the folder that the command goes to first. */
export function commandPatchTargets(command: string): readonly string[] {
  if (!PATCH_COMMAND.test(command)) return [];
  const names = patchTargets(command);
  if (names.length === 0) return [];
  const before = command.slice(0, Math.max(0, command.search(/apply_?patch/i)));
  const moved = shellWrites(`${before} touch ${names.map(quoteSh).join(' ')}`).targets;
  return [...new Set([...names, ...moved])];
}

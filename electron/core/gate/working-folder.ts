import { isAbsolute, resolve } from 'node:path';
import type { Classification } from '../../../shared/contracts/event.js';

/**
 * What a call names, seen from the folder that the agent works in: an agent's shell may stay where an
 * earlier call went (`cd .git`, then `echo x > config`: measured on Claude Code), while its files are
 * named from the workspace. Both readings are judged, since a wrong one must not open the gate.
 */
export function seenFromFolder(classification: Classification, cwd: string | null, workspace: string): Classification {
  if (cwd === null || cwd === workspace || !isAbsolute(cwd)) return classification;
  const both = (paths: readonly string[]) => [
    ...new Set([...paths, ...paths.filter((path) => !isAbsolute(path)).map((path) => resolve(cwd, path))]),
  ];
  return { ...classification, writePaths: both(classification.writePaths), paths: both(classification.paths) };
}

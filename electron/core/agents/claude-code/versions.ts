/**
 * Which versions of Claude Code were measured, and from which one on it knows what the compiled
 * form relies on. Must not guess: a version in between is told apart only by what was bisected.
 */
import type { VersionJudgement } from '../contract.js';

/** Program files (the linux-x64 package's `claude`) that every row of this adapter was run on. */
export const MEASURED_PROGRAMS = [
  { version: '2.1.332', digest: 'sha256:a2df1f41bb00250992926420d0063f89b127cb81abdd284dbefb80c50ff1d026' },
  { version: '2.1.197', digest: 'sha256:f54e69cbc89b2da61a415700af7ff52a147e862517d4f1b0eecf768448cf7f83' },
] as const;

export const MEASURED_VERSIONS: readonly string[] = MEASURED_PROGRAMS.map((program) => program.version);

/** `2.1.332 (Claude Code)` -> `2.1.332`; null for anything else. */
export function parseVersion(stdout: string): string | null {
  return /^(\d+\.\d+\.\d+)(?: \(Claude Code\))?\s*$/.exec(stdout)?.[1] ?? null;
}

/** No version is known that cannot hold the gate: older ones get the form that fails closed by exit status. */
export function judgeVersion(version: string | null): VersionJudgement {
  if (version !== null && MEASURED_VERSIONS.includes(version)) return { verdict: 'measured' };
  return {
    verdict: 'unmeasured',
    note:
      `the gate was not measured on ${version === null ? 'this unknown version' : `version ${version}`} ` +
      `(measured: ${MEASURED_VERSIONS.join(', ')}); it is used in the form that the nearest older measured version keeps`,
  };
}

/** `onFailure: "block"` is honoured from 2.1.295 on (bisected: 2.1.294 ignores it silently and runs the tool). */
export function knowsFailureBlock(version: string | null): boolean {
  return isAtLeast(version, '2.1.295');
}

/** PreSkillShellCommand: seen on 2.1.332, absent on 2.1.197; versions between are taken not to know it. */
export function knowsSkillShellHook(version: string | null): boolean {
  return isAtLeast(version, '2.1.332');
}

/** PermissionRequest fires without a terminal: seen on 2.1.332; on 2.1.197 it never fired. */
export function raisesPermissionRequest(version: string | null): boolean {
  return isAtLeast(version, '2.1.332');
}

function isAtLeast(version: string | null, floor: string): boolean {
  if (version === null || !/^\d+\.\d+\.\d+$/.test(version)) return false;
  const given = version.split('.').map(Number);
  for (const [index, least] of floor.split('.').map(Number).entries()) {
    const part = given[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

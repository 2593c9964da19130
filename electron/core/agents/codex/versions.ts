/**
 * Which versions of Codex were measured. Whether the gate really holds is asked of the program itself before
 * each run (session.ts), so an unmeasured version is used with a note.
 */
import type { VersionJudgement } from '../contract.js';

/** Program files (the linux-x64 package's native `codex`) that every row of this adapter was run on. */
export const MEASURED_PROGRAMS = [
  { version: '0.171.0', digest: 'sha256:b76a027d6b210f9a8da7aaf321dd235c700f0ef7a794d4a5314b9af6c134f0f0' },
] as const;

export const MEASURED_VERSIONS: readonly string[] = MEASURED_PROGRAMS.map((program) => program.version);

/** `codex-cli 0.171.0` -> `0.171.0`; null for anything else. */
export function parseVersion(stdout: string): string | null {
  return /^codex-cli (\d+\.\d+\.\d+(?:-[A-Za-z0-9.]+)?)\s*$/.exec(stdout)?.[1] ?? null;
}

export function judgeVersion(version: string | null): VersionJudgement {
  if (version !== null && MEASURED_VERSIONS.includes(version)) return { verdict: 'measured' };
  return {
    verdict: 'unmeasured',
    note:
      `the gate was not measured on ${version === null ? 'this unknown version' : `version ${version}`} ` +
      `(measured: ${MEASURED_VERSIONS.join(', ')}); the agent must still call each hook of the gate trusted before the run starts`,
  };
}

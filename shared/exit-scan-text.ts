/** What the exit scan says, in words; one wording for the terminal and the window. */
import type { ExitScan, ExitScanState, Finding } from './contracts/exit-scan.js';

/** The state in few words. */
export const EXIT_SCAN_WORDS: Readonly<Record<ExitScanState, string>> = {
  not_scanned: 'not made',
  clean: 'clean',
  exposed: 'exposed',
  incomplete: 'incomplete',
  leaked: 'leaked',
  redaction_failed: 'redaction failed',
};

const STATES: Readonly<Record<ExitScanState, string>> = {
  not_scanned: 'not scanned',
  clean: 'clean: no secret was found',
  exposed: 'exposed: a secret that was there before, or that you gave, is kept in more places now',
  incomplete: 'incomplete: not all could be looked at, so this is not clean',
  leaked: 'leaked: a secret stands where the run brought it',
  redaction_failed: "redaction failed: a secret stands in Sallyport's own files of this run",
};

/** The state, and what was looked at. */
export function exitScanText({ state, files, bytes }: ExitScan): string {
  if (state === 'not_scanned') return STATES.not_scanned;
  return `${STATES[state]} (${files} file(s), ${sizeText(bytes)} looked at)`;
}

function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KiB`;
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

export const ORIGIN_WORDS: Readonly<Record<Finding['origin'], string>> = {
  exposed: 'exposed',
  leaked: 'leaked',
  redaction_failed: 'redaction failed',
};

export const PART_WORDS: Readonly<Record<Finding['part'], string>> = {
  artifacts: "the run's own files",
  agent_state: "the agent's state",
  workspace: 'the workspace',
  configuration: 'the compiled configuration',
};

/** How it came there, by which rule, and in which part it is. */
export function findingText({ origin, rule, part }: Pick<Finding, 'origin' | 'rule' | 'part'>): string {
  return `${ORIGIN_WORDS[origin]}: ${rule} in ${PART_WORDS[part]}`;
}

/** The file and the place in it. */
export function findingPlace({
  path,
  line,
  column,
  offset,
}: Pick<Finding, 'path' | 'line' | 'column' | 'offset'>): string {
  if (line !== null) return `${path}:${line}:${column ?? 1}`;
  return offset === null ? path : `${path}, byte ${offset}`;
}

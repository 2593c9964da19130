/**
 * scan: the second look. When a run has ended this room looks for secrets in what the run left behind. It does
 * not trust the redactor to have worked, changes nothing that it looks at, and what it could not look at
 * is never called clean.
 */
import type { ExitScan, Finding } from '../../../shared/contracts/exit-scan.js';
import { ALL_RULES, RULES_NAME } from '../redaction/rules/find.js';
import { judgeOrigin, worstState, type PromptSecrets } from './origins.js';
import {
  SCAN_LIMITS,
  type BeforeRoot,
  type KnownSecretValue,
  type Listing,
  type Root,
  type ScanLimits,
  type Target,
} from './protocol.js';
import { openScanThread, type ScanThread, type ThreadFault } from './scan-thread.js';

export interface ScanInput {
  readonly workerUrl: URL;
  /** Of the fingerprints. */
  readonly key: Uint8Array;
  /** Values that were handed to the run, without its own token. */
  readonly known: readonly KnownSecretValue[];
  readonly roots: readonly Root[];
  /** The prompt as it was given; null where only its stored form is there. */
  readonly prompt: string | null;
  /** The prompt as it is stored: marks in it name the secrets that it held. */
  readonly storedPrompt: string;
  /** What cannot be looked at, as the caller knows, in words. */
  readonly problems: readonly string[];
  /** What is worth saying though nothing is wrong, in words. */
  readonly notes: readonly string[];
  readonly leakPolicy: 'fail' | 'warn';
  readonly stop: AbortSignal;
  readonly limits?: ScanLimits;
  /** Unix seconds. */
  readonly now: () => number;
}

export interface ScanResult {
  readonly scan: ExitScan;
  readonly findings: readonly Finding[];
}

/** Most findings that are kept. */
const MOST_FINDINGS = 1_000;

/** Looks at everything; never throws for what it meets, and takes no longer than its limit. */
export async function scanRun(input: ScanInput): Promise<ScanResult> {
  const limits = input.limits ?? SCAN_LIMITS;
  const thread = openScanThread(input.workerUrl, { key: input.key, known: input.known });
  const timeout = AbortSignal.timeout(limits.timeMs);
  const stop = AbortSignal.any([input.stop, timeout]);
  const state = { findings: [] as Finding[], problems: [...input.problems], files: 0, bytes: 0 };
  const faultText = (fault: ThreadFault, what: string) => {
    if (fault.what === 'stopped')
      return timeout.aborted
        ? `it did not end within ${limits.timeMs / 1_000} s`
        : 'it was stopped before it had ended';
    if (fault.what === 'broken') return `the scanner failed at ${what} (${fault.why})`;
    const rule = fault.rule === null ? 'reading it' : `the rule ${ALL_RULES[fault.rule]?.id ?? ''}`;
    return `${what}: ${rule} did not end within ${limits.ruleMs / 1_000} s`;
  };
  try {
    const held = await promptSecrets(input, thread, stop, limits);
    if (!held.ok) state.problems.push(faultText(held.fault, 'the prompt'));
    const listed = await thread.ask({ ask: 'list', roots: input.roots }, limits.timeMs, stop);
    if (!listed.ok) state.problems.push(faultText(listed.error, 'the list of files'));
    else state.problems.push(...listed.value.problems);
    for (const target of listed.ok ? listed.value.targets : []) {
      const ended = await lookAtTarget({ input, thread, stop, limits, target, held: held.secrets, state, faultText });
      if (ended) break;
    }
  } finally {
    await thread.close();
  }
  return resultOf(input, state);
}

interface LookInput {
  readonly input: ScanInput;
  readonly thread: ScanThread;
  readonly stop: AbortSignal;
  readonly limits: ScanLimits;
  readonly target: Target;
  readonly held: PromptSecrets;
  readonly state: { readonly findings: Finding[]; readonly problems: string[]; files: number; bytes: number };
  readonly faultText: (fault: ThreadFault, what: string) => string;
}

/** One file; a rule that does not end is left out and the file looked at again. True where the scan must end. */
async function lookAtTarget({
  input,
  thread,
  stop,
  limits,
  target,
  held,
  state,
  faultText,
}: LookInput): Promise<boolean> {
  const skipRules: number[] = [];
  for (;;) {
    const maxBytes = limits.bytes - state.bytes;
    const looked = await thread.ask({ ask: 'look', target, maxBytes, skipRules }, limits.ruleMs, stop);
    if (!looked.ok) {
      state.problems.push(faultText(looked.error, target.path));
      if (looked.error.what === 'stopped') return true;
      if (looked.error.what !== 'stalled' || looked.error.rule === null) return false;
      skipRules.push(looked.error.rule);
      continue;
    }
    state.files += 1;
    state.bytes += looked.value.bytes;
    state.problems.push(...looked.value.problems);
    for (const raw of looked.value.found) {
      if (state.findings.length === MOST_FINDINGS) {
        state.problems.push(`there are more than ${MOST_FINDINGS} findings; the others are not named`);
        return true;
      }
      const { origin, why } = judgeOrigin(target, raw, held);
      const id = `finding-${state.findings.length + 1}`;
      state.findings.push({ id, ...raw, origin, why, part: target.part, path: target.path, firstSeen: input.now() });
    }
    return false;
  }
}

type Held =
  | { readonly ok: true; readonly secrets: PromptSecrets }
  | { readonly ok: false; readonly secrets: PromptSecrets; readonly fault: ThreadFault };

/** Fingerprints of what the prompt held, from its own text and from the marks in its stored form. */
async function promptSecrets(
  input: ScanInput,
  thread: ScanThread,
  stop: AbortSignal,
  limits: ScanLimits,
): Promise<Held> {
  const marked = [...input.storedPrompt.matchAll(/\[REDACTED:[A-Za-z0-9_.-]+:([0-9a-f]{8})\]/g)].map(
    ([, mark]) => mark ?? '',
  );
  if (input.prompt === null) return { ok: true, secrets: marked };
  const found = await thread.ask({ ask: 'prompt', text: input.prompt }, limits.ruleMs, stop);
  if (!found.ok) return { ok: false, secrets: marked, fault: found.error };
  return { ok: true, secrets: [...marked, ...found.value.secrets] };
}

/** Most reasons that are kept; a folder that cannot be read at all would fill a record. */
const MOST_REASONS = 50;

function resultOf(input: ScanInput, { findings, problems, files, bytes }: LookInput['state']): ScanResult {
  const count = (origin: Finding['origin']) => findings.filter((one) => one.origin === origin).length;
  const reasons = [...new Set(problems)];
  const cut = reasons.length > MOST_REASONS ? [`and ${reasons.length - MOST_REASONS} more`] : [];
  return {
    findings,
    scan: {
      state: worstState(findings, reasons.length > 0),
      why: [...reasons.slice(0, MOST_REASONS), ...cut, ...input.notes],
      exposed: count('exposed'),
      leaked: count('leaked'),
      redactionFailed: count('redaction_failed'),
      files,
      bytes,
      rules: RULES_NAME,
      leakPolicy: input.leakPolicy,
    },
  };
}

/** Milliseconds between two signs of life of the look before a run, which a launch waits for. */
const BEFORE_STILL_MS = 30_000;

/** Bytes and milliseconds for what is in files before a run; the rest is listed only. */
const BEFORE_CONTENT = { bytes: 67_108_864, timeMs: 5_000 };

/** How places stand before a run; never throws. */
export async function lookBefore(
  input: Pick<ScanInput, 'workerUrl' | 'key' | 'known'> & {
    readonly roots: readonly BeforeRoot[];
    readonly limits?: ScanLimits;
  },
  stop: AbortSignal,
): Promise<Listing> {
  const thread = openScanThread(input.workerUrl, { key: input.key, known: input.known });
  try {
    const request = { ask: 'before', roots: input.roots, content: BEFORE_CONTENT } as const;
    const stillMs = Math.min(BEFORE_STILL_MS, input.limits?.timeMs ?? BEFORE_STILL_MS);
    const seen = await thread.ask(request, stillMs, stop);
    if (seen.ok) return seen.value.listing;
    const why =
      seen.error.what === 'broken' ? `the scanner failed: ${seen.error.why}` : 'it took too long or was stopped';
    return { files: new Map(), problems: [`how it all stood before the run is not known (${why})`] };
  } finally {
    await thread.close();
  }
}

/** How a secret came to where it was found, and what that makes of the run. Pure. */
import type { ExitScanState, Finding, FindingOrigin } from '../../../shared/contracts/exit-scan.js';
import type { RawFinding, Target } from './protocol.js';

/** Fingerprints, or their first 8 characters, of the secrets that the prompt held. */
export type PromptSecrets = readonly string[];

export interface Origin {
  readonly origin: FindingOrigin;
  readonly why: string;
}

/** Where our own files hold one the redactor failed; elsewhere it matters who brought it. */
export function judgeOrigin({ part, before }: Target, { fingerprint }: RawFinding, prompt: PromptSecrets): Origin {
  if (part === 'artifacts')
    return { origin: 'redaction_failed', why: 'this file is written by Sallyport, redacted; it should hold no secret' };
  if (part === 'configuration')
    return {
      origin: 'redaction_failed',
      why: 'this file was compiled by Sallyport for the run; it should hold no secret',
    };
  if (prompt.some((known) => fingerprint.startsWith(known)))
    return { origin: 'exposed', why: 'the prompt of this run held it' };
  if (Array.isArray(before) && before.includes(fingerprint))
    return { origin: 'exposed', why: 'it stood in this file before the run' };
  // What was said in this session stands in the session's own file as well, which is looked at by itself.
  if (part === 'agent_state' && before === 'unknown')
    return {
      origin: 'exposed',
      why: 'this file also holds the words of other sessions, and was too large to be looked at before the run',
    };
  return { origin: 'leaked', why: leakText(part, before) };
}

function leakText(part: 'agent_state' | 'workspace', before: Target['before']): string {
  if (part === 'agent_state')
    return 'the prompt did not hold it: a tool, a file or the environment brought it to the agent, which keeps it here';
  if (before === 'new') return 'the run made this file, and the prompt did not hold it';
  if (before === 'unknown')
    return 'the run changed this file; whether it stood there before is not known, since the file was too large to be looked at then';
  return 'the run wrote it into this file, where it did not stand before';
}

/** The worst that applies. */
export function worstState(findings: readonly Pick<Finding, 'origin'>[], incomplete: boolean): ExitScanState {
  const has = (origin: FindingOrigin) => findings.some((one) => one.origin === origin);
  if (has('redaction_failed')) return 'redaction_failed';
  if (has('leaked')) return 'leaked';
  if (incomplete) return 'incomplete';
  return has('exposed') ? 'exposed' : 'clean';
}

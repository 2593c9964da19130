import type { FingerprintKey } from '../redaction/fingerprints.js';
import type { Listing, ScanLimits } from '../scan/protocol.js';

/** What a run needs of this program for its exit scan. */
export interface ScanDoor {
  /** The built worker. */
  readonly workerUrl: URL;
  /** Asked once for each run; it waits for the keychain no longer than that one's time-out. */
  readonly fingerprintKey: () => Promise<FingerprintKey>;
  readonly limits?: ScanLimits;
}

/** Notes that a live run takes for its end. */
export interface ScanNotes {
  /** The workspace, and what the agent's sessions share, before the agent began; null where no agent was to be started. */
  before: Promise<Listing> | null;
  /** The environment of the agent; null before it is known. */
  agentEnv: Readonly<Record<string, string>> | null;
  /** Ids of the agent's sessions: the one that we chose, and the one that it told. */
  readonly sessions: Set<string>;
  /** Files of the session that its calls were read from. */
  transcripts: readonly string[];
  agentStarted: boolean;
  readonly cancel: AbortController;
}

export function newScanNotes(): ScanNotes {
  return {
    before: null,
    agentEnv: null,
    sessions: new Set(),
    transcripts: [],
    agentStarted: false,
    cancel: new AbortController(),
  };
}

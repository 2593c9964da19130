/**
 * runs: the life of a run from its request to its record. It knows agents only through their
 * adapters, starts processes only through the seam, and lets the engine decide; its own part is
 * order: what must be true before an agent may start, and what is true when it has ended.
 */
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { Profile } from '../../../shared/contracts/profile.js';
import type { RunRecord } from '../../../shared/contracts/run.js';
import type { BypassLevel } from '../../../shared/contracts/vocabulary.js';
import type { Result } from '../../../shared/result.js';
import type { AgentAdapter } from '../agents/contract.js';
import type { ApprovalStore, ApprovalVoice } from '../approvals/store.js';
import type { Receipts } from '../receipts/receipts.js';
import type { SessionDocument } from '../registry/registry.js';
import type { LoginPathLookUp } from '../spawn/login-path.js';
import type { Seam } from '../spawn/seam.js';
import type { IndexClient } from '../store/index-client.js';
import type { StateFolder } from '../store/layout.js';
import type { Person } from './questions.js';
import type { ScanDoor } from './scan-door.js';
import type { RunEvent } from './timeline.js';

/** What a person asked for. */
export interface LaunchRequest {
  readonly adapter: AgentAdapter;
  readonly profile: Profile;
  /** Canonical path. */
  readonly workspace: string;
  readonly prompt: string;
  readonly bypass: BypassLevel;
  readonly sessionHooks: readonly SessionDocument[];
  /** True: run although a blocking hook never runs on this agent. */
  readonly acceptGaps: boolean;
  /** `approve`: a person is asked whether the agent may take in the configuration that the workspace brings for it. */
  readonly workspaceConfig: 'exclude' | 'approve';
  /** Hook depth of this process: over 0 when a hook started it. */
  readonly depth: number;
  /** What the person should know of the circumstances, in words; kept with the run. */
  readonly notices?: readonly string[];
}

/** A program that is part of Sallyport: how to start it from here. */
export interface SelfProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** Files beside the program that make it up, for the digest (a script; nothing where the program is all). */
  readonly files: readonly string[];
}

/** Something executable that wants a person's word. */
export interface TrustQuestion {
  readonly subject: ApprovalSubject;
  /** The same as it is now: what was shown may have changed on disk meanwhile. */
  readonly again: () => Promise<Result<ApprovalSubject, string>>;
  readonly withdrawn: AbortSignal;
}

/** A person's word on something executable, or why there is none. */
export type TrustAnswer =
  /** Yes to exactly this, which is what stood on the screen. */
  | { readonly answer: 'yes'; readonly subject: ApprovalSubject }
  | { readonly answer: 'no' }
  /** There is nobody who could be asked. */
  | { readonly answer: 'nobody' }
  /** It was asked, and nobody answered; `why` is for a person. */
  | { readonly answer: 'unanswered'; readonly why: string };

export interface LaunchServices {
  readonly state: StateFolder;
  readonly seam: Seam;
  readonly approvals: ApprovalStore;
  /** Makes the receipt when the run has ended. */
  readonly receipts: Pick<Receipts, 'seal'>;
  readonly loginPath: LoginPathLookUp;
  readonly userEnv: Readonly<Record<string, string | undefined>>;
  readonly practiceProgram: SelfProgram;
  /** Answers questions while the run lives; null where there is nobody. */
  readonly person: Person | null;
  /** Asks whether exactly this may run. */
  readonly trust: (question: TrustQuestion) => Promise<TrustAnswer>;
  /** Where a person says yes here; it is written into the approval. */
  readonly surface: ApprovalVoice['surface'];
  readonly emit: (event: RunEvent) => void;
  /** Hears of each new form of the record, redacted as it is stored. */
  readonly recordChanged?: (record: RunRecord) => void;
  readonly exitScan: ScanDoor;
  /** Null where the index could not be opened; the run folders are the truth. */
  readonly index: IndexClient | null;
  /** Unix seconds, fractional. */
  readonly now: () => number;
}

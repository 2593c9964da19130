/**
 * runs: the life of a run from its request to its record. It knows agents only through their
 * adapters, starts processes only through the seam, and lets the engine decide; its own part is
 * order: what must be true before an agent may start, and what is true when it has ended.
 */
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { Profile } from '../../../shared/contracts/profile.js';
import type { BypassLevel } from '../../../shared/contracts/vocabulary.js';
import type { AgentAdapter } from '../agents/contract.js';
import type { ApprovalStore } from '../approvals/store.js';
import type { SessionDocument } from '../registry/registry.js';
import type { LoginPathLookUp } from '../spawn/login-path.js';
import type { Seam } from '../spawn/seam.js';
import type { IndexClient } from '../store/index-client.js';
import type { StateFolder } from '../store/layout.js';
import type { Person } from './questions.js';
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
  /** Hook depth of this process: over 0 when a hook started it. */
  readonly depth: number;
}

/** A program that is part of Sallyport: how to start it from here. */
export interface SelfProgram {
  readonly program: string;
  readonly args: readonly string[];
}

/** A person's word on something executable, or that there was nobody to ask. */
export type TrustAnswer = 'yes' | 'no' | 'nobody';

export interface LaunchServices {
  readonly state: StateFolder;
  readonly seam: Seam;
  readonly approvals: ApprovalStore;
  readonly loginPath: LoginPathLookUp;
  readonly userEnv: Readonly<Record<string, string | undefined>>;
  readonly practiceProgram: SelfProgram;
  /** Answers questions while the run lives; null where there is nobody. */
  readonly person: Person | null;
  /** Asks whether exactly this may run; `nobody` where there is none to ask. */
  readonly trust: (subject: ApprovalSubject, withdrawn: AbortSignal) => Promise<TrustAnswer>;
  readonly emit: (event: RunEvent) => void;
  /** Null where the index could not be opened; the run folders are the truth. */
  readonly index: IndexClient | null;
  /** Unix seconds, fractional. */
  readonly now: () => number;
}

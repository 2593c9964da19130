/**
 * desk: the one service behind every channel between the app's main process and its windows. Plain
 * Node: it knows no Electron, so that all of it can be tried without a display. It decides nothing
 * about calls (engine), approvals (approvals) or a run's life (runs); it shows them and passes a
 * person's word on. A window only ever sends back ids and digests that the desk gave out.
 */
import type { AnswerOf, EventName, EventOf, RequestName, RequestOf } from '../../../shared/bridge/channels.js';
import type { KeychainView, PromptView, RunSummary, WorkspaceView } from '../../../shared/bridge/views.js';
import type { ApprovalStore } from '../approvals/store.js';
import type { ReceiptChecks } from '../receipts/checks.js';
import type { Receipts } from '../receipts/receipts.js';
import type { SelfProgram } from '../runs/request.js';
import type { ScanDoor } from '../runs/scan-door.js';
import type { IndexClient } from '../store/index-client.js';
import type { StateFolder } from '../store/layout.js';

/** What only Electron can answer. */
type ElectronRequest = 'workspaces.pick' | 'clipboard.write';
export type DeskRequest = Exclude<RequestName, ElectronRequest>;
/** What main tells a window by itself. */
export type DeskEvent = Exclude<EventName, 'navigate'>;

export type DeskHandlers = { readonly [N in DeskRequest]: (request: RequestOf<N>) => Promise<AnswerOf<N>> };

export interface DeskDeps {
  readonly state: StateFolder;
  readonly approvals: ApprovalStore;
  readonly receipts: Receipts;
  readonly receiptChecks: ReceiptChecks;
  readonly keychain: () => KeychainView;
  readonly userEnv: Readonly<Record<string, string | undefined>>;
  readonly practiceProgram: SelfProgram;
  readonly exitScan: ScanDoor;
  /** Null where the index could not be opened; it stays its opener's to close, after the desk. */
  readonly index: IndexClient | null;
  readonly version: string;
  /** Null where there is a tray; else why there is none. */
  readonly noTray: () => string | null;
  /** Unix seconds, fractional. */
  readonly now?: () => number;
  /** Time after which an unanswered trust prompt is a no, in seconds. */
  readonly trustSeconds?: number;
  /** Hears of faults that nobody waits for, in words. */
  readonly onFault?: (text: string) => void;
}

export interface Desk {
  readonly handlers: DeskHandlers;
  /** Listens to one kind of event; the answer ends the listening. */
  readonly on: <N extends DeskEvent>(name: N, listener: (event: EventOf<N>) => void) => () => void;
  /** Settles when what a crashed owner left behind was ended. */
  readonly started: Promise<void>;
  /** Runs of this app that have not ended, oldest first. */
  readonly live: () => readonly RunSummary[];
  /** What waits for a person, oldest first. */
  readonly prompts: () => readonly PromptView[];
  /** A prompt's window was closed without an answer: that is a no. */
  readonly dismissPrompt: (id: string) => void;
  /** Takes the folder that a person chose in the system's dialog. Throws when it is none. */
  readonly offerWorkspace: (path: string) => Promise<WorkspaceView>;
  /** Ends all runs of this app, denies all that waits, and waits until nothing is left. */
  readonly close: () => Promise<void>;
}

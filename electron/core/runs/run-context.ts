import type { GateSession } from '../gate/session.js';
import type { RegistryKeeper } from '../registry/registry.js';
import type { Questions } from './questions.js';
import type { LaunchRequest, LaunchServices } from './request.js';
import type { RunBook } from './run-book.js';
import type { ScanNotes } from './scan-door.js';

/** Everything that the parts of a live run share. */
export interface RunContext {
  readonly request: LaunchRequest;
  readonly services: LaunchServices;
  readonly book: RunBook;
  readonly session: GateSession;
  readonly keeper: RegistryKeeper;
  readonly questions: Questions;
  readonly stopped: AbortSignal;
  readonly notes: ScanNotes;
}

import { createKeychain, type Keychain } from '../core/approvals/keychain.js';
import { createMemoryApprovals } from '../core/approvals/memory-store.js';
import { createSignedApprovals, type SignedApprovals } from '../core/approvals/signed-store.js';
import { createSeam } from '../core/spawn/seam.js';
import { openFingerprintKey } from '../core/redaction/fingerprints.js';
import type { ScanDoor } from '../core/runs/scan-door.js';
import type { StateFolder } from '../core/store/layout.js';
import { keychainProgram, type CommandContext } from './context.js';

/** The approval store of a command, which begins to open at once; `refresh` waits for it. */
export interface CommandApprovals {
  readonly store: SignedApprovals;
  /** For the exit scan, whose fingerprints have their key in the same keychain. */
  readonly exitScan: ScanDoor;
  /** The same keychain, for the receipts. */
  readonly keychain: Keychain;
  /** Ends the keychain helper, so that the command can end. */
  readonly close: () => Promise<void>;
}

/** Milliseconds for an answer of the keychain where nobody waits for a window that asks for its password. */
const QUICK_MS = 5_000;
/** Where a person at the terminal may be typing it. */
const PATIENT_MS = 60_000;
/** Milliseconds after which a person is told what is waited for. */
const TELL_MS = 2_000;

export interface OpenOptions {
  /** A person is at the terminal and asked for something that needs the keychain. */
  readonly patient: boolean;
}

/** Opens it without waiting. */
export function openApprovals(context: CommandContext, state: StateFolder, { patient }: OpenOptions): CommandApprovals {
  const keychain = openKeychain(context, state, patient ? PATIENT_MS : QUICK_MS);
  const store = createSignedApprovals({ state, keychain });
  if (patient) tellWhenSlow(context, store);
  let key: ReturnType<ScanDoor['fingerprintKey']> | null = null;
  const exitScan: ScanDoor = {
    workerUrl: new URL('../scan/scan-worker.mjs', import.meta.url),
    fingerprintKey: () => (key ??= openFingerprintKey(keychain, state.dir)),
  };
  return { store, exitScan, keychain, close: () => keychain.close() };
}

/** The keychain of a command, asked by a helper process that `close` ends. It has a seam of its own, which starts no agent and no hook. */
export function openKeychain(context: CommandContext, state: StateFolder, timeoutMs = QUICK_MS): Keychain {
  return createKeychain({
    seam: createSeam({ approvals: createMemoryApprovals().check }),
    program: keychainProgram(),
    env: context.io.env,
    service: 'sallyport',
    accountPrefix: state.id,
    stateDir: state.dir,
    timeoutMs,
  });
}

function tellWhenSlow(context: CommandContext, store: SignedApprovals): void {
  const timer = setTimeout(() => {
    context.err('note     waiting for the keychain; a window may ask for its password\n');
  }, TELL_MS);
  const stop = () => {
    clearTimeout(timer);
  };
  store.refresh().then(stop, stop);
}

/** Whether a yes would be kept. */
export function keepsApprovals(store: Pick<SignedApprovals, 'status'>): boolean {
  const { state } = store.status();
  // After a failed check the records are begun anew.
  return state === 'ready' || state === 'failed-check';
}

/**
 * The core behind the windows: state folder, approvals, index, desk. Job: open them in their order and close
 * them in the other one. It knows no window.
 */
import packageJson from '../../package.json' with { type: 'json' };
import type { KeychainView } from '../../shared/bridge/views.js';
import { fail, ok, type Result } from '../../shared/result.js';
import { createKeychain } from '../core/approvals/keychain.js';
import { createSignedApprovals, type SignedApprovals } from '../core/approvals/signed-store.js';
import { openFingerprintKey, type FingerprintKey } from '../core/redaction/fingerprints.js';
import { createDesk } from '../core/desk/desk.js';
import type { Desk } from '../core/desk/ports.js';
import { createReceiptChecks } from '../core/receipts/checks.js';
import { createReceipts } from '../core/receipts/receipts.js';
import { createSeam } from '../core/spawn/seam.js';
import { openIndex } from '../core/store/index-client.js';
import { openState } from '../core/store/layout.js';
import type { Faults } from './faults.js';
import type { AppFolder } from './folder.js';
import { ownProgram } from './own-programs.js';

export interface Services {
  readonly desk: Desk;
  /** Ends all runs, denies all that waits, and lets go of every file; once. */
  readonly close: () => Promise<void>;
}

export interface ServicesInput {
  readonly folder: AppFolder;
  /** Null where there is a tray, else why not. */
  readonly tray: Promise<string | null>;
  readonly faults: Faults;
}

/** Opens all; an error is a text for a person, and then nothing was opened. */
export async function openServices({ folder, tray, faults }: ServicesInput): Promise<Result<Services, string>> {
  const opened = await openState(folder.stateDir);
  if (!opened.ok) return fail(opened.error.text);
  const state = opened.value;
  const helper = ownProgram('keychain-helper', state.dir);
  const keychain = createKeychain({
    // A seam of its own, which starts no agent and no hook.
    seam: createSeam({ approvals: () => false }),
    program: helper,
    env: process.env,
    service: 'sallyport',
    accountPrefix: state.id,
    stateDir: state.dir,
  });
  const approvals = createSignedApprovals({ state, keychain, surface: 'dialog' });
  const index = await openIndex(state, { workerUrl: new URL('../worker/index-worker.mjs', import.meta.url) });
  if (!index.ok) faults.note(`the index cannot be used (${index.error}); lists are read from the run folders`);
  const noTray = await tray;
  const desk = createDesk({
    state,
    approvals,
    receipts: createReceipts({ state, keychain, appVersion: packageJson.version }),
    receiptChecks: createReceiptChecks({ state, keychain }),
    keychain: followKeychain(approvals),
    userEnv: process.env,
    practiceProgram: ownProgram('practice-agent', state.dir),
    exitScan: {
      workerUrl: new URL('../scan/scan-worker.mjs', import.meta.url),
      fingerprintKey: keptKey(() => openFingerprintKey(keychain, state.dir)),
    },
    index: index.ok ? index.value : null,
    version: packageJson.version,
    noTray: () => noTray,
    onFault: faults.note,
  });
  let closing: Promise<void> | null = null;
  const close = async () => {
    await desk.close();
    if (index.ok) await index.value.close();
    await keychain.close();
  };
  return ok({ desk, close: () => (closing ??= close()) });
}

/** Kept once it is the installation's own: a keychain that gave no answer is asked again for the next run. */
function keptKey(open: () => Promise<FingerprintKey>): () => Promise<FingerprintKey> {
  let kept: FingerprintKey | null = null;
  return async () => {
    if (kept !== null) return kept;
    const key = await open();
    if (key.passing === null) kept = key;
    return key;
  };
}

/** Milliseconds between two looks at a keychain that gave no answer. */
const AGAIN_MS = 3_000;

/**
 * How the keychain stands. A keychain in trouble is asked anew when a person looks, never waited for: until it
 * has answered it is said to be starting.
 */
function followKeychain(approvals: SignedApprovals): () => KeychainView {
  let asking = true;
  let answeredAt = 0;
  const answered = () => {
    asking = false;
    answeredAt = Date.now();
  };
  approvals.refresh().then(answered, answered);
  return () => {
    const { state, text } = approvals.status();
    const trouble = state !== 'ready' && state !== 'failed-check' && state !== 'memory';
    if (trouble && !asking && Date.now() - answeredAt > AGAIN_MS) {
      asking = true;
      approvals.reopen().then(answered, answered);
    }
    if (asking) return { state: 'starting', text: 'The keychain is being asked.' };
    return state === 'memory' ? { state: 'refused', text } : { state, text };
  };
}

/** Verifying with the keychain of this installation, for whoever shows it: the doctor, a run's page. Changes nothing. */
import { join } from 'node:path';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { Keychain } from '../approvals/keychain.js';
import type { StateFolder } from '../store/layout.js';
import { runFolder } from '../store/run-folder.js';
import { CHAIN_FILE, readTail } from './chain-file.js';
import { envelopeDigest, readEnvelope } from './dsse.js';
import { readPlainFile } from './plain-file.js';
import { RECEIPT_FILE } from './receipts.js';
import { keyFromKeychain, lookSteadily, verifyChain, verifyRun, type Verdict } from './verify.js';

export interface ShownReceipt {
  readonly file: string;
  readonly digest: string;
  /** `sha256:` + hex of the key that it names; null where it is not signed. */
  readonly keyId: string | null;
  /** What it says, as text; nothing of it is checked. */
  readonly statement: string;
}

export interface ReceiptChecks {
  /** Signature, artifacts and place of one run's receipt. Without a key that is said, and is not "verified". */
  readonly run: (runId: string) => Promise<Verdict>;
  /** The whole chain; an error is why it cannot be checked, null where there is nothing to check. */
  readonly chain: () => Promise<Result<Verdict, string> | null>;
  /** What a run's receipt says; null where there is none that can be read. */
  readonly show: (runId: string) => Promise<ShownReceipt | null>;
}

export function createReceiptChecks({
  state,
  keychain,
}: {
  readonly state: StateFolder;
  readonly keychain: Keychain;
}): ReceiptChecks {
  return {
    run: (runId) =>
      lookSteadily(state.dir, async () => {
        const key = await keyFromKeychain(keychain);
        const seen = await verifyRun(state, runId, key.ok ? key.value : null);
        if (key.ok || !seen.keyMissing) return seen;
        return { ...seen, lines: [...seen.lines, { state: 'note', text: key.error }] };
      }),
    chain: async () => {
      let why = '';
      const seen = await lookSteadily(state.dir, async () => {
        const key = await keyFromKeychain(keychain);
        why = key.ok ? '' : key.error;
        return verifyChain(state, key.ok ? key.value : null);
      });
      if (!seen.keyMissing) return ok(seen);
      const { exists } = await readTail(state.dir);
      return exists ? fail(`${CHAIN_FILE} cannot be checked. ${why}`) : null;
    },
    show: async (runId) => {
      const file = join(runFolder(state, runId), RECEIPT_FILE);
      const text = await readPlainFile(file).catch(() => null);
      if (text === null) return null;
      const read = readEnvelope(text);
      if (!read.ok) return null;
      const { envelope, statement } = read.value;
      return {
        file,
        digest: envelopeDigest(Buffer.from(text, 'utf8')),
        keyId: envelope.signatures[0]?.keyid ?? null,
        statement: JSON.stringify(statement, null, 2),
      };
    },
  };
}

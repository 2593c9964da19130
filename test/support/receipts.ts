/** Receipts for tests, with a keychain that forgets with the test. */
import type { Keychain } from '../../electron/core/approvals/keychain.js';
import { createMemoryKeychain } from '../../electron/core/approvals/memory-keychain.js';
import { createReceiptChecks, type ReceiptChecks } from '../../electron/core/receipts/checks.js';
import { createReceipts, type Receipts } from '../../electron/core/receipts/receipts.js';
import type { StateFolder } from '../../electron/core/store/layout.js';

export const TEST_VERSION = '0.0.0-test';

/** Signs with a key of the test's own. */
export function memoryReceipts(state: StateFolder, keychain: Keychain = createMemoryKeychain()): Receipts {
  return createReceipts({ state, keychain, appVersion: TEST_VERSION });
}

/** What a desk needs of them: making and checking, with one keychain. */
export function memoryReceiptServices(
  state: StateFolder,
  keychain: Keychain = createMemoryKeychain(),
): { readonly receipts: Receipts; readonly receiptChecks: ReceiptChecks } {
  return { receipts: memoryReceipts(state, keychain), receiptChecks: createReceiptChecks({ state, keychain }) };
}

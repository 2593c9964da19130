/**
 * Fingerprints of secrets: HMAC-SHA-256 with a key of this installation, so that equal secrets are known
 * to be equal and a short one cannot be guessed. The key is in the keychain and is written nowhere else.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Keychain } from '../approvals/keychain.js';
import { withLock } from '../store/locks.js';

const KEY_NAME = 'fingerprint-key';
const KEY_BYTES = 32;

export interface FingerprintKey {
  readonly key: Buffer;
  /** Null where the key is the installation's own; else why this one counts for one run alone, in words. */
  readonly passing: string | null;
}

/** The installation's key, made where the keychain is open and has none; without a keychain a random one. */
export async function openFingerprintKey(
  keychain: Pick<Keychain, 'get' | 'set'>,
  stateDir: string,
): Promise<FingerprintKey> {
  const found = await keychain.get(KEY_NAME);
  if (!found.ok) return passingKey(found.error.text);
  const known = readKey(found.value);
  if (known !== null) return { key: known, passing: null };
  return withLock(stateDir, 'approvals', async () => {
    // Another process may have made it meanwhile.
    const again = await keychain.get(KEY_NAME);
    const made = again.ok ? readKey(again.value) : null;
    if (made !== null) return { key: made, passing: null };
    if (again.ok && again.value !== null) return passingKey(`what the keychain holds as "${KEY_NAME}" is no key`);
    const key = randomBytes(KEY_BYTES);
    const kept = await keychain.set(KEY_NAME, key.toString('base64'));
    return kept.ok ? { key, passing: null } : passingKey(kept.error.text);
  });
}

/** A key that is forgotten with the run. */
export function passingKey(why: string): FingerprintKey {
  return {
    key: randomBytes(KEY_BYTES),
    passing: `fingerprints of this run cannot be compared with those of others, as their key could not be kept (${why.split('. ')[0] ?? why})`,
  };
}

/** The fingerprint of a secret, in hex. */
export function fingerprintOf(key: Uint8Array, secret: Uint8Array | string): string {
  return createHmac('sha256', key).update(secret).digest('hex');
}

function readKey(value: string | null): Buffer | null {
  if (value === null) return null;
  const key = Buffer.from(value, 'base64');
  return key.length === KEY_BYTES ? key : null;
}

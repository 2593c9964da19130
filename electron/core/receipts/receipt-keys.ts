/** What the keychain holds for the receipts: a key of their own, and how far the chain was counted. Both by names bound to the state folder. */
import { createPublicKey } from 'node:crypto';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { Keychain } from '../approvals/keychain.js';
import type { KeychainError } from '../approvals/keychain-states.js';
import { newSigningKey, readSigningKey, type SigningKey } from '../approvals/signing-key.js';

const KEY_NAME = 'receipt-key';
const HEAD_NAME = 'receipt-head';

/** How many receipts there are, and the digest of the last one; null before the first. */
export interface ChainHead {
  readonly n: number;
  readonly digest: string | null;
}

export const NO_RECEIPTS: ChainHead = { n: 0, digest: null };

/** The key; null where the keychain is open and has none. */
export async function readKey(keychain: Keychain): Promise<Result<SigningKey | null, KeychainError>> {
  const secret = await keychain.get(KEY_NAME);
  if (!secret.ok || secret.value === null) return secret.ok ? ok(null) : secret;
  const key = readSigningKey(secret.value);
  return key.ok ? key : fail(unusable(KEY_NAME, key.error));
}

/** Only in the lock, and only where no receipt stands: a key is never made for a chain of another. */
export async function makeKey(keychain: Keychain): Promise<Result<SigningKey, KeychainError>> {
  const { key, secret } = newSigningKey();
  const kept = await keychain.set(KEY_NAME, secret);
  return kept.ok ? ok(key) : kept;
}

/** Where the chain was counted to. A key without a count: its maker died before the first receipt. */
export async function readHead(keychain: Keychain): Promise<Result<ChainHead, KeychainError>> {
  const text = await keychain.get(HEAD_NAME);
  if (!text.ok) return text;
  if (text.value === null) return ok(NO_RECEIPTS);
  const head = parseHead(text.value);
  return head === null ? fail(unusable(HEAD_NAME, 'it is no count')) : ok(head);
}

export async function writeHead(keychain: Keychain, { n, digest }: ChainHead): Promise<Result<void, KeychainError>> {
  return keychain.set(HEAD_NAME, `${n}:${digest ?? ''}`);
}

/** Reads `N:sha256:HEX` (or `N:HEX`), as `receipt list` shows it and the keychain holds it; null for anything else. */
export function parseHead(text: string): ChainHead | null {
  const found = /^(\d{1,15}):(?:sha256:)?([0-9a-f]{64})$/.exec(text.trim());
  const n = Number(found?.[1]);
  return found === null || n < 1 ? null : { n, digest: `sha256:${found[2] ?? ''}` };
}

/** Base64 of DER (SPKI) from a PEM text. */
export function publicKeyFromPem(pem: string): Result<string, string> {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType !== 'ed25519') return fail('it holds no Ed25519 key');
    return ok(key.export({ type: 'spki', format: 'der' }).toString('base64'));
  } catch {
    return fail('it holds no public key in PEM form');
  }
}

/** PEM text of a public key (base64 of DER, SPKI). */
export function publicKeyPem(publicKey: string): string {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' });
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

function unusable(name: string, why: string): KeychainError {
  return {
    state: 'refused',
    text: `What the keychain holds as "sallyport …/${name}" cannot be used (${why}). Somebody changed it; restore it, or remove the entries of Sallyport's receipts and move receipts.jsonl away to begin anew.`,
  };
}

/** An Ed25519 key, of the approval records or of the receipts. The private half is a text for the keychain and is written nowhere else. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { canonicalJson } from '../../../shared/canonical-json.js';
import { fail, ok, type Result } from '../../../shared/result.js';

export interface SigningKey {
  /** Base64 of the DER form (SPKI). */
  readonly publicKey: string;
  /** Base64 signature over the canonical form. Throws for what has none. */
  readonly sign: (content: object) => string;
  /** Base64 signature over exactly these bytes. */
  readonly signBytes: (bytes: Uint8Array) => string;
}

/** A fresh key, and the text of its private half for the keychain. */
export function newSigningKey(): { readonly key: SigningKey; readonly secret: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { key: keyOf(privateKey), secret: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64') };
}

/** The key that a text out of the keychain means; an error says nothing of the text. */
export function readSigningKey(secret: string): Result<SigningKey, string> {
  try {
    const key = createPrivateKey({ key: Buffer.from(secret, 'base64'), type: 'pkcs8', format: 'der' });
    return key.asymmetricKeyType === 'ed25519' ? ok(keyOf(key)) : fail('it is no Ed25519 key');
  } catch {
    return fail('it is no key');
  }
}

function keyOf(privateKey: KeyObject): SigningKey {
  return {
    publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64'),
    sign: (content) => sign(null, bytesOf(content), privateKey).toString('base64'),
    signBytes: (bytes) => sign(null, bytes, privateKey).toString('base64'),
  };
}

/** A checker for signatures of a public key; for a text that is no key nothing holds. */
export function verifier(publicKey: string): (content: object, signature: string) => boolean {
  const holds = verifierOfBytes(publicKey);
  return (content, signature) => holds(bytesOf(content), signature);
}

/** The same for signatures over bytes. */
export function verifierOfBytes(publicKey: string): (bytes: Uint8Array, signature: string) => boolean {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' });
  } catch {
    return () => false;
  }
  return (bytes, signature) =>
    key.asymmetricKeyType === 'ed25519' && verify(null, bytes, key, Buffer.from(signature, 'base64'));
}

function bytesOf(content: object): Buffer {
  const text = canonicalJson(content);
  if (!text.ok) throw new Error(`what should be signed has no canonical form: ${text.error}`);
  return Buffer.from(text.value, 'utf8');
}

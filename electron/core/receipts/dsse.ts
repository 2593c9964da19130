/** DSSE (Dead Simple Signing Envelope, protocol 1.0.2): the bytes that are signed, and the envelope around them. Pure. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fail, ok, type Result } from '../../../shared/result.js';
import { verifierOfBytes, type SigningKey } from '../approvals/signing-key.js';

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

const base64 = z.string().regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
const envelopeSchema = z.strictObject({
  payloadType: z.literal(PAYLOAD_TYPE),
  payload: base64,
  /** None in an unsigned receipt, which no verifier of DSSE takes. */
  signatures: z.array(z.strictObject({ keyid: z.string(), sig: base64 })).max(1),
});
export type Envelope = z.infer<typeof envelopeSchema>;

/** The pre-authentication encoding: `DSSEv1`, and type and body each after its length in bytes. */
export function preAuthEncoding(payloadType: string, body: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${body.length} `;
  return Buffer.concat([Buffer.from(head, 'utf8'), body]);
}

/** The name of a key: SHA-256 of its public half (DER, SPKI). */
export function keyId(publicKey: string): string {
  return `sha256:${createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex')}`;
}

/** The one form in which an envelope is kept, in the run's folder and in the chain: a line of JSON with its line end. Null signs nothing. */
export function envelopeText(statement: object, key: SigningKey | null): string {
  const body = Buffer.from(JSON.stringify(statement), 'utf8');
  const signatures =
    key === null ? [] : [{ keyid: keyId(key.publicKey), sig: key.signBytes(preAuthEncoding(PAYLOAD_TYPE, body)) }];
  const envelope: Envelope = { payloadType: PAYLOAD_TYPE, payload: body.toString('base64'), signatures };
  return `${JSON.stringify(envelope)}\n`;
}

/** `sha256:` + hex of an envelope's bytes, its line end among them: what the next receipt names, and `sha256sum` says. */
export function envelopeDigest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export interface ReadEnvelope {
  readonly envelope: Envelope;
  /** Parsed, but not checked for its form. */
  readonly statement: unknown;
}

/** Reads an envelope and what is in it; nothing of it is checked but the form. */
export function readEnvelope(text: string): Result<ReadEnvelope, string> {
  try {
    const envelope = envelopeSchema.safeParse(JSON.parse(text));
    if (!envelope.success) return fail('it is no envelope of a receipt');
    const payload = Buffer.from(envelope.data.payload, 'base64').toString('utf8');
    const statement: unknown = JSON.parse(payload);
    return ok({ envelope: envelope.data, statement });
  } catch {
    return fail('it is damaged, or no receipt at all');
  }
}

/** A chain is checked by one key, and reading a key costs more than checking a signature. */
let lastVerifier: { readonly publicKey: string; readonly holds: ReturnType<typeof verifierOfBytes> } | null = null;

function holdsFor(publicKey: string): ReturnType<typeof verifierOfBytes> {
  if (lastVerifier?.publicKey !== publicKey) lastVerifier = { publicKey, holds: verifierOfBytes(publicKey) };
  return lastVerifier.holds;
}

/** Whether the signature of an envelope holds for this public key (base64 of DER, SPKI); the error says what does not. */
export function checkSignature({ payload, signatures }: Envelope, publicKey: string): Result<void, string> {
  const [signature] = signatures;
  if (signature === undefined) return fail('it is not signed');
  const encoded = preAuthEncoding(PAYLOAD_TYPE, Buffer.from(payload, 'base64'));
  if (holdsFor(publicKey)(encoded, signature.sig)) return ok(undefined);
  const mine = keyId(publicKey);
  return fail(
    signature.keyid === mine
      ? 'its signature does not hold: it was changed after it was signed'
      : `it is signed by another key (${signature.keyid}, not ${mine})`,
  );
}

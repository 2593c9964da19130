/** The signed bytes and the envelope, against the vectors of the DSSE specification and against openssl's idea of Ed25519. */
import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newSigningKey } from '../../../electron/core/approvals/signing-key.js';
import {
  checkSignature,
  envelopeText,
  keyId,
  preAuthEncoding,
  readEnvelope,
} from '../../../electron/core/receipts/dsse.js';

describe('the pre-authentication encoding', () => {
  it.each([
    // From protocol.md and the reference implementation of secure-systems-lab/dsse.
    ['http://example.com/HelloWorld', 'hello world', 'DSSEv1 29 http://example.com/HelloWorld 11 hello world'],
    ['', '', 'DSSEv1 0  0 '],
    ['hello', 'world', 'DSSEv1 5 hello 5 world'],
    ['http://example.com', 'wörld', 'DSSEv1 18 http://example.com 6 wörld'],
    // A type that looks like the rest of an encoding makes another one.
    ['a 1 b', 'c', 'DSSEv1 5 a 1 b 1 c'],
  ])('%j and %j', (type, body, encoded) => {
    expect(preAuthEncoding(type, Buffer.from(body, 'utf8')).toString('utf8')).toBe(encoded);
  });

  it('leaves bytes as they are, also where they are no text', () => {
    const body = Buffer.from([0, 0xff, 0x20, 0x0a]);
    expect(preAuthEncoding('t', body).subarray(-4)).toEqual(body);
  });
});

describe('the envelope', () => {
  const { key } = newSigningKey();
  const text = envelopeText({ a: 'ü\ud800' }, key);
  const read = () => {
    const envelope = readEnvelope(text);
    if (!envelope.ok) throw new Error(envelope.error);
    return envelope.value.envelope;
  };

  it('is one line, and holds the statement as it was signed', () => {
    expect(text.endsWith('\n')).toBe(true);
    expect(text.split('\n')).toHaveLength(2);
    const { payload, payloadType, signatures } = read();
    const body = Buffer.from(payload, 'base64');
    expect(body.toString('utf8')).toBe('{"a":"ü\\ud800"}');
    const der = { key: Buffer.from(key.publicKey, 'base64'), format: 'der', type: 'spki' } as const;
    const sig = Buffer.from(signatures[0]?.sig ?? '', 'base64');
    expect(
      verify(
        null,
        Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} ${body.toString('utf8')}`),
        der,
        sig,
      ),
    ).toBe(true);
    expect(checkSignature(read(), key.publicKey)).toEqual({ ok: true, value: undefined });
  });

  it('tells a changed one from one of another key and from an unsigned one', () => {
    const other = newSigningKey().key;
    const changed = { ...read(), payload: Buffer.from('{"a":1}').toString('base64') };
    expect(checkSignature(changed, key.publicKey)).toMatchObject({
      ok: false,
      error: expect.stringContaining('it was changed') as string,
    });
    expect(checkSignature(read(), other.publicKey)).toMatchObject({
      error: `it is signed by another key (${keyId(key.publicKey)}, not ${keyId(other.publicKey)})`,
    });
    expect(checkSignature({ ...read(), signatures: [] }, key.publicKey)).toEqual({
      ok: false,
      error: 'it is not signed',
    });
    // A key id that is claimed makes no signature.
    const forged = readEnvelope(envelopeText({ a: 1 }, other));
    const envelope = forged.ok ? forged.value.envelope : read();
    const claimed = {
      ...envelope,
      signatures: [{ keyid: keyId(key.publicKey), sig: envelope.signatures[0]?.sig ?? '' }],
    };
    expect(checkSignature(claimed, key.publicKey).ok).toBe(false);
  });

  it('a signature over the statement alone, or over another type, does not hold', () => {
    const { payload } = read();
    const over = (bytes: Uint8Array) => ({ ...read(), signatures: [{ keyid: '', sig: key.signBytes(bytes) }] });
    const body = Buffer.from(payload, 'base64');
    expect(checkSignature(over(body), key.publicKey).ok).toBe(false);
    expect(checkSignature(over(preAuthEncoding('application/json', body)), key.publicKey).ok).toBe(false);
  });

  it('no other kind of key passes for one', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey.export({ type: 'spki', format: 'der' });
    expect(checkSignature(read(), rsa.toString('base64')).ok).toBe(false);
    expect(checkSignature(read(), 'AAAA').ok).toBe(false);
  });

  it.each([
    '',
    '{',
    '[]',
    '{"payloadType":"x","payload":"","signatures":[]}',
    '{"payloadType":"application/vnd.in-toto+json","payload":"bm8=","signatures":[]}',
  ])('reads nothing from %j', (bad) => {
    expect(readEnvelope(bad).ok).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../electron/core/redaction/fingerprints.js';
import { createRedactor } from '../../../electron/core/redaction/redactor.js';
import { findSecrets } from '../../../electron/core/redaction/rules/find.js';

const key = Buffer.alloc(32, 7);
const made = (length: number) => 'q7Rk2Lw9Zx4Tb8Nc5Vm3Hd6Jf1Gs0Py'.repeat(9000).slice(0, length);
const TOKEN = `sk-ant-api03-${made(93)}`;
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${made(64)}\n${made(64)}\n-----END RSA PRIVATE KEY-----`;
const mark = (rule: string, secret: string) => `[REDACTED:${rule}:${fingerprintOf(key, secret).slice(0, 8)}]`;

function streamed(chunks: readonly (string | Buffer)[]): string {
  const stream = createRedactor({ key }).streamRedactor();
  const out = chunks.map((chunk) => stream.push(Buffer.from(chunk as string)));
  return Buffer.concat([...out, stream.end()]).toString('utf8');
}

describe('a stream', () => {
  it('shows nothing of a key that is cut at any offset, or everywhere', () => {
    const text = `{"type":"text","text":"it is ${TOKEN}"}\nnext line é\n`;
    const expected = text.replace(TOKEN, mark('anthropic-key', TOKEN));
    for (let at = 0; at <= text.length; at += 1) expect(streamed([text.slice(0, at), text.slice(at)])).toBe(expected);
    const bytes = Buffer.from(text);
    expect(streamed(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toBe(expected);
  });

  it('shows nothing of a key of several lines, with or without its end', () => {
    for (const pem of [PEM, PEM.split('\n').slice(0, 3).join('\n')]) {
      const text = `before\n${pem}\n"after"\n`;
      for (let at = 0; at <= text.length; at += 1) {
        const shown = streamed([text.slice(0, at), text.slice(at)]);
        expect(shown).not.toContain(made(20));
        expect(shown).toMatch(/^before\n\[REDACTED:private-key:[0-9a-f]{8}\]\s*"after"\n$/);
      }
    }
  });

  it('finds a key anywhere in a line without end, and changes nothing else', () => {
    const filler = 'all is well ';
    for (const before of [0, 131_000, 131_060, 262_000, 262_140, 400_000]) {
      const text = `${filler.repeat(40_000).slice(0, before)} ${TOKEN} ${filler.repeat(30_000)}`;
      const shown = streamed([text.slice(0, 1000), text.slice(1000, 200_001), text.slice(200_001)]);
      expect(shown).toBe(text.replace(TOKEN, mark('anthropic-key', TOKEN)));
    }
  });

  it('finds the value of a name in the next line', () => {
    const text = `aws_secret_access_key =\n  ${made(40)}\nrest\n`;
    for (let at = 0; at <= text.length; at += 1)
      expect(streamed([text.slice(0, at), text.slice(at)])).not.toContain(made(40));
  });

  it('hands on each line as soon as it is whole', () => {
    const stream = createRedactor({ key }).streamRedactor();
    expect(stream.push(Buffer.from('one line\nhalf')).toString()).toBe('one line\n');
    expect(stream.push(Buffer.from(' a line\n')).toString()).toBe('half a line\n');
  });

  it('leaves bytes that are no text as they are', () => {
    const bytes = Buffer.from(Array.from({ length: 600 }, (_, at) => at % 256));
    const stream = createRedactor({ key }).streamRedactor();
    expect(Buffer.concat([stream.push(bytes), stream.end()]).equals(bytes)).toBe(true);
  });
});

describe('texts and data', () => {
  it('lose known values by their name and other secrets by rule and fingerprint', () => {
    const redactor = createRedactor({ key });
    redactor.add('MY_TOKEN', 'a-known-value');
    const data = { a: [`x ${TOKEN} y`], [`k ${TOKEN}`]: 'a-known-value', n: 7 };
    expect(redactor.redactData(data)).toEqual({
      a: [`x ${mark('anthropic-key', TOKEN)} y`],
      [`k ${mark('anthropic-key', TOKEN)}`]: '[REDACTED:MY_TOKEN]',
      n: 7,
    });
    expect(redactor.redactBytes(Buffer.from(`é ${TOKEN}`)).toString()).toContain('é [REDACTED:anthropic-key:');
  });

  it('are no secrets any more once they were redacted', () => {
    const redactor = createRedactor({ key });
    const texts = [
      TOKEN,
      PEM,
      `postgres://svc:${made(14)}@db.internal/app`,
      `_authToken=${made(36)}`,
      `ghp_${made(36)}`,
    ];
    for (const text of texts) {
      const shown = redactor.redactText(`"${text}"`);
      expect(shown).toContain('[REDACTED:');
      expect(findSecrets(shown), shown).toEqual([]);
    }
  });
});

import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canonicalDigest, sha256OfBytes, sha256OfFile } from '../../../electron/core/approvals/digests.js';
import { tempFolder } from '../../support/processes.js';

const sha = (bytes: string | Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

describe('digests', () => {
  it('of bytes and of canonical JSON', () => {
    expect(sha256OfBytes('abc')).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(canonicalDigest({ b: 1, a: [2, 'x'] })).toEqual({ ok: true, value: sha('{"a":[2,"x"],"b":1}') });
    expect(canonicalDigest({ a: '\ud800' }).ok).toBe(false);
  });

  it('of a file, small, empty and larger than one read', async () => {
    const folder = tempFolder();
    for (const bytes of [Buffer.alloc(0), Buffer.from('abc'), Buffer.alloc(3 * 1024 * 1024 + 7, 'q')]) {
      const file = path.join(folder, `f${bytes.length}`);
      writeFileSync(file, bytes);
      expect(await sha256OfFile(file)).toEqual({ ok: true, value: { digest: sha(bytes), size: bytes.length } });
    }
  });

  it('see a change that keeps size and modification time', async () => {
    const file = path.join(tempFolder(), 'f');
    const past = new Date('2024-01-01T00:00:00Z');
    writeFileSync(file, 'good');
    utimesSync(file, past, past);
    expect(await sha256OfFile(file)).toMatchObject({ value: { digest: sha('good') } });
    writeFileSync(file, 'evil');
    utimesSync(file, past, past);
    expect(statSync(file).mtimeMs).toBe(past.getTime());
    expect(await sha256OfFile(file)).toMatchObject({ value: { digest: sha('evil') } });
  });

  it('are remembered by stamp, also through the system’s own old files', async () => {
    const first = await sha256OfFile('/bin/sh');
    expect(first.ok).toBe(true);
    expect(await sha256OfFile('/bin/sh')).toEqual(first);
    const other = path.join(tempFolder(), 'f');
    writeFileSync(other, 'a');
    await sha256OfFile(other);
    appendFileSync(other, 'b');
    expect(await sha256OfFile(other)).toMatchObject({ value: { digest: sha('ab') } });
  });

  it('stay right for more files than are remembered', async () => {
    // Installed long enough ago to be remembered by stamp.
    const files = readdirSync('node_modules/zod', { recursive: true, encoding: 'utf8' })
      .map((name) => path.join('node_modules/zod', name))
      .filter((file) => statSync(file).isFile())
      .slice(0, 600);
    expect(files.length).toBeGreaterThan(512);
    for (let round = 0; round < 2; round += 1) {
      for (const file of files) {
        expect(await sha256OfFile(file)).toMatchObject({ value: { digest: sha(readFileSync(file)) } });
      }
    }
  });

  it('refuse a file that changes while it is read', async () => {
    const file = path.join(tempFolder(), 'growing');
    writeFileSync(file, '');
    truncateSync(file, 64 * 1024 * 1024);
    const writer = setInterval(() => appendFileSync(file, 'x'), 1);
    onTestFinished(() => clearInterval(writer));
    const result = await sha256OfFile(file);
    expect(result.ok ? null : result.error.code).toBe('changing');
  });

  it('refuse folders, pipes, missing files and more than the bound, without hanging', async () => {
    const folder = tempFolder();
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    mkdirSync(path.join(folder, 'sub'));
    writeFileSync(path.join(folder, 'big'), 'x'.repeat(11));
    const code = async (name: string, maxBytes = 10) => {
      const result = await sha256OfFile(path.join(folder, name), { maxBytes });
      return result.ok ? 'ok' : result.error.code;
    };
    expect(await code('pipe')).toBe('not-a-file');
    expect(await code('sub')).toBe('not-a-file');
    expect(await code('absent')).toBe('missing');
    expect(await code('big/x')).toBe('missing');
    expect(await code('big')).toBe('too-large');
    expect(await code('big', 11)).toBe('ok');
  });
});

/** `npm run practice`, the README's first command in the terminal: denial, approval, leak, and a receipt that verifies. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startKeyring, type KeyringKind } from '../support/keyring.js';
import { removeFolder } from '../support/folders.js';

const ROOT = resolve(import.meta.dirname, '../..');

async function practise(kind: KeyringKind): Promise<{ readonly code: number | null; readonly said: string }> {
  const ring = await startKeyring(kind);
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-practise-'));
  onTestFinished(async () => {
    await ring.end();
    ring.remove();
    removeFolder(folder);
  });
  const env = { ...ring.env, PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, TMPDIR: folder };
  // A session of its own: the machine's terminal, if there is one, is not this user's.
  const child = spawn(process.execPath, ['build/practice.mjs'], { cwd: ROOT, env, detached: true, stdio: 'pipe' });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, said };
}

it('ends red for the leak, and its receipt verifies', async () => {
  const { code, said } = await practise('open');
  expect(code).toBe(1);
  expect(said).toContain('DENIED');
  expect(said).toMatch(/red +succeeded/);
  expect(said).toContain('1 approved by you');
  expect(said).toContain('leaked secret');
  expect(said).toMatch(/receipt verify run_[\s\S]*artifacts as they were[\s\S]*verified/i);
});

it('says that the receipt is not signed where nothing keeps the key', async () => {
  const { code, said } = await practise('no-service');
  expect(code).toBe(1);
  expect(said).toContain('the receipt is not signed');
  expect(said).not.toMatch(/^verified/im);
});

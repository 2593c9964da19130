/** The keychain helper of the packaged app, on a real keyring: the native package must load from beside the archive. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createKeychain } from '../../electron/core/approvals/keychain.js';
import { helperSeam, startKeyring, type Keyring } from '../support/keyring.js';

const command = join(inject('appFolder'), 'resources', 'bin', 'sallyport');
let ring: Keyring;
let stateDir: string;

beforeEach(async () => {
  ring = await startKeyring('open');
  stateDir = await mkdtemp(join(tmpdir(), 'sallyport-state-'));
});
afterEach(async () => {
  await ring.end();
  ring.remove();
  await rm(stateDir, { recursive: true, force: true });
});

it('keeps a value and gives it back', async () => {
  const keychain = createKeychain({
    ...{ seam: helperSeam(), program: { program: command, args: ['keychain-helper'] }, env: ring.env, stateDir },
    ...{ service: 'sallyport', accountPrefix: 'state_packaged', timeoutMs: 30_000 },
  });
  expect(await keychain.get('key')).toEqual({ ok: true, value: null });
  expect((await keychain.set('key', 'v')).ok).toBe(true);
  expect(await keychain.get('key')).toEqual({ ok: true, value: 'v' });
  await keychain.close();
});

it('is what the packaged command uses', async () => {
  const env = { ...ring.env, PATH: process.env['PATH'] ?? '', SALLYPORT_HOME: stateDir };
  const ended = await execa(command, ['approvals', 'list'], { reject: false, extendEnv: false, env });
  expect(ended).toMatchObject({ exitCode: 0, stdout: 'nothing is approved' });
  expect((await readdir(stateDir)).includes('approvals.json')).toBe(false);
});

const SAYS = { steps: [{ say: 'a' }, { tool: 'shell', input: { command: 'sleep 1' } }, { say: 'b' }] };

it.each([['keychain-helper'], ['practice-agent', '--', JSON.stringify(SAYS)]])(
  'ends by itself when whoever started it is gone (%s)',
  async (...args) => {
    const env = { ...ring.env, PATH: process.env['PATH'] ?? '', SALLYPORT_HOME: stateDir };
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    const ended = new Promise((done) => child.on('exit', done));
    // Its first words have been read, so it is at work.
    child.stdin.write('{}\n');
    await new Promise((some) => child.stdout.once('data', some));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    await ended;
  },
);

/** The signed store with a real keyring and real processes beside one another. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createSignedApprovals } from '../../../electron/core/approvals/signed-store.js';
import {
  buildHelper,
  keychainOf,
  startKeyring,
  type Helper,
  type Keyring,
  type KeyringKind,
} from '../../support/keyring.js';
import { tempFolder } from '../../support/processes.js';
import { programOf, runProgram } from '../../support/programs.js';
import { hookOf, voice } from '../../support/subjects.js';

let helper: Helper;
beforeAll(async () => {
  helper = await buildHelper();
});
afterAll(() => helper.remove());

async function keyring(kind: KeyringKind, home: string | null = null): Promise<Keyring> {
  const made = await startKeyring(kind, home);
  onTestFinished(async () => {
    await made.end();
    made.remove();
  });
  return made;
}

async function open(dir: string, { env }: Keyring) {
  const keychain = keychainOf(helper, env);
  onTestFinished(() => keychain.close());
  const store = createSignedApprovals({ state: { dir, id: 'state_test' }, keychain });
  await store.refresh();
  return store;
}

const [A, B] = [hookOf(['a']), hookOf(['b'], 'global::other')];

it('keeps over a start of everything, the keyring included, and has no key on disk', async () => {
  const dir = tempFolder();
  const first = await keyring('open');
  const store = await open(dir, first);
  expect(await store.approve(A, A.digest, voice)).toMatchObject({ ok: true, value: { kept: 'signed' } });
  const keychain = keychainOf(helper, first.env);
  const secret = await keychain.get('approval-key');
  await keychain.close();
  const key = secret.ok ? (secret.value ?? '') : '';
  expect(key.length).toBeGreaterThan(40);
  // The seed is the end of the form in which the keychain holds it.
  const seed = Buffer.from(key, 'base64').subarray(-32);
  for (const name of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const bytes = readFileSync(join(name.parentPath, name.name));
    for (const form of [key, seed, seed.toString('hex'), seed.toString('base64')])
      expect(bytes.includes(form)).toBe(false);
  }
  await first.end();
  const again = await open(dir, await keyring('open', first.home));
  expect([again.status().state, again.covers(A)]).toEqual(['ready', true]);
});

it('a keyring that is locked sets nothing aside, and makes no key', async () => {
  const dir = tempFolder();
  const first = await keyring('open');
  await (await open(dir, first)).approve(A, A.digest, voice);
  const bytes = readFileSync(join(dir, 'approvals.json'));
  first.lock();
  const store = await open(dir, first);
  expect([store.status().state, store.covers(A)]).toEqual(['locked', false]);
  expect(await store.approve(B, B.digest, voice)).toMatchObject({ ok: true, value: { kept: 'memory' } });
  expect(readFileSync(join(dir, 'approvals.json'))).toEqual(bytes);
  await first.end();
  const again = await open(dir, await keyring('open', first.home));
  expect([again.status().state, again.covers(A), again.covers(B)]).toEqual(['ready', true, false]);
});

it('another keyring that is open does not hold the key, and that is not a failed check', async () => {
  const dir = tempFolder();
  await (await open(dir, await keyring('open'))).approve(A, A.digest, voice);
  const store = await open(dir, await keyring('open'));
  expect(store.status()).toMatchObject({ state: 'refused' });
  expect(store.status().text).toContain('does not hold the key');
  expect(readdirSync(dir)).toContain('approvals.json');
});

it('processes that write at the same time lose nothing, the first key included', async () => {
  const dir = tempFolder();
  const ring = await keyring('open');
  const program = await programOf(
    (core) => `
      import { createSignedApprovals } from ${core('approvals/signed-store.ts')};
      import { createKeychain } from ${core('approvals/keychain.ts')};
      import { createSeam } from ${core('spawn/seam.ts')};
      import { subjectDigest } from ${core('approvals/subjects.ts')};
      const [name, dir, program, env] = process.argv.slice(2);
      const seam = createSeam({ approvals: () => false });
      const keychain = createKeychain({
        seam, program: JSON.parse(program), env: JSON.parse(env),
        service: 'sallyport', accountPrefix: 'state_test', timeoutMs: 20000,
      });
      const store = createSignedApprovals({ state: { dir, id: 'state_test' }, keychain });
      const kept = [];
      for (let at = 0; at < 4; at += 1) {
        const one = { kind: 'hook-argv', key: 'hook-argv global::' + name + at, content: { at } };
        const digest = subjectDigest(one).value;
        const subject = { ...one, digest, title: 't', argv: [], program: '/p', envNames: [], cwd: '/', files: [], notCovered: [] };
        const voice = { surface: 'terminal', user: 'me', when: at, expires: null };
        const record = await store.approve(subject, digest, voice);
        kept.push(record.ok && record.value.kept);
      }
      await keychain.close();
      console.log(JSON.stringify(kept));
    `,
  );
  const args = [dir, JSON.stringify(helper), JSON.stringify(ring.env)];
  const ended = await Promise.all(['a', 'b', 'c'].map((name) => runProgram(program, [name, ...args])));
  for (const { out } of ended) expect(JSON.parse(out)).toEqual(['signed', 'signed', 'signed', 'signed']);
  const store = await open(dir, ring);
  expect(store.status().state).toBe('ready');
  expect(new Set(store.records().map((record) => record.key)).size).toBe(12);
});

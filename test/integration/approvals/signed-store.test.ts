/** The signed store on real files, with the in-memory keychain; what needs a real keyring is in signed-keyring.test.ts. */
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalProof } from '../../../electron/core/spawn/request.js';
import type { Keychain } from '../../../electron/core/approvals/keychain.js';
import { keychainError } from '../../../electron/core/approvals/keychain-states.js';
import { createMemoryKeychain } from '../../../electron/core/approvals/memory-keychain.js';
import { createSignedApprovals } from '../../../electron/core/approvals/signed-store.js';
import type { StoreFile } from '../../../electron/core/approvals/store-file.js';
import { fail } from '../../../shared/result.js';
import { tempFolder } from '../../support/processes.js';
import { hookOf, voice } from '../../support/subjects.js';

const [A, B, C] = [hookOf(['a']), hookOf(['b']), hookOf(['c'], 'global::other')];

/** One state folder with its keychain; `open` is a start of the product. */
function lab() {
  const dir = tempFolder();
  const values = new Map<string, string>();
  const keychain = createMemoryKeychain(values);
  const file = join(dir, 'approvals.json');
  const open = async (by: Keychain = keychain) => {
    const store = createSignedApprovals({ state: { dir, id: 'state_lab' }, keychain: by });
    await store.refresh();
    return store;
  };
  const approveAll = async (...subjects: (typeof A)[]) => {
    const store = await open();
    for (const subject of subjects) expect((await store.approve(subject, subject.digest, voice)).ok).toBe(true);
    return store;
  };
  const read = () => JSON.parse(readFileSync(file, 'utf8')) as StoreFile;
  const write = (text: string | object) =>
    writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text), { mode: 0o600 });
  const aside = () => readdirSync(dir).filter((name) => name.startsWith('approvals.failed-'));
  return { dir, values, keychain, file, open, approveAll, read, write, aside };
}

/** A keychain that gives no answer that counts. */
const away: Keychain = {
  get: async () => fail(keychainError('locked')),
  set: async () => fail(keychainError('locked')),
  delete: async () => fail(keychainError('locked')),
  close: async () => undefined,
};

describe('what was approved', () => {
  it('survives a start, with what was shown, by whom and when', async () => {
    const { open, approveAll, file, dir } = lab();
    const first = await approveAll(A, C);
    expect(first.status()).toMatchObject({ state: 'ready' });
    const store = await open();
    expect([store.state(A), store.state(B), store.state(C)]).toEqual(['approved', 'changed', 'approved']);
    expect(store.proofFor(A)).not.toBeNull();
    expect(store.records()[0]).toEqual({
      ...{ kind: A.kind, key: A.key, digest: A.digest, title: A.title, shown: A.content, kept: 'signed' },
      ...voice,
    });
    expect(store.lastShown(A.kind, A.key)).toEqual(A.content);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('nothing is written and no key is made before the first yes', async () => {
    const { open, values, dir } = lab();
    const store = await open();
    expect(store.status()).toMatchObject({ state: 'ready' });
    expect([store.state(A), values.size, readdirSync(dir)]).toEqual(['unapproved', 0, []]);
  });

  it('keeps a set of digests for one subject, and lets one or all be taken back for good', async () => {
    const { open, approveAll, read } = lab();
    const store = await approveAll(A, B);
    expect([store.covers(A), store.covers(B)]).toEqual([true, true]);
    const proof = store.proofFor(A) as ApprovalProof;
    expect(await store.revoke(A.kind, A.key, A.digest)).toBe(1);
    const start = {
      purpose: 'hook',
      argv: A.argv,
      cwd: '/ws',
      env: {},
      program: { found: '/bin/guard', real: '/opt/guard' },
    } as const;
    expect([store.state(A), store.state(B), store.check(proof, start)]).toEqual(['changed', 'approved', false]);
    expect((await open()).covers(A)).toBe(false);
    expect(await store.revoke(A.kind, A.key)).toBe(1);
    expect(await store.revoke(A.kind, A.key)).toBe(0);
    // Taken back is not "never": a guard among them has failed rather than gone.
    expect((await open()).state(B)).toBe('changed');
    expect(read().records.map((record) => record.act)).toEqual(['approve', 'approve', 'revoke', 'revoke']);
  });

  it('is void after its time', async () => {
    const { keychain, dir } = lab();
    let now = 10;
    const store = createSignedApprovals({ state: { dir, id: 'state_lab' }, keychain, now: () => now });
    await store.approve(A, A.digest, { ...voice, expires: 20 });
    expect([store.state(A), store.records()].map((it) => (Array.isArray(it) ? it.length : it))).toEqual([
      'approved',
      1,
    ]);
    now = 20;
    expect([store.state(A), store.records().length]).toEqual(['changed', 0]);
  });

  it('for this process alone is not written', async () => {
    const { open, values } = lab();
    const store = await open();
    expect(await store.approveForNow(A, A.digest, voice)).toMatchObject({ ok: true, value: { kept: 'memory' } });
    expect([store.state(A), values.size]).toEqual(['approved', 0]);
    expect((await open()).state(A)).toBe('unapproved');
  });

  it('refuses what changed since it was shown', async () => {
    const { open, values } = lab();
    const store = await open();
    expect(await store.approve(A, B.digest, voice)).toMatchObject({ error: { code: 'changed-since-shown' } });
    expect(await store.approve({ ...A, digest: B.digest }, B.digest, voice)).toMatchObject({
      error: { code: 'not-genuine' },
    });
    expect(values.size).toBe(0);
  });

  it('has no value of a variable in it, and no key', async () => {
    const { values, file, open, approveAll } = lab();
    const secret = hookOf(['a'], 'global::env', { TOKEN: 'hunter2-hunter2' });
    await approveAll(secret);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('hunter2');
    expect(text).toContain('TOKEN');
    expect(text).not.toContain(values.get('approval-key'));
    expect((await open()).covers(secret)).toBe(true);
  });
});

describe('a file that is not what was written', () => {
  it.each<[string, (file: StoreFile) => void]>([
    ['an edited record', (file) => Object.assign(file.records[1] ?? {}, { title: 'harmless' })],
    ['another digest in a record', (file) => Object.assign(file.records[1] ?? {}, { digest: hookOf(['evil']).digest })],
    ['records in another order', (file) => void file.records.reverse()],
    ['a dropped record', (file) => void file.records.splice(1, 1)],
    ['a dropped last record', (file) => void file.records.pop()],
    ['all records dropped', (file) => void file.records.splice(0)],
    ['a record twice', (file) => void file.records.push(structuredClone(file.records[0] as StoreFile['records'][0]))],
    ['another beginning', (file) => Object.assign(file.base, { n: 1 })],
    ['another key', (file) => Object.assign(file, { public_key: 'AAAA' })],
    ['another state folder', (file) => Object.assign(file, { state: 'state_other' })],
    ['more in it', (file) => Object.assign(file, { more: true })],
    ['text without a canonical form', (file) => Object.assign(file.records[0] ?? {}, { title: '\ud800' })],
  ])('%s is noticed, set aside unharmed, and nothing counts', async (_what, tamper) => {
    const { open, approveAll, read, write, aside, dir, file } = lab();
    await approveAll(A, B, C);
    const content = read();
    tamper(content);
    write(content);
    const bytes = readFileSync(file, 'utf8');
    const store = await open();
    expect(store.status()).toMatchObject({ state: 'failed-check' });
    expect(store.status().text).toContain('None of them counts');
    expect([store.covers(A), store.covers(B), store.covers(C), store.records()]).toEqual([false, false, false, []]);
    // A failure rather than inert: any of them may have been approved.
    expect(store.state(C)).toBe('changed');
    expect(aside()).toHaveLength(1);
    expect(readFileSync(join(dir, aside()[0] ?? ''), 'utf8')).toBe(bytes);
    expect(store.status().text).toContain(aside()[0]);
  });

  it('a file that is no JSON is noticed too', async () => {
    const { open, approveAll, write, aside } = lab();
    await approveAll(A);
    write('{"schema_version":1,');
    expect((await open()).status().state).toBe('failed-check');
    expect(aside()).toHaveLength(1);
  });

  it('an older copy is a roll-back, and so is a file that is gone', async () => {
    const { open, approveAll, file, aside } = lab();
    const store = await approveAll(A);
    copyFileSync(file, `${file}.old`);
    await store.revoke(A.kind, A.key);
    copyFileSync(`${file}.old`, file);
    const after = await open();
    expect(after.status().text).toContain('roll-back');
    expect([after.covers(A), aside().length]).toEqual([false, 1]);
    expect((await open()).status().text).toContain('it is gone');
  });

  it('a whole other history of the same length, signed by the same key, is noticed', async () => {
    const { open, approveAll, file, values } = lab();
    await approveAll(A);
    copyFileSync(file, `${file}.one`);
    const counter = values.get('approval-counter');
    await approveAll(C);
    copyFileSync(file, `${file}.two`);
    // Back to one record, and another second one.
    copyFileSync(`${file}.one`, file);
    values.set('approval-counter', counter ?? '');
    await approveAll(B);
    copyFileSync(`${file}.two`, file);
    expect((await open()).status()).toMatchObject({ state: 'failed-check' });
  });

  it('is begun anew by the next yes, and an old copy of before does not come back', async () => {
    const { open, approveAll, file, write } = lab();
    await approveAll(A, B);
    copyFileSync(file, `${file}.good`);
    write('nonsense');
    const store = await open();
    expect(await store.approve(C, C.digest, voice)).toMatchObject({ ok: true, value: { kept: 'signed' } });
    expect(store.status()).toMatchObject({ state: 'ready' });
    expect(store.status().text).toContain('begun anew');
    expect([store.covers(A), store.covers(C)]).toEqual([false, true]);
    expect((await open()).status().state).toBe('ready');
    copyFileSync(`${file}.good`, file);
    const again = await open();
    expect([again.status().state, again.covers(A)]).toEqual(['failed-check', false]);
  });
});

describe('a death between the two writes', () => {
  it('leaves the file one ahead, which is mended and counts', async () => {
    const { open, approveAll, values } = lab();
    const before = await approveAll(A);
    const counter = values.get('approval-counter') ?? '';
    await before.approve(C, C.digest, voice);
    const after = values.get('approval-counter');
    values.set('approval-counter', counter);
    const store = await open();
    expect([store.status().state, store.covers(A), store.covers(C)]).toEqual(['ready', true, true]);
    expect(values.get('approval-counter')).toBe(after);
  });

  it('before the first count is mended as well; two ahead is not', async () => {
    const { open, approveAll, values } = lab();
    const store = await approveAll(A);
    values.delete('approval-counter');
    expect((await open()).covers(A)).toBe(true);
    await store.approve(B, B.digest, voice);
    values.delete('approval-counter');
    expect((await open()).status().state).toBe('failed-check');
  });
});

describe('a keychain that is away', () => {
  it('lets nothing be checked: the file stays, no key is made, a yes lasts as long as the process', async () => {
    const { open, approveAll, file, aside } = lab();
    await approveAll(A);
    const bytes = readFileSync(file);
    const store = await open(away);
    expect(store.status()).toMatchObject({ state: 'locked' });
    expect(store.status().text).toContain('lasts as long as this process');
    expect(store.covers(A)).toBe(false);
    expect(await store.approve(A, A.digest, voice)).toMatchObject({ ok: true, value: { kept: 'memory' } });
    expect(store.covers(A)).toBe(true);
    expect(await store.revoke(A.kind, A.key)).toBe(1);
    expect([readFileSync(file), aside()]).toEqual([bytes, []]);
  });

  it('an open one without the key of a file that stands: cannot be checked either, and no key is made', async () => {
    const { open, approveAll, values, file, aside } = lab();
    await approveAll(A);
    values.clear();
    const store = await open();
    expect(store.status()).toMatchObject({ state: 'refused' });
    expect(store.status().text).toContain('does not hold the key');
    await store.approve(B, B.digest, voice);
    expect([values.size, aside()]).toEqual([0, []]);
    rmSync(file);
    expect((await open()).status().state).toBe('ready');
  });

  it.each([
    ['approval-key', 'AAAA'],
    ['approval-counter', 'five'],
  ])('a value of it that is none (%s) sets nothing aside', async (name, value) => {
    const { open, approveAll, values, aside } = lab();
    await approveAll(A);
    values.set(name, value);
    expect([(await open()).status().state, aside()]).toEqual(['refused', []]);
  });

  it('comes back: asked anew, the store is whole again', async () => {
    const { approveAll, dir, keychain } = lab();
    await approveAll(A);
    let by: Keychain = away;
    const door: Keychain = { ...away, get: (name) => by.get(name), set: (name, value) => by.set(name, value) };
    const store = createSignedApprovals({ state: { dir, id: 'state_lab' }, keychain: door });
    await store.refresh();
    expect(store.status().state).toBe('locked');
    by = keychain;
    await store.reopen();
    expect([store.status().state, store.covers(A)]).toEqual(['ready', true]);
    by = away;
    expect(await store.approve(C, C.digest, voice)).toMatchObject({ value: { kept: 'memory' } });
    // What was checked once still counts, and is still followed on disk.
    expect([store.status().state, store.covers(A), store.covers(C)]).toEqual(['locked', true, true]);
    await approveAll(B);
    await store.refresh();
    expect([store.status().state, store.covers(B)]).toEqual(['locked', true]);
    await store.revoke(A.kind, A.key);
    expect(store.covers(A)).toBe(false);
  });

  it('a state folder that cannot be written: a yes lasts as long as the process, and it is said', async () => {
    const { dir, keychain } = lab();
    const store = createSignedApprovals({ state: { dir: join(dir, 'gone', 'away'), id: 'state_lab' }, keychain });
    writeFileSync(join(dir, 'gone'), '');
    expect(await store.approve(A, A.digest, voice)).toMatchObject({ value: { kept: 'memory' } });
    expect(store.status()).toMatchObject({ state: 'refused' });
    expect(store.covers(A)).toBe(true);
  });
});

describe('another process', () => {
  it('that approves or revokes is followed at the next boundary, without the keychain', async () => {
    const { open, approveAll, keychain } = lab();
    await approveAll(A);
    let asked = 0;
    const counting: Keychain = { ...keychain, get: (name) => ((asked += 1), keychain.get(name)) };
    const mine = await open(counting);
    const before = asked;
    const other = await open();
    await other.approve(C, C.digest, voice);
    await other.revoke(A.kind, A.key);
    expect([mine.covers(A), mine.covers(C)]).toEqual([true, false]);
    await mine.refresh();
    expect([mine.state(A), mine.covers(C)]).toEqual(['changed', true]);
    expect(asked).toBe(before);
  });

  it('that made the first key is followed too', async () => {
    const { open } = lab();
    const [mine, other] = [await open(), await open()];
    await other.approve(A, A.digest, voice);
    await mine.refresh();
    await expect.poll(() => mine.covers(A)).toBe(true);
  });

  it.each<[string, (file: string) => void]>([
    ['an older copy', (file) => copyFileSync(`${file}.old`, file)],
    ['nothing', (file) => rmSync(file)],
    ['nonsense', (file) => writeFileSync(file, '{}')],
  ])('that puts %s there while we live switches no guard off', async (_what, tamper) => {
    const { open, approveAll, file } = lab();
    await approveAll(A);
    copyFileSync(file, `${file}.old`);
    await approveAll(C);
    const store = await open();
    const proof = store.proofFor(C);
    tamper(file);
    await store.refresh();
    expect(store.status().state).toBe('failed-check');
    expect([store.state(A), store.state(C), proof === null]).toEqual(['changed', 'changed', false]);
    await store.approve(C, C.digest, voice);
    expect([store.status().state, store.covers(C), store.state(A)]).toEqual(['ready', true, 'changed']);
  });

  it('that writes at the same time: nothing is lost', async () => {
    const { open } = lab();
    const [one, two, three] = await Promise.all([open(), open(), open()]);
    const subjects = Array.from({ length: 12 }, (_, at) => hookOf([`p${at}`], `global::h${at}`));
    const kept = await Promise.all(
      subjects.map((subject, at) => ([one, two, three][at % 3] ?? one).approve(subject, subject.digest, voice)),
    );
    expect(kept.every((record) => record.ok && record.value.kept === 'signed')).toBe(true);
    const store = await open();
    expect(subjects.filter((subject) => !store.covers(subject))).toEqual([]);
  });
});

/** Writers that die at each step, and writers side by side: nothing is lost, and what was mended is said. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Keychain } from '../../../electron/core/approvals/keychain.js';
import { keychainError, type KeychainTrouble } from '../../../electron/core/approvals/keychain-states.js';
import { createMemoryKeychain } from '../../../electron/core/approvals/memory-keychain.js';
import { CHAIN_FILE } from '../../../electron/core/receipts/chain-file.js';
import { keyFromKeychain, verifyChain } from '../../../electron/core/receipts/verify.js';
import { runFolder } from '../../../electron/core/store/run-folder.js';
import type { StateFolder } from '../../../electron/core/store/layout.js';
import { newId } from '../../../shared/ids.js';
import { fail } from '../../../shared/result.js';
import { keychainOf } from '../../support/keyring.js';
import { tempFolder } from '../../support/processes.js';
import { programOf, runProgram } from '../../support/programs.js';
import { memoryReceipts, memoryReceiptServices } from '../../support/receipts.js';
import { putRunFolder, runRecord, stateIn } from '../../support/runs.js';

/** A keychain of a file: it outlives the process that dies. */
const FILE_KEYCHAIN = `
  const path = process.argv[2] + '/keychain.json';
  const read = () => { try { return JSON.parse(readFileSync(path, 'utf8')); } catch { return {}; } };
  const keychain = {
    get: async (name) => ({ ok: true, value: read()[name] ?? null }),
    set: async (name, value) => {
      if (name === 'receipt-head' && process.argv[4] === 'count') process.kill(process.pid, 'SIGKILL');
      if (name === 'receipt-key' && process.argv[4] === 'key') process.kill(process.pid, 'SIGKILL');
      writeFileSync(path, JSON.stringify({ ...read(), [name]: value }));
      if (name === 'receipt-key' && process.argv[4] === 'after-key') process.kill(process.pid, 'SIGKILL');
      if (name === 'receipt-head' && process.argv[4] === 'after-count') process.kill(process.pid, 'SIGKILL');
      return { ok: true };
    },
    delete: async () => ({ ok: true }),
    close: async () => {},
  };`;

/** Seals the runs whose records it is given, one after the other; dies where it is told to. */
const sealer = () =>
  programOf(
    (core) => `
  import { readFileSync, writeFileSync } from 'node:fs';
  import { openState } from ${core('store/layout.ts')};
  import { createReceipts } from ${core('receipts/receipts.ts')};
  ${FILE_KEYCHAIN}
  const state = await openState(process.argv[2]);
  const receipts = createReceipts({ state: state.value, keychain, appVersion: '0' });
  for (const record of JSON.parse(readFileSync(process.argv[3], 'utf8')))
    console.log(JSON.stringify(await receipts.seal(record)));`,
  );

async function runsIn(state: StateFolder, count: number) {
  const records = Array.from({ length: count }, () => runRecord({ id: newId('run') }));
  for (const record of records) await putRunFolder(state, record);
  const file = join(tempFolder(), 'records.json');
  writeFileSync(file, JSON.stringify(records));
  return { records, file };
}

const valuesOf = (state: StateFolder) => {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(join(state.dir, 'keychain.json'), 'utf8')) as object));
  } catch {
    return new Map<string, string>();
  }
};
const chainOf = (state: StateFolder) => readFileSync(join(state.dir, CHAIN_FILE), 'utf8').split(/(?<=\n)/);

async function check(state: StateFolder, values: Map<string, string>) {
  const key = await keyFromKeychain(createMemoryKeychain(values));
  if (!key.ok) throw new Error(key.error);
  return verifyChain(state, key.value);
}

describe('a writer that is killed', () => {
  it.each([
    ['before the key is kept', 'key', 0],
    ['between key and first receipt', 'after-key', 0],
    ['between file and count', 'count', 1],
    ['after the count', 'after-count', 1],
  ] as const)('%s: the next one goes on, and nothing is lost', async (_name, at, written) => {
    const state = await stateIn(tempFolder());
    const { records, file } = await runsIn(state, 1);
    const dead = await runProgram(await sealer(), [state.dir, file, at]);
    expect(dead.signal).toBe('SIGKILL');
    const values = valuesOf(state) as Map<string, string>;
    expect(readdirSync(state.dir).includes(CHAIN_FILE)).toBe(written === 1);

    const receipts = memoryReceipts(state, createMemoryKeychain(values));
    // As the sweep of the next start does.
    const found = await receipts.find(records[0]?.id ?? '');
    expect(found === null).toBe(written === 0);
    const swept = await receipts.seal(runRecord({ id: records[0]?.id ?? '' }), { once: true });
    expect(swept.receipt).toMatchObject({ state: 'signed', sequence: 1 });
    const { records: next } = await runsIn(state, 1);
    const sealed = await receipts.seal(next[0] ?? runRecord());
    expect(sealed.receipt).toMatchObject({ state: 'signed', sequence: 2 });
    expect(sealed.notices.join()).toContain(at === 'count' ? 'it is counted now' : '');
    expect(sealed.notices).toHaveLength(at === 'count' ? 1 : 0);
    expect((await check(state, values)).lines).toEqual([
      { state: 'good', text: '2 receipts, each signed and in its place' },
    ]);
  });

  it('before the next one comes, one that is not counted yet is told and is no fault', async () => {
    const state = await stateIn(tempFolder());
    const { file } = await runsIn(state, 1);
    await runProgram(await sealer(), [state.dir, file, 'none']);
    const { file: second } = await runsIn(state, 1);
    await runProgram(await sealer(), [state.dir, second, 'count']);
    const seen = await check(state, valuesOf(state) as Map<string, string>);
    expect(seen.ok).toBe(true);
    expect(seen.lines.map((line) => line.text).join()).toContain('receipt 2 is not counted yet');
  });

  it('in the middle of its line: the rest is moved aside and said, and its run gets another receipt', async () => {
    const state = await stateIn(tempFolder());
    const { file } = await runsIn(state, 1);
    await runProgram(await sealer(), [state.dir, file, 'none']);
    const { records, file: second } = await runsIn(state, 1);
    const before = valuesOf(state) as Map<string, string>;
    await runProgram(await sealer(), [state.dir, second, 'none']);
    const [first = '', cut = ''] = chainOf(state);
    writeFileSync(join(state.dir, CHAIN_FILE), first + cut.slice(0, 100));

    const receipts = memoryReceipts(state, createMemoryKeychain(before));
    const sealed = await receipts.seal(records[0] ?? runRecord());
    expect(sealed.receipt).toMatchObject({ state: 'signed', sequence: 2 });
    const [name = ''] = /receipts\.torn-[^ ]+/.exec(sealed.notices.join()) ?? [];
    expect(readFileSync(join(state.dir, name), 'utf8')).toBe(cut.slice(0, 100));
    expect((await check(state, before)).ok).toBe(true);
  });

  it('a line that somebody else put at the end is not counted on', async () => {
    const state = await stateIn(tempFolder());
    const values = new Map<string, string>();
    const { records } = await runsIn(state, 3);
    const [first, forged, next] = records;
    await memoryReceipts(state, createMemoryKeychain(values)).seal(first ?? runRecord());
    // Well made, follows the last one, but of another key.
    const copy = new Map([['receipt-head', values.get('receipt-head') ?? '']]);
    const other = await stateIn(tempFolder());
    await memoryReceipts(other, createMemoryKeychain(copy)).seal(runRecord());
    copy.set('receipt-head', values.get('receipt-head') ?? '');
    await memoryReceipts(state, createMemoryKeychain(copy)).seal(forged ?? runRecord());
    const sealed = await memoryReceipts(state, createMemoryKeychain(values)).seal(next ?? runRecord());
    expect(sealed.receipt).toMatchObject({ state: 'signed', sequence: 2 });
    expect(sealed.notices.join()).toContain('nothing was mended');
    const seen = await check(state, values);
    expect(seen.lines.map((line) => line.text).join('\n')).toContain('receipt 2: it is signed by another key');
    expect(seen.ok).toBe(false);
  });
});

it('writers in several processes at once lose nothing', async () => {
  const state = await stateIn(tempFolder());
  const program = await sealer();
  const all = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const { file } = await runsIn(state, 6);
      return runProgram(program, [state.dir, file, 'none']);
    }),
  );
  const numbers = all.flatMap(({ out }) =>
    out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { receipt: { sequence: number } }).receipt.sequence),
  );
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
  expect((await check(state, valuesOf(state) as Map<string, string>)).lines).toEqual([
    { state: 'good', text: '24 receipts, each signed and in its place' },
  ]);
});

describe('a keychain that fails', () => {
  const failing = (values: Map<string, string>, at: 'get' | 'set', name: string, state: KeychainTrouble) => {
    const inner = createMemoryKeychain(values);
    let asked = 0;
    const keychain: Keychain = {
      ...inner,
      get: async (what) => {
        asked += 1;
        return at === 'get' && what === name ? fail(keychainError(state)) : inner.get(what);
      },
      set: async (what, value) => (at === 'set' && what === name ? fail(keychainError(state)) : inner.set(what, value)),
    };
    return { keychain, asked: () => asked };
  };

  it.each(['no-bus', 'no-service', 'locked', 'hanging', 'refused'] as const)(
    '%s: unsigned, in no chain, and the reason stands in the receipt itself',
    async (trouble) => {
      const state = await stateIn(tempFolder());
      const { records } = await runsIn(state, 1);
      const { keychain } = failing(new Map(), 'get', 'receipt-key', trouble);
      const { receipt } = await memoryReceipts(state, keychain).seal(records[0] ?? runRecord());
      expect(receipt).toMatchObject({ state: 'unsigned', sequence: null, why: keychainError(trouble).text });
      expect(readdirSync(state.dir)).not.toContain(CHAIN_FILE);
      const text = readFileSync(join(runFolder(state, records[0]?.id ?? ''), 'receipt.json'), 'utf8');
      const { payload } = JSON.parse(text) as { payload: string };
      const statement = JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) as { predicate: object };
      expect(statement.predicate).toMatchObject({
        unsignedBecause: keychainError(trouble).text,
        receipt: { sequence: null, key: null },
      });
    },
  );

  it('one that hangs is asked once for several runs that end', async () => {
    const state = await stateIn(tempFolder());
    const { records } = await runsIn(state, 3);
    const { keychain, asked } = failing(new Map(), 'get', 'receipt-key', 'hanging');
    const receipts = memoryReceipts(state, keychain);
    for (const record of records) expect((await receipts.seal(record)).receipt.state).toBe('unsigned');
    expect(asked()).toBe(1);
  });

  it('only at the count: the receipt is signed and stands in the chain, that it is not counted is said, and the next one mends it', async () => {
    const state = await stateIn(tempFolder());
    const values = new Map<string, string>();
    const { records } = await runsIn(state, 2);
    const first = await memoryReceipts(state, failing(values, 'set', 'receipt-head', 'locked').keychain).seal(
      records[0] ?? runRecord(),
    );
    expect(first.receipt).toMatchObject({ state: 'signed', sequence: 1 });
    expect(first.notices.join()).toContain('could not count receipt 1');
    const second = await memoryReceipts(state, createMemoryKeychain(values)).seal(records[1] ?? runRecord());
    expect(second.receipt).toMatchObject({ state: 'signed', sequence: 2 });
    expect((await check(state, values)).ok).toBe(true);
  });
});

it('a chain file that cannot be written: failed, with the reason, and the chain stays as it was', async () => {
  const state = await stateIn(tempFolder());
  mkdirSync(join(state.dir, CHAIN_FILE));
  const { records } = await runsIn(state, 1);
  const { receipt } = await memoryReceipts(state).seal(records[0] ?? runRecord());
  expect(receipt.state).toBe('failed');
  expect(receipt.why).toContain(CHAIN_FILE);
});

it('who looks while others write sees a chain that holds, every time', async () => {
  const state = await stateIn(tempFolder());
  const { receipts, receiptChecks } = memoryReceiptServices(state);
  const { records } = await runsIn(state, 30);
  let writing = true;
  const written = Promise.all(records.map((record) => receipts.seal(record))).finally(() => (writing = false));
  const seen: boolean[] = [];
  while (writing) {
    const looked = await receiptChecks.chain();
    if (looked?.ok === true) seen.push(looked.value.ok);
  }
  await written;
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).not.toContain(false);
});

it('the real client of a keychain that never answers: the receipt is written when its time is over, unsigned', async () => {
  const state = await stateIn(tempFolder());
  const { records } = await runsIn(state, 1);
  const silent = { program: process.execPath, args: ['-e', 'process.stdin.resume()'] };
  const keychain = keychainOf(silent, { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }, { timeoutMs: 300 });
  onTestFinished(() => keychain.close());
  const { receipt } = await memoryReceipts(state, keychain).seal(records[0] ?? runRecord());
  expect(receipt).toMatchObject({ state: 'unsigned', why: keychainError('hanging', '0.3 s').text });
});

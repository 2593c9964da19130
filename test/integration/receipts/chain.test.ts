/** A chain of receipts in a state folder of its own: what is done to it is seen, and said for what it is. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryKeychain } from '../../../electron/core/approvals/memory-keychain.js';
import { CHAIN_FILE } from '../../../electron/core/receipts/chain-file.js';
import type { Receipts } from '../../../electron/core/receipts/receipts.js';
import {
  keyFromKeychain,
  verifyChain,
  verifyFile,
  verifyRun,
  type CheckKey,
} from '../../../electron/core/receipts/verify.js';
import { runFolder } from '../../../electron/core/store/run-folder.js';
import type { StateFolder } from '../../../electron/core/store/layout.js';
import { EMPTY_FACTS } from '../../../shared/contracts/run.js';
import { runColour } from '../../../shared/run-colour.js';
import { newId } from '../../../shared/ids.js';
import { tempFolder } from '../../support/processes.js';
import { memoryReceipts } from '../../support/receipts.js';
import { CLEAN_SCAN, putRunFolder, runRecord, stateIn, trace } from '../../support/runs.js';

let state: StateFolder;
let values: Map<string, string>;
let receipts: Receipts;
let runs: string[];

const chainPath = () => join(state.dir, CHAIN_FILE);
const read = () => readFileSync(chainPath(), 'utf8');
const linesOf = () => read().split(/(?<=\n)/);
const write = (lines: readonly string[]) => writeFileSync(chainPath(), lines.join(''));

async function endRun() {
  const record = runRecord({ id: newId('run') });
  await putRunFolder(state, record, { traces: [trace({ run_id: record.id })], events: [{ at: 1, kind: 'notice' }] });
  runs.push(record.id);
  return { id: record.id, ...(await receipts.seal(record)) };
}

async function key(): Promise<CheckKey> {
  const found = await keyFromKeychain(createMemoryKeychain(values));
  if (!found.ok) throw new Error(found.error);
  return found.value;
}

/** What is wrong with the chain, in words. */
async function faults(): Promise<string[]> {
  const seen = await verifyChain(state, await key());
  const bad = seen.lines.filter((line) => line.state === 'bad').map((line) => line.text);
  expect(seen.ok).toBe(bad.length === 0);
  return bad;
}

beforeEach(async () => {
  state = await stateIn(tempFolder());
  values = new Map();
  runs = [];
  receipts = memoryReceipts(state, createMemoryKeychain(values));
  for (let count = 0; count < 5; count += 1) await endRun();
});

describe('five receipts', () => {
  it('hold, each beside its run and in the chain, each naming the one before', async () => {
    expect(await faults()).toEqual([]);
    expect(linesOf()).toHaveLength(5);
    for (const [index, id] of runs.entries()) {
      expect(readFileSync(join(runFolder(state, id), 'receipt.json'), 'utf8')).toBe(linesOf()[index]);
      expect(await verifyRun(state, id, await key())).toMatchObject({ ok: true });
    }
  });

  it('the last two deleted: two are missing', async () => {
    write(linesOf().slice(0, 3));
    expect(await faults()).toEqual(['2 receipts missing: 4, 5 of 5']);
    expect(await verifyRun(state, runs[4] ?? '', await key())).toMatchObject({ ok: false });
  });

  it('all deleted: five are missing', async () => {
    rmSync(chainPath());
    expect(await faults()).toEqual(['5 receipts missing: 1, 2, 3, 4, 5 of 5']);
  });

  it('one in the middle deleted: that one is missing', async () => {
    write(linesOf().filter((_, index) => index !== 2));
    expect(await faults()).toEqual(['1 receipt missing: 3 of 5']);
  });

  it('one cut in the middle of its line: damaged, and missing', async () => {
    write(linesOf().map((line, index) => (index === 2 ? `${line.slice(0, 200)}\n` : line)));
    expect(await faults()).toEqual(['line 3 is damaged: it is no receipt', '1 receipt missing: 3 of 5']);
  });

  it('the file cut in the middle of a line: damaged, and what came after is missing', async () => {
    const [a = '', b = '', c = ''] = linesOf();
    write([a, b, c.slice(0, 200)]);
    expect(await faults()).toEqual([
      'line 3 is damaged: it is cut off, and so no receipt',
      '3 receipts missing: 3, 4, 5 of 5',
    ]);
  });

  it('two swapped: the order is wrong, and nothing is missing', async () => {
    const [a = '', b = '', c = '', d = '', e = ''] = linesOf();
    write([a, c, b, d, e]);
    expect(await faults()).toEqual(['order wrong: receipt 2 stands after receipt 3']);
  });

  it('one stands there twice', async () => {
    const lines = linesOf();
    write([...lines, lines[4] ?? '']);
    expect(await faults()).toEqual(['receipt 5 stands there twice']);
  });

  it('one that was changed by a byte: its signature does not hold, and the next one does not follow', async () => {
    const lines = linesOf();
    const envelope = JSON.parse(lines[1] ?? '') as { payload: string };
    const statement = Buffer.from(envelope.payload, 'base64').toString('utf8');
    const payload = Buffer.from(statement.replace('"succeeded"', '"failed"')).toString('base64');
    lines[1] = `${JSON.stringify({ ...envelope, payload })}\n`;
    write(lines);
    expect(await faults()).toEqual([
      'receipt 2: its signature does not hold: it was changed after it was signed',
      'receipt 3 does not follow receipt 2: it names another one as the one before',
      `receipt 2: receipt.json of run ${runs[1] ?? ''} is another one than in the chain`,
    ]);
  });

  it('an older copy of the file put back: what was made since is missing', async () => {
    const old = read();
    await endRun();
    writeFileSync(chainPath(), old);
    expect(await faults()).toEqual(['1 receipt missing: 6 of 6']);
  });

  it('a chain of another key, all of it well made: each is signed by another key, and the last is not the counted one', async () => {
    const other = await stateIn(tempFolder());
    const forged = memoryReceipts({ ...other, id: state.id });
    for (const id of runs) {
      await putRunFolder(other, runRecord({ id }));
      await forged.seal(runRecord({ id }));
    }
    writeFileSync(chainPath(), readFileSync(join(other.dir, CHAIN_FILE)));
    const said = await faults();
    expect(said.filter((text) => text.includes('signed by another key'))).toHaveLength(5);
    expect(said).toContain('receipt 5 is not the one that was counted as the last');
  });

  it('without the count the tail is not checked, and that is said', async () => {
    write(linesOf().slice(0, 3));
    const seen = await verifyChain(state, { ...(await key()), head: null });
    expect(seen.ok).toBe(true);
    expect(seen.lines.map((line) => line.text).join()).toContain('tail not checked');
  });

  it('a receipt that is missing beside its run is seen, and a run that was deleted is not missed', async () => {
    rmSync(join(runFolder(state, runs[0] ?? ''), 'receipt.json'));
    rmSync(runFolder(state, runs[1] ?? ''), { recursive: true });
    expect(await faults()).toEqual([`receipt 1: receipt.json of run ${runs[0] ?? ''} is missing`]);
    const seen = await verifyRun(state, runs[0] ?? '', await key());
    expect(seen.lines[0]?.text).toBe('receipt.json is missing beside the run; the chain still holds it as receipt 1');
  });

  it.each(['events.jsonl', 'traces.jsonl', 'stdout.log', 'stderr.log'])(
    '%s changed: the artifact differs',
    async (name) => {
      const file = join(runFolder(state, runs[2] ?? ''), name);
      writeFileSync(file, `${readFileSync(file, 'utf8')} `);
      const seen = await verifyRun(state, runs[2] ?? '', await key());
      expect(seen.ok).toBe(false);
      expect(seen.lines.filter((line) => line.state === 'bad').map((line) => line.text)).toEqual([
        `artifact ${name} differs`,
      ]);
      rmSync(file);
      expect((await verifyRun(state, runs[2] ?? '', await key())).lines.map((line) => line.text)).toContain(
        `artifact ${name} is missing`,
      );
    },
  );

  it('the receipt of another run in the place of its own is seen', async () => {
    const file = (at: number) => join(runFolder(state, runs[at] ?? ''), 'receipt.json');
    writeFileSync(file(0), readFileSync(file(1)));
    const seen = await verifyRun(state, runs[0] ?? '', await key());
    expect(seen.lines.map((line) => line.text)).toContain('it is the receipt of another run');
  });
});

describe('the next receipt', () => {
  it('after deleted ones goes on from the count, so that the hole stays', async () => {
    write(linesOf().slice(0, 3));
    const next = await endRun();
    expect(next.receipt).toMatchObject({ state: 'signed', sequence: 6 });
    expect(next.notices.join()).toContain('receipts are missing or were changed, and nothing was mended');
    expect(await faults()).toEqual(['2 receipts missing: 4, 5 of 6']);
  });

  it('after a line that was cut off stands on a line of its own', async () => {
    const [a = '', b = '', c = ''] = linesOf();
    write([a, b, c.slice(0, 200)]);
    await endRun();
    expect(await faults()).toEqual(['line 3 is damaged: it is no receipt', '3 receipts missing: 3, 4, 5 of 6']);
  });

  it('is not signed where the key is gone, and no other key is made', async () => {
    values.clear();
    const next = await endRun();
    expect(next.receipt).toMatchObject({ state: 'unsigned', sequence: null });
    expect(next.receipt.why).toContain('does not hold the key');
    expect([...values.keys()]).toEqual([]);
    expect(linesOf()).toHaveLength(5);
  });

  it('is not signed where the count is gone', async () => {
    values.delete('receipt-head');
    expect((await endRun()).receipt).toMatchObject({ state: 'unsigned' });
    expect(linesOf()).toHaveLength(5);
  });

  it('is not made twice for one run where another process may have made it', async () => {
    const record = runRecord({ id: runs[4] ?? '' });
    const again = await receipts.seal(record, { once: true });
    expect(again.receipt).toMatchObject({ state: 'signed', sequence: 5 });
    expect(linesOf()).toHaveLength(5);
  });

  it('follows one that is longer than what is read of the end at first', async () => {
    const long = runRecord({ id: newId('run'), reason: 'x'.repeat(300_000) });
    await putRunFolder(state, long);
    expect((await receipts.seal(long)).notices).toEqual([]);
    const next = await endRun();
    expect(next).toMatchObject({ receipt: { state: 'signed', sequence: 7 }, notices: [] });
    expect(await faults()).toEqual([]);
  });

  it('of a run whose output somebody removed is signed, names what is gone, and turns the run amber', async () => {
    const record = runRecord({ id: newId('run') });
    await putRunFolder(state, record);
    rmSync(join(runFolder(state, record.id), 'stdout.log'));
    const { receipt } = await receipts.seal(record);
    expect(receipt).toMatchObject({ state: 'signed', why: 'stdout.log of the run was gone when its receipt was made' });
    expect(runColour({ ...record, receipt }).colour).toBe('amber');
    expect((await receipts.find(record.id))?.statement.predicate.artifactsGone).toEqual(['stdout.log']);
  });

  it('cannot be made where its artifacts cannot be read, and says so', async () => {
    const record = runRecord({ id: newId('run') });
    await putRunFolder(state, record);
    const stdout = join(runFolder(state, record.id), 'stdout.log');
    rmSync(stdout);
    symlinkSync('/etc/hostname', stdout);
    expect((await receipts.seal(record)).receipt).toMatchObject({ state: 'failed' });
    expect(readdirSync(runFolder(state, record.id))).not.toContain('receipt.json');
    expect(await faults()).toEqual([]);
  });
});

describe('something else in the place of a file', () => {
  const OTHERS = {
    'a pipe': (path: string) => void execFileSync('mkfifo', [path]),
    'a folder': (path: string) => void mkdirSync(path),
    'a link': (path: string) => {
      writeFileSync(join(state.dir, 'elsewhere'), readdirSync(state.dir).join());
      symlinkSync(join(state.dir, 'elsewhere'), path);
    },
    'a file too large for one': (path: string) => {
      writeFileSync(path, '');
      truncateSync(path, 17 * 1024 * 1024);
    },
  };

  it.each(Object.entries(OTHERS))('the receipt beside a run is %s: said, and never waited for', async (_name, put) => {
    const file = join(runFolder(state, runs[1] ?? ''), 'receipt.json');
    rmSync(file);
    put(file);
    const seen = await verifyRun(state, runs[1] ?? '', await key());
    expect([seen.ok, seen.lines[0]?.text]).toEqual([false, expect.stringContaining('receipt.json')]);
    expect(await faults()).toEqual([`receipt 2: receipt.json of run ${runs[1] ?? ''} cannot be read`]);
    expect((await verifyFile(file, await key())).ok).toBe(false);
  });

  it.each(Object.entries(OTHERS).slice(0, 3))('the chain is %s: said, and nothing is verified', async (_name, put) => {
    rmSync(chainPath());
    put(chainPath());
    expect(await faults()).toEqual([expect.stringMatching(/receipts\.jsonl is (?:not a plain file|a link)/)]);
    expect((await verifyRun(state, runs[0] ?? '', await key())).ok).toBe(false);
  });
});

describe('a record that says something else than its receipt', () => {
  it.each([
    ['its outcome', { outcome: 'failed' }],
    ['its exit scan', { exitScan: { ...CLEAN_SCAN, files: 99 } }],
    ['its calls', { facts: { ...EMPTY_FACTS, toolCalls: 7, guarded: 7 } }],
  ] as const)('is seen by %s', async (what, change) => {
    const id = runs[2] ?? '';
    const file = join(runFolder(state, id), 'run.json');
    const record = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...record, ...change }));
    const seen = await verifyRun(state, id, await key());
    expect(seen.ok).toBe(false);
    expect(seen.lines.find(({ state: how }) => how === 'bad')?.text).toContain(
      `run.json says something else than the receipt of ${what}`,
    );
  });
});

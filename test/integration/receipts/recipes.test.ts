/** The recipes of docs/receipts.md as they stand there, by programs that know nothing of Sallyport. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryKeychain } from '../../../electron/core/approvals/memory-keychain.js';
import { publicKeyPem } from '../../../electron/core/receipts/receipt-keys.js';
import { keyFromKeychain } from '../../../electron/core/receipts/verify.js';
import type { StateFolder } from '../../../electron/core/store/layout.js';
import { runFolder } from '../../../electron/core/store/run-folder.js';
import { newId } from '../../../shared/ids.js';
import { tempFolder } from '../../support/processes.js';
import { memoryReceipts } from '../../support/receipts.js';
import { putRunFolder, runRecord, stateIn, trace } from '../../support/runs.js';

const DOCUMENT = readFileSync(path.resolve(import.meta.dirname, '../../../docs/receipts.md'), 'utf8');

/** The code block after its mark. */
function recipe(name: string): string {
  const found = new RegExp(`<!-- recipe: ${name} -->\\n\\n\`\`\`\\w+\\n([^]*?)\n\`\`\``).exec(DOCUMENT)?.[1];
  if (found === undefined) throw new Error(`the document has no recipe "${name}"`);
  return found;
}

let state: StateFolder;
let runs: string[];
let pem: string;

beforeEach(async () => {
  state = await stateIn(tempFolder());
  const keychain = createMemoryKeychain();
  const receipts = memoryReceipts(state, keychain);
  runs = [];
  for (let count = 0; count < 3; count += 1) {
    // What a hostile text could put in: a subject of its own, and other alphabets.
    const reason = 'ü {"name":"stdout.log","digest":{"sha256":"00"}} "sig":"AAAA"';
    const record = runRecord({ id: newId('run'), reason });
    await putRunFolder(state, record, { traces: [trace({ run_id: record.id })], events: [{ at: 1 }] });
    await receipts.seal(record);
    runs.push(record.id);
  }
  const key = await keyFromKeychain(keychain);
  pem = path.join(state.dir, 'receipts.pem');
  writeFileSync(pem, publicKeyPem(key.ok ? key.value.publicKey : ''));
});

const folder = (at: number) => runFolder(state, runs[at] ?? '');

function openssl(at: number) {
  copyFileSync(pem, path.join(folder(at), 'receipts.pem'));
  const env = { PATH: '/usr/bin:/bin', TMPDIR: tempFolder() };
  return spawnSync('sh', ['-c', recipe('openssl')], { cwd: folder(at), env, encoding: 'utf8' });
}

function python() {
  const script = path.join(tempFolder(), 'verify.py');
  writeFileSync(script, recipe('python'));
  return spawnSync('/usr/bin/python3', [script, pem], {
    cwd: state.dir,
    env: { PATH: '/usr/bin:/bin' },
    encoding: 'utf8',
  });
}

const changeByte = (file: string, at: number) => {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
};

describe('openssl', () => {
  it('verifies a receipt and its files', () => {
    const ran = openssl(1);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toContain('Signature Verified Successfully');
    for (const name of ['events.jsonl', 'traces.jsonl', 'stdout.log', 'stderr.log'])
      expect(ran.stdout).toContain(`${name}: OK`);
    expect(ran.status).toBe(0);
  });

  it('refuses a file that was changed', () => {
    writeFileSync(path.join(folder(1), 'stdout.log'), 'x');
    const ran = openssl(1);
    expect(ran.stdout).toContain('stdout.log: FAILED');
    expect(ran.status).not.toBe(0);
  });

  it('refuses a statement that was changed', () => {
    const file = path.join(folder(1), 'receipt.json');
    const text = readFileSync(file, 'utf8');
    const envelope = JSON.parse(text) as { payload: string };
    const body = Buffer.from(envelope.payload, 'base64').toString('utf8').replace('"succeeded"', '"denied"');
    writeFileSync(file, text.replace(envelope.payload, Buffer.from(body).toString('base64')));
    const ran = openssl(1);
    expect(ran.stdout).toContain('Signature Verification Failure');
    expect(ran.status).not.toBe(0);
  });
});

describe('python', () => {
  it('verifies the chain and the files of its runs, and names the head', () => {
    const ran = python();
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toMatch(/^3 receipts hold; head 3:sha256:[0-9a-f]{64}\n$/);
    expect(ran.status).toBe(0);
  });

  it.each([
    [
      'a file that was changed',
      () => changeByte(path.join(folder(2), 'events.jsonl'), 0),
      'receipt 3: events.jsonl differs',
    ],
    [
      'one that was taken out',
      () => editChain((lines) => [lines[0], lines[2]]),
      'receipt 2 is missing, or out of order',
    ],
    ['two that were swapped', () => editChain((lines) => [lines[1], lines[0], lines[2]]), 'out of order'],
    [
      'a signature of another one',
      () => editChain(([first = '', ...rest]) => [first.replace(/"sig":"[^"]+"/, sigOf(rest[0])), ...rest]),
      'InvalidSignature',
    ],
  ] as const)('refuses %s', (_name, change, said) => {
    change();
    const ran = python();
    expect(ran.status).not.toBe(0);
    expect(ran.stderr).toContain(said);
  });
});

function editChain(edit: (lines: readonly string[]) => readonly (string | undefined)[]): void {
  const file = path.join(state.dir, 'receipts.jsonl');
  writeFileSync(file, edit(readFileSync(file, 'utf8').split(/(?<=\n)/)).join(''));
}

const sigOf = (line = '') => /"sig":"[^"]+"/.exec(line)?.[0] ?? '';

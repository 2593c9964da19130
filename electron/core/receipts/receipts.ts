/**
 * receipts: what is signed when a run has ended. Job: one receipt a run (redacted, then hashed, then signed), chained
 * to the one before, file first and then the keychain's count. It must not change what it finds: a chain that does
 * not fit is said and left as it is. Without the keychain a receipt is written unsigned, and says so.
 */
import { join } from 'node:path';
import type { RunReceipt } from '../../../shared/contracts/receipt.js';
import { runStatementSchema, type RunStatement } from '../../../shared/contracts/receipt-statement.js';
import type { RunRecord } from '../../../shared/contracts/run.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { Keychain } from '../approvals/keychain.js';
import type { KeychainError } from '../approvals/keychain-states.js';
import type { SigningKey } from '../approvals/signing-key.js';
import { writeAtomic } from '../store/atomic.js';
import type { StateFolder } from '../store/layout.js';
import { withLock } from '../store/locks.js';
import { readTraces, runFolder } from '../store/run-folder.js';
import { artifactSubjects } from './artifacts.js';
import {
  appendLine,
  CHAIN_FILE,
  moveTornAside,
  readChainLines,
  readEntry,
  readTail,
  type ChainEntry,
  type ChainTail,
} from './chain-file.js';
import { checkSignature, envelopeDigest, envelopeText, keyId, readEnvelope } from './dsse.js';
import { readPlainFile } from './plain-file.js';
import { makeKey, readHead, readKey, writeHead, type ChainHead } from './receipt-keys.js';
import { runStatement, type StatementInput } from './statement.js';

/** The receipt's file in the folder of its run: the same bytes as its line in the chain. */
export const RECEIPT_FILE = 'receipt.json';

export interface ReceiptsPlace {
  readonly state: StateFolder;
  readonly keychain: Keychain;
  readonly appVersion: string;
}

/** A receipt that was made, and what was seen at that and must be said. */
export interface Sealed {
  readonly receipt: RunReceipt;
  readonly notices: readonly string[];
}

/** A receipt that is there already. */
export interface FoundReceipt {
  readonly receipt: RunReceipt;
  readonly statement: RunStatement;
}

export interface Receipts {
  /**
   * Makes the receipt of a run that has ended, whose files are closed. Never throws, and waits for the keychain no
   * longer than its client's bound. `once`: another process may have made it; then that one stands.
   */
  readonly seal: (record: RunRecord, options?: { readonly once?: boolean }) => Promise<Sealed>;
  /** The receipt of a run whose owner died after it was made; null where none is there that counts. */
  readonly find: (runId: string) => Promise<FoundReceipt | null>;
}

/** Milliseconds for which a keychain that did not answer is not asked again: several runs may end at once. */
const HANGING_MS = 30_000;

export function createReceipts(place: ReceiptsPlace): Receipts {
  let hung: { readonly error: KeychainError; readonly until: number } | null = null;
  /** Before the lock, so that a keychain that hangs holds nobody else up. */
  const askKey = async (): Promise<Result<SigningKey | null, KeychainError>> => {
    if (hung !== null && Date.now() < hung.until) return fail(hung.error);
    const key = await readKey(place.keychain);
    hung = !key.ok && key.error.state === 'hanging' ? { error: key.error, until: Date.now() + HANGING_MS } : null;
    return key;
  };
  return {
    seal: async (record, { once = false } = {}) => {
      try {
        const key = await askKey();
        const prepared = await prepare(place, record);
        if (!prepared.ok) return failed(prepared.error);
        return await withLock(place.state.dir, 'receipts', async () => {
          const made = once ? await findReceipt(place, record.id, key) : null;
          if (made !== null) return { receipt: made.receipt, notices: [] };
          if (!key.ok) return writeUnsigned(place, prepared.value, key.error.text);
          return writeSigned(place, prepared.value, key.value);
        });
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      }
    },
    find: async (runId) => findReceipt(place, runId, await askKey()),
  };
}

function failed(why: string): Sealed {
  return { receipt: { state: 'failed', why, sequence: null, digest: null }, notices: [] };
}

async function prepare(
  { state, appVersion }: ReceiptsPlace,
  record: RunRecord,
): Promise<Result<StatementInput, string>> {
  const found = await artifactSubjects(runFolder(state, record.id));
  if (!found.ok) return found;
  const { traces, unreadable } = await readTraces(state, record.id);
  return ok({
    record,
    traces,
    unreadableTraces: unreadable,
    ...found.value,
    installation: state.id,
    appVersion,
  });
}

/** What a signed receipt lacks; null when it lacks nothing. */
function goneText(gone: readonly string[]): string | null {
  return gone.length === 0 ? null : `${gone.join(', ')} of the run was gone when its receipt was made`;
}

async function writeUnsigned({ state }: ReceiptsPlace, input: StatementInput, why: string): Promise<Sealed> {
  const text = envelopeText(runStatement(input, why), null);
  await fileReceipt(state, input.record.id, text);
  return {
    receipt: { state: 'unsigned', why, sequence: null, digest: envelopeDigest(Buffer.from(text)) },
    notices: [],
  };
}

/** In the lock: file first, then the count, so that a death in between is seen and can be mended. */
async function writeSigned(place: ReceiptsPlace, input: StatementInput, known: SigningKey | null): Promise<Sealed> {
  const { state, keychain } = place;
  const tail = await readTail(state.dir);
  const key = known === null ? await keyForNewChain(place, tail) : ok(known);
  if (!key.ok) return writeUnsigned(place, input, key.error.text);
  const counted = await readHead(keychain);
  if (!counted.ok) return writeUnsigned(place, input, counted.error.text);
  if (counted.value.n === 0 && (tail.last?.sequence ?? 0) > 1) return writeUnsigned(place, input, COUNT_IS_GONE);

  const fit = await fitTail(place, tail, counted.value, key.value);
  const { head } = fit;
  const sequence = head.n + 1;
  const standing = { sequence, previous: head.digest, key: keyId(key.value.publicKey) };
  const text = envelopeText(runStatement(input, standing), key.value);
  const digest = envelopeDigest(Buffer.from(text));
  await appendLine(state.dir, text, fit.apart);
  const notices = [...fit.notices];
  try {
    await fileReceipt(state, input.record.id, text);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    notices.push(`the receipt stands in ${CHAIN_FILE}, but could not be written beside its run: ${what}`);
  }
  const count = await writeHead(keychain, { n: sequence, digest });
  if (!count.ok)
    notices.push(`the keychain could not count receipt ${sequence} (${count.error.text}); the next one mends that`);
  return { receipt: { state: 'signed', why: goneText(input.gone), sequence, digest }, notices };
}

const COUNT_IS_GONE =
  'The keychain holds the key of the receipts, but not how many there are, so the next one has no place. Restore its ' +
  `entry "sallyport …/receipt-head", or, to begin a new chain, move ${CHAIN_FILE} away.`;

/** No key is ever made while a chain of another one stands. */
async function keyForNewChain(
  { state, keychain }: ReceiptsPlace,
  tail: ChainTail,
): Promise<Result<SigningKey, KeychainError>> {
  // Another process may have been quicker.
  const now = await readKey(keychain);
  if (!now.ok) return now;
  if (now.value !== null) return ok(now.value);
  if (!tail.exists) return makeKey(keychain);
  return fail({
    state: 'refused',
    text:
      `The keychain is open but does not hold the key of ${join(state.dir, CHAIN_FILE)}, so no receipt can be signed ` +
      '(was the keyring made anew, or is this another one?). Open the right keyring; or, to begin a new chain, move that file away.',
  });
}

interface Fit {
  /** What the next receipt follows. */
  readonly head: ChainHead;
  /** The next receipt begins on a line of its own. */
  readonly apart: boolean;
  readonly notices: readonly string[];
}

/** Whether the file ends where the keychain has counted to. One that is one ahead is counted on; nothing else is mended. */
async function fitTail(
  { state, keychain }: ReceiptsPlace,
  tail: ChainTail,
  counted: ChainHead,
  key: SigningKey,
): Promise<Fit> {
  const { last } = tail;
  const ahead = last !== null && followsAsOne(last, counted) && checkSignature(last.envelope, key.publicKey).ok;
  const fits = ahead || (last === null ? !tail.lines && counted.n === 0 : isHead(last, counted));
  if (!fits) {
    const notice = `${CHAIN_FILE} does not end at receipt ${counted.n}, to which the keychain has counted: receipts are missing or were changed, and nothing was mended. See: sallyport receipt verify --chain`;
    return { head: counted, apart: tail.torn.length > 0, notices: [notice] };
  }
  const notices: string[] = [];
  let head = counted;
  if (ahead) {
    head = { n: last.sequence, digest: last.digest };
    const count = await writeHead(keychain, head);
    if (count.ok)
      notices.push(`receipt ${head.n} was written by a process that ended before it was counted; it is counted now`);
  }
  if (tail.torn.length > 0) {
    const name = await moveTornAside(state.dir, tail);
    notices.push(
      `a process ended while it wrote a receipt; the ${tail.torn.length} byte(s) of it were moved to ${name}`,
    );
  }
  return { head, apart: false, notices };
}

function isHead(entry: ChainEntry, head: ChainHead): boolean {
  return entry.sequence === head.n && entry.digest === head.digest;
}

function followsAsOne(entry: ChainEntry, head: ChainHead): boolean {
  return entry.sequence === head.n + 1 && entry.previous === (head.n === 0 ? null : head.digest);
}

function fileReceipt(state: StateFolder, runId: string, text: string): Promise<void> {
  return writeAtomic(join(runFolder(state, runId), RECEIPT_FILE), text, { mode: 0o600 });
}

/** The chain is asked first: its receipt may not have come to the run's folder yet. */
async function findReceipt(
  { state }: ReceiptsPlace,
  runId: string,
  key: Result<SigningKey | null, KeychainError>,
): Promise<FoundReceipt | null> {
  const lines = await readChainLines(join(state.dir, CHAIN_FILE));
  for (const line of lines.toReversed()) {
    const entry = readEntry(line);
    const statement = runStatementSchema.safeParse(entry?.statement);
    if (entry === null || !statement.success || statement.data.predicate.runId !== runId) continue;
    // A line that somebody else put there makes no receipt.
    const holds = key.ok && key.value !== null ? checkSignature(entry.envelope, key.value.publicKey).ok : true;
    if (!holds) continue;
    if ((await readText(join(runFolder(state, runId), RECEIPT_FILE))) !== line) await fileReceipt(state, runId, line);
    const { sequence, digest } = entry;
    const why = goneText(statement.data.predicate.artifactsGone);
    return { receipt: { state: 'signed', why, sequence, digest }, statement: statement.data };
  }
  const text = await readText(join(runFolder(state, runId), RECEIPT_FILE));
  const read = text === null ? null : readEnvelope(text);
  if (text === null || read === null || !read.ok || read.value.envelope.signatures.length > 0) return null;
  const statement = runStatementSchema.safeParse(read.value.statement);
  if (!statement.success || statement.data.predicate.runId !== runId) return null;
  const why = statement.data.predicate.unsignedBecause;
  return {
    receipt: { state: 'unsigned', why, sequence: null, digest: envelopeDigest(Buffer.from(text)) },
    statement: statement.data,
  };
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readPlainFile(path);
  } catch {
    return null;
  }
}

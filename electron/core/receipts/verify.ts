/**
 * Verifying: signature, place in the chain, digests of the artifacts. It needs no network and starts nothing; it
 * changes nothing. What could not be checked is said, never taken for good.
 */
import { dirname, join } from 'node:path';
import { RUN_PREDICATE, statementSchema, type Statement } from '../../../shared/contracts/receipt-statement.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { Keychain } from '../approvals/keychain.js';
import type { StateFolder } from '../store/layout.js';
import { withLock } from '../store/locks.js';
import { listRunIds, readRun, runFolder } from '../store/run-folder.js';
import { compareArtifacts } from './artifacts.js';
import { CHAIN_FILE, readChainLines, readEntry, type ChainEntry } from './chain-file.js';
import { checkSignature, keyId, readEnvelope, type Envelope } from './dsse.js';
import { readPlainFile } from './plain-file.js';
import { readHead, readKey, type ChainHead } from './receipt-keys.js';
import { RECEIPT_FILE } from './receipts.js';
import { checkChain, type ChainCheck } from './verify-chain.js';

/** With what to check. */
export interface CheckKey {
  /** Base64 of DER (SPKI). */
  readonly publicKey: string;
  /** Null: not known, so the tail is not checked. */
  readonly head: ChainHead | null;
}

export interface CheckLine {
  /** `note`: could not be checked, or is worth knowing. */
  readonly state: 'good' | 'bad' | 'note';
  readonly text: string;
}

export interface Verdict {
  /** True only when what can be checked was, and nothing is wrong. */
  readonly ok: boolean;
  /** A signature was there, and no key to check it with. */
  readonly keyMissing: boolean;
  readonly lines: readonly CheckLine[];
}

type StatePlace = Pick<StateFolder, 'dir' | 'runsDir'>;

/** Key and head from the keychain; the error is a text for a person. */
export async function keyFromKeychain(keychain: Keychain): Promise<Result<CheckKey, string>> {
  const key = await readKey(keychain);
  if (!key.ok) return fail(key.error.text);
  if (key.value === null) return fail('The keychain holds no key of receipts: none was signed here yet.');
  const head = await readHead(keychain);
  return head.ok ? ok({ publicKey: key.value.publicKey, head: head.value }) : fail(head.error.text);
}

/**
 * Looks, and where all is not well looks once more while nobody writes: a receipt that is being made just now is
 * half a line, or a count that is one behind. A state folder in which no lock can be had is looked at once.
 */
export async function lookSteadily(stateDir: string, look: () => Promise<Verdict>): Promise<Verdict> {
  const first = await look();
  if (first.keyMissing || first.lines.every((line) => line.state === 'good')) return first;
  try {
    return await withLock(stateDir, 'receipts', look);
  } catch {
    return first;
  }
}

/** The receipt of one run: its signature, its files, its place in the chain. `key` null: none to check with. */
export async function verifyRun(state: StatePlace, runId: string, key: CheckKey | null): Promise<Verdict> {
  const folder = runFolder(state, runId);
  const looked = await readable(async () => ({
    text: await readPlainFile(join(folder, RECEIPT_FILE)),
    lines: await readChainLines(join(state.dir, CHAIN_FILE)),
  }));
  if (!looked.ok) return verdict([{ state: 'bad', text: looked.error }]);
  const { text, lines } = looked.value;
  if (text === null) return verdict([{ state: 'bad', text: await whyNone(state, runId, lines) }]);
  const read = readReceipt(text);
  if (!read.ok) return verdict([{ state: 'bad', text: `${RECEIPT_FILE}: ${read.error}` }]);
  const { statement } = read.value;
  const checks = [
    ...checkSealed(read.value, key),
    ...checkSubject(statement, runId),
    ...(await checkFiles(folder, statement)),
    ...(await checkRecord(state, statement)),
  ];
  if (key === null || isUnsigned(read.value)) return verdict(checks);
  return verdict([...checks, ...checkPlace(text, statement, await checkChain({ lines, ...key }))]);
}

/** A receipt that was handed over as a file; its artifacts are looked for beside it. Or a whole chain. */
export async function verifyFile(path: string, key: CheckKey | null): Promise<Result<Verdict, string>> {
  const looked = await readable(() => readPlainFile(path));
  if (!looked.ok) return looked;
  const text = looked.value;
  if (text === null) return fail(`there is no file ${path}`);
  if (text.indexOf('\n') < text.length - 1 && text.includes('\n')) {
    return ok(
      key === null ? verdict([NO_KEY]) : chainVerdict(await checkChain({ lines: await readChainLines(path), ...key })),
    );
  }
  const read = readReceipt(text);
  if (!read.ok) return ok(verdict([{ state: 'bad', text: read.error }]));
  const { statement } = read.value;
  const beside = await checkFiles(dirname(path), statement);
  const place: CheckLine = { state: 'note', text: 'chain not checked: this is one receipt alone' };
  return ok(verdict([...checkSealed(read.value, key), ...beside, ...(isUnsigned(read.value) ? [] : [place])]));
}

/** The whole chain of a state folder, and whether each run that is there still has its receipt beside it. */
export async function verifyChain(state: StatePlace, key: CheckKey | null): Promise<Verdict> {
  if (key === null) return verdict([NO_KEY]);
  const lines = await readable(() => readChainLines(join(state.dir, CHAIN_FILE)));
  if (!lines.ok) return verdict([{ state: 'bad', text: lines.error }]);
  const checked = await checkChain({ lines: lines.value, ...key });
  return chainVerdict(checked, await missingEnvelopes(state, checked.entries));
}

const NO_KEY: CheckLine = { state: 'bad', text: 'signature not checked: there is no key to check with' };

function verdict(lines: readonly CheckLine[]): Verdict {
  return { ok: lines.every((line) => line.state !== 'bad'), keyMissing: lines.includes(NO_KEY), lines };
}

function chainVerdict({ faults, notes, entries }: ChainCheck, more: readonly CheckLine[] = []): Verdict {
  const what = entries.length === 1 ? '1 receipt, signed and' : `${entries.length} receipts, each signed and`;
  const whole: CheckLine[] =
    faults.length > 0
      ? []
      : [{ state: 'good', text: entries.length === 0 ? 'no receipt yet' : `${what} in its place` }];
  const bad = faults.map(({ text }): CheckLine => ({ state: 'bad', text }));
  return verdict([...whole, ...bad, ...more, ...notes.map((text): CheckLine => ({ state: 'note', text }))]);
}

interface Receipt {
  readonly envelope: Envelope;
  readonly statement: Statement;
}

function readReceipt(text: string): Result<Receipt, string> {
  const read = readEnvelope(text);
  if (!read.ok) return read;
  const statement = statementSchema.safeParse(read.value.statement);
  if (!statement.success) return fail('what it holds is no statement of a receipt that this version knows');
  return ok({ envelope: read.value.envelope, statement: statement.data });
}

function isUnsigned({ envelope }: Receipt): boolean {
  return envelope.signatures.length === 0;
}

function checkSealed(receipt: Receipt, key: CheckKey | null): CheckLine[] {
  if (isUnsigned(receipt)) {
    const { predicate } = receipt.statement;
    const why = 'unsignedBecause' in predicate ? predicate.unsignedBecause : null;
    return [{ state: 'bad', text: `not signed, so it cannot be verified: ${why ?? 'no reason was kept'}` }];
  }
  if (key === null) return [NO_KEY];
  const checked = checkSignature(receipt.envelope, key.publicKey);
  return [
    checked.ok
      ? { state: 'good', text: `signature holds (Ed25519, key ${keyId(key.publicKey)})` }
      : { state: 'bad', text: checked.error },
  ];
}

function checkSubject({ predicate, predicateType }: Statement, runId: string): CheckLine[] {
  if (predicateType === RUN_PREDICATE && 'runId' in predicate && predicate.runId === runId) return [];
  return [{ state: 'bad', text: 'it is the receipt of another run' }];
}

async function checkFiles(folder: string, statement: Statement): Promise<CheckLine[]> {
  if (statement.predicateType !== RUN_PREDICATE) return [];
  const faults = await compareArtifacts(folder, statement.subject);
  const names = statement.subject.map((subject) => subject.name).join(', ');
  const { artifactsGone } = statement.predicate;
  const gone: CheckLine[] =
    artifactsGone.length === 0
      ? []
      : [{ state: 'note', text: `gone already when the receipt was made: ${artifactsGone.join(', ')}` }];
  if (faults.length === 0) return [{ state: 'good', text: `artifacts as they were: ${names}` }, ...gone];
  return faults.map(({ text }) => ({ state: 'bad', text }));
}

/** What lists and pages show of a run stands in `run.json`, which no receipt can name: it names its receipt. So the two are compared. */
async function checkRecord(state: StatePlace, statement: Statement): Promise<CheckLine[]> {
  if (statement.predicateType !== RUN_PREDICATE) return [];
  const { predicate } = statement;
  const run = await readRun(state, predicate.runId);
  if (!run.ok) return [{ state: 'note', text: 'run.json cannot be read, so it was not compared' }];
  const { outcome, exitScan, facts } = run.value;
  const differs = [
    ...(outcome === predicate.outcome
      ? []
      : [`its outcome (${outcome ?? 'none'}, signed: ${predicate.outcome ?? 'none'})`]),
    ...(JSON.stringify(exitScan) === JSON.stringify(predicate.exitScan) ? [] : ['its exit scan']),
    ...(facts.toolCalls === predicate.calls.total &&
    facts.guarded === predicate.calls.guarded &&
    JSON.stringify(facts.unguarded) === JSON.stringify(predicate.calls.unguarded)
      ? []
      : ['its calls']),
  ];
  return differs.map((what) => ({ state: 'bad', text: `run.json says something else than the receipt of ${what}` }));
}

/** A file that cannot be read is an answer, not a fault of ours. */
async function readable<T>(read: () => Promise<T>): Promise<Result<T, string>> {
  try {
    return ok(await read());
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/** What of the chain is about this receipt is a fault of it; the rest is said. */
function checkPlace(text: string, statement: Statement, chain: ChainCheck): CheckLine[] {
  const { sequence } = statement.predicate.receipt;
  const there = chain.entries.some((entry) => entry.text === text);
  if (!there)
    return [{ state: 'bad', text: `receipt ${sequence ?? '?'} is missing from the chain, or stands there otherwise` }];
  const lines: CheckLine[] = [];
  for (const fault of chain.faults) {
    // Its signature was checked above.
    const mine = sequence !== null && fault.sequences.includes(sequence);
    lines.push({ state: mine ? 'bad' : 'note', text: mine ? fault.text : `elsewhere in the chain: ${fault.text}` });
  }
  if (!lines.some((line) => line.state === 'bad'))
    lines.unshift({ state: 'good', text: `receipt ${sequence ?? '?'} stands in its place in the chain` });
  return [...lines, ...chain.notes.map((note): CheckLine => ({ state: 'note', text: note }))];
}

async function whyNone(state: StatePlace, runId: string, lines: readonly string[]): Promise<string> {
  const kept = lines.map(readEntry).find((entry) => entry !== null && runIdOf(entry) === runId);
  if (kept !== null && kept !== undefined)
    return `${RECEIPT_FILE} is missing beside the run; the chain still holds it as receipt ${kept.sequence}`;
  const run = await readRun(state, runId);
  const said = run.ok ? run.value.receipt : null;
  if (said?.state === 'signed') return `receipt ${said.sequence ?? '?'} is missing, beside the run and in the chain`;
  if (said?.state === 'unsigned') return `its receipt is missing; it was not signed (${said.why ?? ''})`;
  if (said?.state === 'failed') return `it has no receipt: ${said.why ?? ''}`;
  return run.ok && run.value.phase !== 'done' ? 'it has no receipt yet: it has not ended' : 'it has no receipt';
}

function runIdOf({ statement }: ChainEntry): string | null {
  return statement.predicateType === RUN_PREDICATE ? statement.predicate.runId : null;
}

/** Runs that are there and whose receipt beside them is gone or is another one. A run's folder that is gone says nothing. */
async function missingEnvelopes(state: StatePlace, entries: readonly ChainEntry[]): Promise<CheckLine[]> {
  const present = new Set(await listRunIds(state));
  const lines: CheckLine[] = [];
  for (const entry of entries) {
    const runId = runIdOf(entry);
    if (runId === null || !present.has(runId)) continue;
    const text = await readable(() => readPlainFile(join(runFolder(state, runId), RECEIPT_FILE)));
    if (text.ok && text.value === entry.text) continue;
    const how = !text.ok ? 'cannot be read' : text.value === null ? 'is missing' : 'is another one than in the chain';
    lines.push({ state: 'bad', text: `receipt ${entry.sequence}: ${RECEIPT_FILE} of run ${runId} ${how}` });
  }
  return lines;
}

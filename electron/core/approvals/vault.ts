/**
 * The approval file and what the keychain holds for it (the key and the counter), taken together: what
 * of the file counts, and writing both in the one safe order. It decides nothing about subjects.
 */
import { randomBytes } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, type Result } from '../../../shared/result.js';
import { writeAtomic } from '../store/atomic.js';
import { withLock } from '../store/locks.js';
import type { Keychain } from './keychain.js';
import type { KeychainError } from './keychain-states.js';
import { newSigningKey, readSigningKey, type SigningKey } from './signing-key.js';
import {
  chainBeginning,
  checkFile,
  emptyFile,
  endOf,
  extend,
  fileText,
  passesThrough,
  type ChainPlace,
  type NewEntry,
  type StoreFile,
} from './store-file.js';

export const STORE_FILE = 'approvals.json';
const KEY_NAME = 'approval-key';
const COUNTER_NAME = 'approval-counter';

/** What a look at both came to. */
export type Opened =
  /** `file` is null where nothing was ever approved here; `publicKey` is null where there is no key yet. */
  | { readonly kind: 'good'; readonly file: StoreFile | null; readonly publicKey: string | null }
  /** The file is not what was written; `aside` is where it was put, null where it is gone. */
  | { readonly kind: 'bad'; readonly why: string; readonly aside: string | null }
  | { readonly kind: 'unchecked'; readonly error: KeychainError };

export interface VaultPlace {
  /** Of the state folder. */
  readonly dir: string;
  readonly id: string;
  readonly keychain: Keychain;
}

interface Secrets {
  readonly key: SigningKey;
  /** How far the keychain has counted. */
  readonly counted: ChainPlace;
}

/** Looks at file and keychain; what does not fit at once is looked at again while nobody writes, and then mended or set aside. */
export async function openVault(place: VaultPlace): Promise<Opened> {
  const quick = await look(place);
  return quick.kind === 'good' || quick.kind === 'unchecked' ? quick : inLock(place, () => settle(place));
}

/** Adds a record: file first, then the counter, so that a death in between is seen and can be mended. */
export async function addToVault(place: VaultPlace, added: NewEntry): Promise<Opened> {
  return inLock(place, async () => {
    const before = await settle(place);
    if (before.kind === 'unchecked') return before;
    const secrets = await readOrMakeSecrets(place);
    if (!secrets.ok) return { kind: 'unchecked', error: secrets.error };
    const { key, counted } = secrets.value;
    // After a file that failed, the chain goes on from where the keychain has counted to.
    const file = (before.kind === 'good' ? before.file : null) ?? emptyFile(place.id, counted, key);
    const next = extend(file, added, key);
    await writeAtomic(join(place.dir, STORE_FILE), fileText(next), { mode: 0o600 });
    // When this fails the file is one ahead, which the next look mends.
    await count(place, endOf(next));
    return { kind: 'good', file: next, publicKey: key.publicKey };
  });
}

async function inLock(place: VaultPlace, work: () => Promise<Opened>): Promise<Opened> {
  return withLock(place.dir, 'approvals', work);
}

type Look = Exclude<Opened, { kind: 'bad' }> | { readonly kind: 'odd'; readonly odd: Odd };
/** ahead: by one record, as after a death between the two writes. */
type Odd = { readonly what: 'ahead'; readonly file: StoreFile } | { readonly what: 'failed'; readonly why: string };

async function settle(place: VaultPlace): Promise<Opened> {
  const seen = await look(place);
  if (seen.kind !== 'odd') return seen;
  if (seen.odd.what === 'ahead') {
    const { file } = seen.odd;
    const counted = await count(place, endOf(file));
    return counted.ok
      ? { kind: 'good', file, publicKey: file.public_key }
      : { kind: 'unchecked', error: counted.error };
  }
  return { kind: 'bad', why: seen.odd.why, aside: await setAside(place) };
}

async function look(place: VaultPlace): Promise<Look> {
  const text = await readText(place);
  const secrets = await readSecrets(place);
  if (!secrets.ok) return { kind: 'unchecked', error: secrets.error };
  if (secrets.value === null) {
    if (text === null) return { kind: 'good', file: null, publicKey: null };
    return { kind: 'unchecked', error: keyIsGone(place) };
  }
  const { key, counted } = secrets.value;
  if (text === null) {
    if (counted.n === 0) return { kind: 'good', file: null, publicKey: key.publicKey };
    return failed(`it is gone, though ${counted.n} record(s) were written`);
  }
  const file = checkFile(text, place.id, key.publicKey);
  if (!file.ok) return failed(file.error);
  return compare(file.value, counted);
}

function failed(why: string): Look {
  return { kind: 'odd', odd: { what: 'failed', why } };
}

function compare(file: StoreFile, counted: ChainPlace): Look {
  const end = endOf(file);
  if (end.n < counted.n)
    return failed(`it is an older copy (${end.n} records, while ${counted.n} were written): a roll-back`);
  if (!passesThrough(file, counted) || end.n > counted.n + 1)
    return failed('it does not go on from what the keychain has counted');
  if (end.n === counted.n) return { kind: 'good', file, publicKey: file.public_key };
  return { kind: 'odd', odd: { what: 'ahead', file } };
}

function keyIsGone({ dir }: VaultPlace): KeychainError {
  const file = join(dir, STORE_FILE);
  return {
    state: 'refused',
    text:
      `The keychain is open but does not hold the key of ${file}, so what was approved cannot be checked (was the ` +
      'keyring made anew, or is this another one?). Open the right keyring; or, to begin anew, move that file away.',
  };
}

async function readText({ dir }: VaultPlace): Promise<string | null> {
  try {
    return await readFile(join(dir, STORE_FILE), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Null where the keychain is open and holds no key. */
async function readSecrets({ id, keychain }: VaultPlace): Promise<Result<Secrets | null, KeychainError>> {
  // The counter after the file was read: it can then only be too far for the file by another's write, never too short.
  const secret = await keychain.get(KEY_NAME);
  if (!secret.ok || secret.value === null) return secret.ok ? ok(null) : secret;
  const key = readSigningKey(secret.value);
  if (!key.ok) return fail(unusable(KEY_NAME, key.error));
  const counter = await keychain.get(COUNTER_NAME);
  if (!counter.ok) return counter;
  // A key without a counter: its maker died before the first count.
  if (counter.value === null) return ok({ key: key.value, counted: chainBeginning(id) });
  const counted = /^(\d{1,15}) (sha256:[0-9a-f]{64})$/.exec(counter.value);
  if (counted === null) return fail(unusable(COUNTER_NAME, 'it is no counter'));
  return ok({ key: key.value, counted: { n: Number(counted[1]), head: counted[2] ?? '' } });
}

function unusable(name: string, why: string): KeychainError {
  return {
    state: 'refused',
    text: `What the keychain holds as "sallyport …/${name}" cannot be used (${why}), so approvals cannot be checked. Somebody changed it; restore it, or remove the entries of Sallyport and move ${STORE_FILE} away to begin anew.`,
  };
}

/** Only in the lock, and only where no store file stands: a key is never made for records of another. */
async function readOrMakeSecrets(place: VaultPlace): Promise<Result<Secrets, KeychainError>> {
  const found = await readSecrets(place);
  if (!found.ok || found.value !== null) return found as Result<Secrets, KeychainError>;
  if ((await readText(place)) !== null) return fail(keyIsGone(place));
  const { key, secret } = newSigningKey();
  const kept = await place.keychain.set(KEY_NAME, secret);
  if (!kept.ok) return kept;
  const counted = chainBeginning(place.id);
  const begun = await count(place, counted);
  return begun.ok ? ok({ key, counted }) : begun;
}

async function count({ keychain }: VaultPlace, { n, head }: ChainPlace): Promise<Result<void, KeychainError>> {
  return keychain.set(COUNTER_NAME, `${n} ${head}`);
}

/** Puts a file that failed where nothing reads it, unharmed; null where there is none. */
async function setAside({ dir }: VaultPlace): Promise<string | null> {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const aside = join(dir, `approvals.failed-${stamp}-${randomBytes(3).toString('hex')}.json`);
  try {
    await rename(join(dir, STORE_FILE), aside);
    return aside;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

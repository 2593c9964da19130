/**
 * The form of `approvals.json`: a chain of signed records, each with the digest of the one before,
 * and a signature over the whole. Pure: it reads no file and asks no keychain.
 */
import { z } from 'zod';
import { canonicalJson } from '../../../shared/canonical-json.js';
import { APPROVAL_SUBJECTS } from '../../../shared/contracts/approval.js';
import { isJsonObject, type JsonObject } from '../../../shared/json.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { canonicalDigest } from './digests.js';
import { verifier, type SigningKey } from './signing-key.js';

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const entry = {
  n: z.int().min(1),
  kind: z.enum(APPROVAL_SUBJECTS),
  key: z.string(),
  user: z.string(),
  /** Unix seconds. */
  when: z.number(),
  surface: z.enum(['dialog', 'terminal', 'command']),
  previous: digest,
  signature: z.string(),
};
const approveSchema = z.strictObject({
  act: z.literal('approve'),
  ...entry,
  digest,
  title: z.string(),
  shown: z.custom<JsonObject>(isJsonObject),
  expires: z.number().nullable(),
});
const revokeSchema = z.strictObject({
  act: z.literal('revoke'),
  ...entry,
  /** Null: every digest of the key. */
  digest: digest.nullable(),
});
const entrySchema = z.discriminatedUnion('act', [approveSchema, revokeSchema]);
const fileSchema = z.strictObject({
  schema_version: z.literal(1),
  state: z.string(),
  public_key: z.string(),
  /** Where the chain begins: after the beginning of all, or after what was lost. */
  base: z.strictObject({ n: z.int().min(0), head: digest }),
  records: z.array(entrySchema),
  signature: z.string(),
});

export type StoreEntry = z.infer<typeof entrySchema>;
export type StoreFile = z.infer<typeof fileSchema>;
type Unsigned<T> = T extends unknown ? Omit<T, 'n' | 'previous' | 'signature'> : never;
/** What a writer has to say; its place in the chain and its signature are added. */
export type NewEntry = Unsigned<StoreEntry>;

/** A place in the chain: how many records there are up to it, and the digest of the last one. */
export interface ChainPlace {
  readonly n: number;
  readonly head: string;
}

/** The place before the first record of a state folder. */
export function chainBeginning(state: string): ChainPlace {
  return { n: 0, head: digestOf({ begins: 'sallyport approvals', state }) };
}

/** Where a file's chain ends. */
export function endOf({ base, records }: StoreFile): ChainPlace {
  const last = records.at(-1);
  return last === undefined ? base : { n: last.n, head: digestOf(last) };
}

/** Whether a place is one of this file's chain. */
export function passesThrough(file: StoreFile, place: ChainPlace): boolean {
  if (place.n === file.base.n) return place.head === file.base.head;
  const at = file.records[place.n - file.base.n - 1];
  return at !== undefined && digestOf(at) === place.head;
}

/** A file without records that goes on from a place. */
export function emptyFile(state: string, base: ChainPlace, key: SigningKey): StoreFile {
  return seal({ schema_version: 1, state, public_key: key.publicKey, base: { ...base }, records: [] }, key);
}

/** The file with one record more. */
export function extend(file: StoreFile, added: NewEntry, key: SigningKey): StoreFile {
  const end = endOf(file);
  const unsigned = { ...added, n: end.n + 1, previous: end.head };
  const signed = { ...unsigned, signature: key.sign(recordContent(file.state, unsigned)) };
  const { signature: _, ...rest } = file;
  return seal({ ...rest, public_key: key.publicKey, records: [...file.records, signed] }, key);
}

function seal(file: Omit<StoreFile, 'signature'>, key: SigningKey): StoreFile {
  const end = endOf({ ...file, signature: '' });
  return { ...file, signature: key.sign(sequenceContent(file, end)) };
}

/** What a record's signature is over; the word before it keeps one kind of signature from passing for another. */
function recordContent(state: string, record: object): object {
  return { signs: 'sallyport approval record', state, record };
}

function sequenceContent(file: Pick<StoreFile, 'state' | 'public_key' | 'base'>, end: ChainPlace): object {
  const { state, public_key, base } = file;
  return { signs: 'sallyport approval sequence', state, public_key, base, end };
}

/** The text of a file. */
export function fileText(file: StoreFile): string {
  return `${JSON.stringify(file, null, 1)}\n`;
}

const DAMAGED = 'it is damaged or was not written by Sallyport';

/** Checks everything that a file alone can be checked for; the error says what is wrong, for a person. */
export function checkFile(text: string, state: string, publicKey: string): Result<StoreFile, string> {
  const json = parseJson(text);
  // What has no canonical form cannot be hashed, and was never written by us.
  if (!canonicalJson(json).ok) return fail(DAMAGED);
  const parsed = fileSchema.safeParse(json);
  return parsed.success ? checkChain(parsed.data, state, publicKey) : fail(DAMAGED);
}

function checkChain(file: StoreFile, state: string, publicKey: string): Result<StoreFile, string> {
  if (file.state !== state) return fail('it belongs to another state folder');
  if (file.public_key !== publicKey) return fail('it names another key than the one in the keychain');
  const holds = verifier(publicKey);
  let before: ChainPlace = file.base;
  for (const record of file.records) {
    const { signature, ...content } = record;
    if (record.n !== before.n + 1 || record.previous !== before.head)
      return fail(`record ${record.n} does not follow the one before it: records were dropped, added or reordered`);
    if (!holds(recordContent(state, content), signature)) return fail(`record ${record.n} was changed`);
    before = { n: record.n, head: digestOf(record) };
  }
  return holds(sequenceContent(file, before), file.signature)
    ? ok(file)
    : fail('the signature over all records does not hold: records at its end were dropped or added');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function digestOf(value: object): string {
  const made = canonicalDigest(value);
  if (!made.ok) throw new Error(`a record has no canonical form: ${made.error}`);
  return made.value;
}

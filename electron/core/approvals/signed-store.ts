/**
 * Approvals that last: signed records in the state folder, with the key and a counter in the keychain.
 * While the keychain is away nothing of the file counts and nothing is written: a yes then lasts as
 * long as this process, and `status` says why. It asks nobody; whoever calls `approve` has a yes.
 */
import { stat, readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fail, ok, type Result } from '../../../shared/result.js';
import { createBook, isInForce, nameOf, recordOf } from './book.js';
import type { Keychain } from './keychain.js';
import { createMemoryApprovals } from './memory-store.js';
import type { ApprovalRecord, ApprovalStore, ApprovalVoice, StoreStatus } from './store.js';
import { checkFile, endOf, passesThrough, type NewEntry, type StoreFile } from './store-file.js';
import { addToVault, openVault, STORE_FILE, type Opened } from './vault.js';

export interface SignedStoreOptions {
  readonly state: { readonly dir: string; readonly id: string };
  readonly keychain: Keychain;
  /** Unix seconds. */
  readonly now?: () => number;
  /** Where a person takes something back here. */
  readonly surface?: ApprovalVoice['surface'];
}

export interface SignedApprovals extends ApprovalStore {
  /** Asks the keychain anew, as after it was unlocked; yeses of this process alone stay as they are. */
  readonly reopen: () => Promise<void>;
}

/** Begins to open the store at once; `refresh` waits until it is open, and until then nothing is approved. */
export function createSignedApprovals(options: SignedStoreOptions): SignedApprovals {
  const { state, keychain, surface = 'command' } = options;
  const now = options.now ?? (() => Date.now() / 1_000);
  const place = { dir: state.dir, id: state.id, keychain };
  const memory = createMemoryApprovals(now);
  let view = viewOf(null);
  let publicKey: string | null = null;
  /** The view was checked against the keychain once; after that the file can be followed without it. */
  let checked = false;
  let stamp = '';
  /** Subjects that this process ever saw approved. A guard among them that is not approved any more has failed. */
  const ever = new Set<string>();
  /** What was kept could not be believed, so any subject may have been approved. */
  let failedOnce = false;
  let status: StoreStatus = { state: 'hanging', text: 'The keychain has not answered yet.' };

  const take = (opened: Opened, stampBefore: string): void => {
    status = statusOf(opened, status, checked);
    if (opened.kind === 'unchecked') return;
    checked = opened.kind === 'good';
    view = viewOf(opened.kind === 'good' ? opened.file : null);
    for (const name of view.lastShown.keys()) ever.add(name);
    failedOnce ||= opened.kind === 'bad';
    publicKey = opened.kind === 'good' ? opened.publicKey : null;
    stamp = stampBefore;
  };
  const guarded = async (work: () => Promise<Opened>): Promise<Opened> => {
    try {
      return await work();
    } catch (error) {
      return { kind: 'unchecked', error: { state: 'refused', text: unusable(state.dir, error) } };
    }
  };
  let last: Promise<void> = Promise.resolve();
  /** Openings and writings one after the other, so that an older look never stands over a newer one. */
  const inTurn = (work: () => Promise<Opened>, stampBefore: () => Promise<string>): Promise<boolean> => {
    const next = last.then(async () => {
      const before = await stampBefore();
      const opened = await guarded(work);
      take(opened, before);
      return opened.kind === 'good';
    });
    last = next.then(() => undefined);
    return next;
  };
  const reopen = async (): Promise<void> => {
    await inTurn(
      () => openVault(place),
      () => stampOf(state.dir),
    );
  };
  let opening = reopen();

  const refresh = async () => {
    await opening;
    if (!checked) return;
    const seen = await stampOf(state.dir);
    if (seen === stamp) return;
    if (publicKey === null) {
      // Another process made the first key. A boundary does not wait for the keychain.
      stamp = seen;
      void reopen();
      return;
    }
    const before = { view, status };
    const next = await readAgain(place, publicKey, view.file);
    // Whoever was quicker knows better; the next boundary looks again.
    if (view !== before.view) return;
    // What fails is set aside at the next opening or writing, in the lock; a boundary does not wait for that either.
    take(next.ok ? { kind: 'good', file: next.value, publicKey } : { kind: 'bad', why: next.error, aside: null }, seen);
    // That the file is good says nothing of a keychain that is away.
    if (next.ok && before.status.state !== 'ready') status = before.status;
  };
  const add = async (entry: NewEntry): Promise<boolean> => {
    await opening;
    if (status.state !== 'ready' && status.state !== 'failed-check') return false;
    // No stamp: another process may write after us, so the next boundary reads once.
    return inTurn(
      () => addToVault(place, entry),
      () => Promise.resolve(''),
    );
  };
  const records = () => [...view.records, ...memory.records()].filter((record) => isInForce(record, now()));

  return {
    ...createBook({
      recordsOf: (name) => [...view.records, ...memory.records()].filter((record) => nameOf(record) === nameOf(name)),
      wasApproved: (name) => failedOnce || ever.has(nameOf(name)),
      now,
    }),
    approve: async (subject, shownDigest, voice) => {
      const record = recordOf(subject, shownDigest, voice, 'signed');
      if (!record.ok) return record;
      const { kept: _, ...said } = record.value;
      if (await add({ act: 'approve', ...said })) return ok(record.value);
      return memory.approve(subject, shownDigest, voice);
    },
    approveForNow: memory.approve,
    revoke: async (kind, key, digest) => {
      const gone = await memory.revoke(kind, key, digest);
      const kept = view.records.filter(
        (record) => record.kind === kind && record.key === key && (digest ?? record.digest) === record.digest,
      );
      if (kept.length === 0) return gone;
      const { username } = userInfo();
      await add({ act: 'revoke', kind, key, digest: digest ?? null, user: username, when: now(), surface });
      // Also where it could not be written: in this process it is over.
      view = { ...view, records: view.records.filter((record) => !kept.includes(record)) };
      return gone + kept.length;
    },
    refresh,
    reopen: () => (opening = reopen()),
    records,
    lastShown: (kind, key) => view.lastShown.get(nameOf({ kind, key }))?.shown ?? memory.lastShown(kind, key),
    status: () => status,
  };
}

/** What a file says, ready to be asked. */
interface View {
  readonly file: StoreFile | null;
  /** Not taken back. */
  readonly records: readonly ApprovalRecord[];
  /** The last yes to each subject that ever had one. */
  readonly lastShown: ReadonlyMap<string, ApprovalRecord>;
}

function viewOf(file: StoreFile | null): View {
  let records: readonly ApprovalRecord[] = [];
  const lastShown = new Map<string, ApprovalRecord>();
  for (const entry of file?.records ?? []) {
    const name = nameOf(entry);
    const isMeant = (one: ApprovalRecord) =>
      nameOf(one) === name && (entry.digest === null || one.digest === entry.digest);
    records = records.filter((one) => !isMeant(one));
    if (entry.act === 'revoke') continue;
    const { act: _act, n: _n, previous: _previous, signature: _signature, ...said } = entry;
    const record: ApprovalRecord = { ...said, kept: 'signed' };
    records = [...records, record];
    lastShown.set(name, record);
  }
  return { file, records, lastShown };
}

/**
 * The file as another process left it, checked without the keychain: it must go on from what this
 * process saw.
 */
async function readAgain(
  { dir, id }: { readonly dir: string; readonly id: string },
  publicKey: string,
  known: StoreFile | null,
): Promise<Result<StoreFile, string>> {
  let text: string;
  try {
    text = await readFile(join(dir, STORE_FILE), 'utf8');
  } catch {
    return fail('it is gone or cannot be read');
  }
  const file = checkFile(text, id, publicKey);
  if (file.ok && known !== null && !passesThrough(file.value, endOf(known)))
    return fail('it does not go on from what it was: an older copy, or another one');
  return file;
}

/** Tells one state of the file from another without reading it. */
async function stampOf(dir: string): Promise<string> {
  try {
    const at = await stat(join(dir, STORE_FILE), { bigint: true });
    return [at.dev, at.ino, at.size, at.mtimeNs, at.ctimeNs].join(' ');
  } catch {
    return 'none';
  }
}

function unusable(dir: string, error: unknown): string {
  const what = error instanceof Error ? error.message : String(error);
  return `The approvals in ${join(dir, STORE_FILE)} cannot be read or written (${what}), so they do not count. Mend that, then try again.`;
}

function statusOf(opened: Opened, before: StoreStatus, checked: boolean): StoreStatus {
  switch (opened.kind) {
    case 'good': {
      const { n } = opened.file === null ? { n: 0 } : endOf(opened.file);
      const again = before.state === 'failed-check' ? ' It was begun anew after the last one failed its check.' : '';
      return { state: 'ready', text: `Approvals are kept, signed (${n} record(s)).${again}` };
    }
    case 'bad': {
      const where = opened.aside === null ? '' : ` The file was set aside unharmed: ${opened.aside}.`;
      return {
        state: 'failed-check',
        text: `The approvals that were kept failed their check: ${opened.why}. None of them counts; approve again what should run.${where}`,
      };
    }
    case 'unchecked':
      return {
        state: opened.error.state,
        text: checked
          ? `${opened.error.text} What was approved before still counts here; a new approval lasts as long as this process.`
          : `${opened.error.text} Until then nothing that was approved before can be checked, and a new approval lasts as long as this process.`,
      };
  }
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';

/** The locks of a state folder, in the one order in which they may be taken. */
export const LOCK_ORDER = ['registry', 'approvals', 'receipts', 'index'] as const;
export type LockName = (typeof LOCK_ORDER)[number];

/** A lock that nobody renewed for this long belonged to a process that is gone, in milliseconds. */
const STALE_MS = 5_000;
const RENEW_MS = 1_000;
/** Longest wait between two tries, and number of tries: half a minute together, so a dead owner is outlived. */
const TRY_MS = 200;
const TRIES = 150;

interface Held {
  readonly name: LockName;
  released: boolean;
}

const heldHere = new AsyncLocalStorage<readonly Held[]>();

/**
 * Does something while this process alone holds the named lock of a state folder. A lock that a dead
 * process left behind is taken over. Taking locks out of their order, or one twice, is a bug and throws
 * at once, before it can become a deadlock. Throws too when the lock cannot be had within half a minute,
 * or was lost meanwhile (the machine slept): then what was done may have met another's work.
 */
export async function withLock<T>(stateDir: string, name: LockName, work: () => Promise<T>): Promise<T> {
  const held = (heldHere.getStore() ?? []).filter((one) => !one.released);
  assertInOrder(name, held);
  const folder = join(stateDir, 'locks');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let lost: Error | null = null;
  const release = await takeLock(join(folder, name), (error) => {
    lost = error;
  });
  const mine: Held = { name, released: false };
  try {
    const result = await heldHere.run([...held, mine], work);
    throwIfLost(name, lost);
    return result;
  } finally {
    // What was begun inside and lives on does not hold the lock any more.
    mine.released = true;
    if (lost === null) await release();
  }
}

function assertInOrder(name: LockName, held: readonly Held[]): void {
  const later = held.find((one) => LOCK_ORDER.indexOf(one.name) >= LOCK_ORDER.indexOf(name));
  if (later === undefined) return;
  throw new Error(
    `the lock "${name}" may not be taken while "${later.name}" is held (order: ${LOCK_ORDER.join(', ')})`,
  );
}

async function takeLock(file: string, onLost: (error: Error) => void): Promise<() => Promise<void>> {
  try {
    return await lock(file, {
      realpath: false,
      stale: STALE_MS,
      update: RENEW_MS,
      retries: { retries: TRIES, minTimeout: 10, maxTimeout: TRY_MS, factor: 1.5 },
      onCompromised: onLost,
    });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ELOCKED')) throw error;
    throw new Error(
      `another Sallyport has held the lock ${file} for half a minute, so nothing was changed; end that process, or wait for it`,
      { cause: error },
    );
  }
}

function throwIfLost(name: LockName, lost: Error | null): void {
  if (lost === null) return;
  throw new Error(
    `the lock "${name}" was lost while it was held (${lost.message}); another process may have changed the same files`,
    { cause: lost },
  );
}

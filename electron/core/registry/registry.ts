/**
 * The registry: hook documents on disk and in memory, as one snapshot that is always whole.
 * A file that breaks leaves its last good content in force; nothing is parsed when nothing changed.
 * It decides nothing about events, approvals or agents, and writes nothing (add-hook.ts does).
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { PROFILE_NAME } from '../../../shared/contracts/profile.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import { parseDocument, type DocumentFault, type DocumentPlace } from './document.js';
import { readDocumentFile, stampOf } from './read-document.js';
import { createSnapshot, type Snapshot } from './snapshot.js';

/** A document that lives in memory for one run only. */
export interface SessionDocument {
  /** What to call it in faults, for example the file it was read from. */
  readonly label: string;
  readonly bytes: Uint8Array;
}

export interface RegistryOptions {
  readonly stateDir: string;
  /** Null: only the global hooks. */
  readonly profile: string | null;
  readonly sessionDocuments: readonly SessionDocument[];
  /** Defaults to this process's platform; decides whether globs of paths tell cases apart. */
  readonly platform?: NodeJS.Platform;
}

/** What changed between two snapshots; hooks by key. */
export interface RegistryChange {
  readonly previous: string;
  readonly next: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** All faults of the files as they are now. */
  readonly faults: readonly DocumentFault[];
}

export interface RegistryKeeper {
  /** The snapshot for the boundary that is met now. */
  current(): Snapshot;
}

/** Path of the document of a profile, or of the global one for null. Throws on a name that is no profile's. */
export function documentFile(stateDir: string, profile: string | null): string {
  if (profile === null) return join(stateDir, 'hooks', 'global.json');
  if (!PROFILE_NAME.test(profile)) throw new Error(`${JSON.stringify(profile)} is no profile name`);
  return join(stateDir, 'hooks', 'profiles', `${profile}.json`);
}

/** Reads the registry once. A launch must refuse a snapshot that has faults. */
export function loadRegistry(options: RegistryOptions): Snapshot {
  return createRegistryKeeper(options, () => undefined).current();
}

/** Keeps the registry of one run; `onChange` hears of each change of content or of faults after the first load. */
export function createRegistryKeeper(
  options: RegistryOptions,
  onChange: (change: RegistryChange) => void,
): RegistryKeeper {
  const { stateDir, profile } = options;
  const platform = options.platform ?? process.platform;
  const ignoreCase = platform === 'win32' || platform === 'darwin';
  const files = [createKeptFile(documentFile(stateDir, null), { scope: 'global' })];
  if (profile !== null) files.push(createKeptFile(documentFile(stateDir, profile), { scope: 'profile', profile }));
  const session = readSessionDocuments(options.sessionDocuments);
  let snapshot: Snapshot | null = null;
  return {
    current: () => {
      const moved = files.filter(refresh).length > 0;
      if (snapshot !== null && !moved) return snapshot;
      const previous = snapshot;
      snapshot = createSnapshot({
        hooks: [...files.flatMap((file) => file.good ?? []), ...session.hooks],
        faults: [...files.flatMap((file) => file.faults), ...session.faults],
        broken: [...files.filter((file) => file.good === null).map((file) => file.path), ...session.broken],
        ignoreCase,
      });
      if (previous !== null) report(previous, snapshot, onChange);
      return snapshot;
    },
  };
}

function report(previous: Snapshot, next: Snapshot, onChange: (change: RegistryChange) => void): void {
  const before = new Map(previous.hooks.map((hook) => [hook.key, JSON.stringify(hook.document)]));
  const after = new Map(next.hooks.map((hook) => [hook.key, JSON.stringify(hook.document)]));
  const faultsMoved = JSON.stringify(previous.faults) !== JSON.stringify(next.faults);
  if (previous.version === next.version && !faultsMoved) return;
  onChange({
    previous: previous.version,
    next: next.version,
    added: [...after.keys()].filter((key) => !before.has(key)),
    removed: [...before.keys()].filter((key) => !after.has(key)),
    changed: [...after].filter(([key, text]) => before.has(key) && before.get(key) !== text).map(([key]) => key),
    faults: next.faults,
  });
}

interface KeptFile {
  readonly path: string;
  readonly place: DocumentPlace;
  /** Stamp of what was last read; null when that has to be read again. */
  stamp: string | null;
  /** SHA-256 of the bytes that `good` or `faults` come from. */
  digest: string | null;
  /** The last content that was whole; null before there was any. A missing file is whole and empty. */
  good: readonly ResolvedHook[] | null;
  faults: readonly DocumentFault[];
}

const ABSENT = 'absent';

function createKeptFile(path: string, place: DocumentPlace): KeptFile {
  return { path, place, stamp: null, digest: null, good: null, faults: [] };
}

/** Looks at a file again; true when its content or its faults may have changed. */
function refresh(file: KeptFile): boolean {
  const stamp = stampOf(file.path);
  if (stamp.ok && file.stamp !== null && file.stamp === (stamp.value?.stamp ?? ABSENT)) return false;
  const read = stamp.ok ? readDocumentFile(file.path) : stamp;
  if (!read.ok) return settle(file, null, null, [{ ...WHOLE_FILE, file: file.path, message: read.error }]);
  if (read.value === null) return settle(file, ABSENT, null, [], []);
  const digest = createHash('sha256').update(read.value.bytes).digest('hex');
  const known = read.value.settled ? read.value.stamp : null;
  if (digest === file.digest) {
    file.stamp = known;
    return false;
  }
  const parsed = parseDocument(read.value.bytes, file.path, file.place, file.path);
  if (parsed.ok) return settle(file, known, digest, [], parsed.value.hooks);
  return settle(file, known, digest, parsed.error);
}

const WHOLE_FILE = { path: '', line: 1, column: 1 } as const;

function settle(
  file: KeptFile,
  stamp: string | null,
  digest: string | null,
  faults: readonly DocumentFault[],
  good?: readonly ResolvedHook[],
): boolean {
  // A file that cannot be read is looked at again each time; the same answer is no news.
  const news = good !== undefined || JSON.stringify(faults) !== JSON.stringify(file.faults);
  file.stamp = stamp;
  file.digest = digest;
  file.faults = faults;
  if (good !== undefined) file.good = good;
  return news;
}

interface SessionHooks {
  readonly hooks: readonly ResolvedHook[];
  readonly faults: readonly DocumentFault[];
  readonly broken: readonly string[];
}

/** Documents of a run are all of one scope, so their ids must differ across documents too. */
function readSessionDocuments(documents: readonly SessionDocument[]): SessionHooks {
  const hooks = new Map<string, { readonly hook: ResolvedHook; readonly label: string }>();
  const faults: DocumentFault[] = [];
  const broken = new Set<string>();
  for (const { label, bytes } of documents) {
    const parsed = parseDocument(bytes, label, { scope: 'session' }, null);
    if (!parsed.ok) {
      faults.push(...parsed.error);
      broken.add(label);
      continue;
    }
    for (const [index, hook] of parsed.value.hooks.entries()) {
      const first = hooks.get(hook.key);
      if (first === undefined) {
        hooks.set(hook.key, { hook, label });
        continue;
      }
      const path = parsed.value.form === 'single' ? 'id' : `hooks[${index}].id`;
      const message = `${JSON.stringify(hook.id)} is already the id of a hook in ${first.label}; ids are unique within a scope`;
      faults.push({ ...WHOLE_FILE, file: label, path, message });
      broken.add(label);
    }
  }
  return { hooks: [...hooks.values()].map(({ hook }) => hook), faults, broken: [...broken] };
}

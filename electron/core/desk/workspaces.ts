import { createHash } from 'node:crypto';
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkspaceView } from '../../../shared/bridge/views.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { DeskMemory } from './desk-memory.js';
import type { JsonFile } from './json-file.js';

/** A folder that was offered, as a run would use it. */
export interface OfferedWorkspace {
  /** Canonical path. */
  readonly path: string;
  /** A folder that the desk made for practice. */
  readonly practice: boolean;
}

export interface Workspaces {
  /** Takes a folder that a person chose; throws when it is none. */
  readonly offer: (path: string) => Promise<WorkspaceView>;
  readonly recent: () => Promise<WorkspaceView[]>;
  readonly practice: () => Promise<WorkspaceView>;
  /** The folder behind an id that was given out; an error for any other id, and for a folder that is gone. */
  readonly find: (id: string) => Promise<Result<OfferedWorkspace, string>>;
  /** Removes the folders that were made for practice. */
  readonly close: () => Promise<void>;
}

const MOST_RECENT = 12;

/** Workspaces by ids: the window names no path. */
export function createWorkspaces(memory: JsonFile<DeskMemory>): Workspaces {
  const practice = new Map<string, string>();
  const known = async (id: string): Promise<OfferedWorkspace | null> => {
    const made = practice.get(id);
    if (made !== undefined) return { path: made, practice: true };
    const chosen = (await memory.get()).workspaces.find((path) => idOf(path) === id);
    return chosen === undefined ? null : { path: chosen, practice: false };
  };
  return {
    offer: async (path) => {
      const real = await realpath(path);
      if (!(await isFolder(real))) throw new Error(`${real} is no folder`);
      await memory.set((now) => ({
        ...now,
        workspaces: [real, ...now.workspaces.filter((other) => other !== real)].slice(0, MOST_RECENT),
      }));
      return viewOf(real);
    },
    recent: async () => {
      const { workspaces } = await memory.get();
      const there = await Promise.all(workspaces.map(isFolder));
      return workspaces.filter((_, index) => there[index]).map(viewOf);
    },
    practice: async () => {
      const path = await realpath(await mkdtemp(join(tmpdir(), 'sallyport-practice-')));
      practice.set(idOf(path), path);
      return viewOf(path);
    },
    find: async (id) => {
      const found = await known(id);
      if (found === null) return fail('This workspace is not known here. Choose its folder again.');
      const real = await realpath(found.path).catch(() => null);
      if (real === found.path && (await isFolder(real))) return ok(found);
      return fail(`The folder ${found.path} is not there any more, or leads somewhere else now. Choose it again.`);
    },
    close: async () => {
      await Promise.all([...practice.values()].map((path) => rm(path, { recursive: true, force: true })));
      practice.clear();
    },
  };
}

function viewOf(path: string): WorkspaceView {
  return { id: idOf(path), path };
}

function idOf(path: string): string {
  return `ws_${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

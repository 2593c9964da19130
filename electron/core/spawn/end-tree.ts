/**
 * Ends a tree of processes: the group, all descendants, and whatever carries the tree's marks in its
 * environment, until nothing of it is left. Never touches process 1, ourselves or a process above us.
 * The hole: a process that cleared its environment, changed its session and lost its parent before
 * the first look is not found.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ancestry, listProcesses, readEnviron, readProcess, type ProcessEntry } from './process-table.js';
import type { EndSignal } from './request.js';

/** A tree that can be ended. Remembers what it saw, so that a child whose parent died meanwhile still counts. */
export interface ProcessTree {
  /** Leader of the group; null for a tree that is known by its marks alone. */
  readonly pid: number | null;
  readonly startTime: string | null;
  /** `NAME=value` entries; one of them in the environment makes a process a member. */
  readonly marks: readonly string[];
  /** Start times by pid. */
  readonly known: Map<number, string>;
}

/** A tree from its leader, to be called while the leader lives (or null for marks alone). */
export function processTree(pid: number | null, marks: readonly string[]): ProcessTree {
  return { pid, startTime: pid === null ? null : (readProcess(pid)?.startTime ?? null), marks, known: new Map() };
}

const KILL_ROUNDS = 40;
const STOP_ROUNDS = 10;

/**
 * Sends the signals in order with `graceMs` milliseconds between them, then SIGKILL, and settles
 * with the pids that are still there (none, but for processes that may not be signalled).
 */
export async function endTree(
  tree: ProcessTree,
  signals: readonly EndSignal[],
  graceMs: number,
): Promise<readonly number[]> {
  for (const signal of signals) {
    if (signal !== 'SIGKILL' && (await signalAndWait(tree, signal, graceMs))) return [];
  }
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    if (killOnce(tree) === 0) return [];
    await sleep(Math.min(5 * (round + 1), 50));
  }
  return findMembers(tree).map((entry) => entry.pid);
}

/** The same at once and without waiting, for the moment in which this process itself ends. */
export function killTreeNow(tree: ProcessTree): void {
  for (let round = 0; round < 3; round += 1) if (killOnce(tree) === 0) return;
}

/** True when the tree was gone before the grace was over. */
async function signalAndWait(tree: ProcessTree, signal: EndSignal, graceMs: number): Promise<boolean> {
  const deadline = performance.now() + graceMs;
  const told = new Set<string>();
  for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
    const members = findMembers(tree);
    if (members.length === 0) return true;
    for (const member of members) {
      const name = `${member.pid} ${member.startTime}`;
      if (!told.has(name)) send(member.pid, signal);
      told.add(name);
    }
    if (performance.now() >= deadline) return false;
    await sleep(Math.min(pause, Math.max(1, deadline - performance.now())));
  }
}

/** Stops every member first, so that none can fork while the others are killed. Returns how many there were. */
function killOnce(tree: ProcessTree): number {
  let members = findMembers(tree);
  for (let round = 0; round < STOP_ROUNDS; round += 1) {
    for (const member of members) send(member.pid, 'SIGSTOP');
    const again = findMembers(tree);
    const grown = again.some((entry) => !members.some((member) => member.pid === entry.pid));
    members = again;
    if (!grown) break;
  }
  for (const member of members) send(member.pid, 'SIGKILL');
  return members.length;
}

function findMembers(tree: ProcessTree): readonly ProcessEntry[] {
  const all = listProcesses();
  if (all.length === 0) return groupOnly(tree);
  const spared = new Set([1, ...ancestry()]);
  const members = new Map<number, ProcessEntry>();
  const take = (entry: ProcessEntry) => {
    if (!spared.has(entry.pid)) members.set(entry.pid, entry);
  };
  const inGroup = groupTest(tree, all);
  for (const entry of all) {
    if (tree.known.get(entry.pid) === entry.startTime || inGroup(entry) || carriesMark(tree, entry)) take(entry);
  }
  addDescendants(all, members, take);
  for (const entry of members.values()) tree.known.set(entry.pid, entry.startTime);
  return [...members.values()].filter((entry) => !entry.zombie);
}

/** Membership by group or session, void once the leader's number belongs to another process. */
function groupTest(tree: ProcessTree, all: readonly ProcessEntry[]): (entry: ProcessEntry) => boolean {
  const { pid, startTime } = tree;
  if (pid === null || pid <= 1) return () => false;
  const leader = all.find((entry) => entry.pid === pid);
  if (leader !== undefined && leader.startTime !== startTime) return () => false;
  return (entry) => entry.group === pid || entry.session === pid;
}

function carriesMark(tree: ProcessTree, entry: ProcessEntry): boolean {
  if (tree.marks.length === 0 || entry.zombie) return false;
  const environ = readEnviron(entry.pid);
  return tree.marks.some((mark) => environ.includes(mark));
}

function addDescendants(
  all: readonly ProcessEntry[],
  members: ReadonlyMap<number, ProcessEntry>,
  take: (entry: ProcessEntry) => void,
): void {
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const entry of all) if (members.has(entry.ppid) && !members.has(entry.pid)) take(entry);
  }
}

/** Without a process table (macOS; not run): the group as one member, addressed by its negative number. */
function groupOnly(tree: ProcessTree): readonly ProcessEntry[] {
  if (tree.pid === null || tree.pid <= 1 || process.platform === 'win32') return [];
  try {
    process.kill(-tree.pid, 0);
  } catch {
    return [];
  }
  return [{ pid: -tree.pid, ppid: 0, group: tree.pid, session: tree.pid, startTime: '', zombie: false }];
}

function send(pid: number, signal: EndSignal | 'SIGSTOP'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone, or not ours to signal; the next look tells which.
  }
}

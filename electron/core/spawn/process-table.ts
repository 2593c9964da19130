/**
 * Reads the table of processes (Linux: /proc). Only reads; whoever ends a process does so in end-tree.ts.
 * On systems without /proc the table is empty and callers fall back to process groups (not run there).
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot, as text; with the pid it names one process for ever. */
  readonly startTime: string;
  /** Ended but not yet collected by its parent. */
  readonly zombie: boolean;
}

/** One process, or null when there is none. */
export function readProcess(pid: number): ProcessEntry | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The name in parentheses may itself hold spaces and parentheses: fields count from the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, ppid, group, session] = fields;
  const startTime = fields[19];
  if (startTime === undefined) return null;
  return {
    pid,
    ppid: Number(ppid),
    group: Number(group),
    session: Number(session),
    startTime,
    zombie: state === 'Z' || state === 'X',
  };
}

/** All processes that can be seen. */
export function listProcesses(): readonly ProcessEntry[] {
  let names: readonly string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  const entries: ProcessEntry[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    const entry = readProcess(Number(name));
    if (entry !== null) entries.push(entry);
  }
  return entries;
}

/** The environment that a process was started with, as `NAME=value` texts; empty when it may not be read. */
export function readEnviron(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

/** Ourselves and every process above us, nearest first. */
export function ancestry(): readonly number[] {
  const chain: number[] = [];
  for (let pid = process.pid; pid > 0 && !chain.includes(pid);) {
    chain.push(pid);
    pid = readProcess(pid)?.ppid ?? 0;
  }
  return chain;
}

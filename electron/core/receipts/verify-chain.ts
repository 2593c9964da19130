/** Whether a chain is whole, from its lines alone: damage, order, links, signatures, what is missing. It reads no file. */
import { setImmediate as breath } from 'node:timers/promises';
import { CHAIN_END_PREDICATE } from '../../../shared/contracts/receipt-statement.js';
import { readEntry, type ChainEntry } from './chain-file.js';
import { checkSignature } from './dsse.js';
import type { ChainHead } from './receipt-keys.js';

export interface ChainCheckInput {
  /** With their ends; the last one may have none. */
  readonly lines: readonly string[];
  /** Base64 of DER (SPKI). */
  readonly publicKey: string;
  /** Null where it is not known how far the chain goes. */
  readonly head: ChainHead | null;
}

export interface ChainCheck {
  /** What is wrong, in words; empty for a chain that is whole as far as it was checked. */
  readonly faults: readonly ChainFault[];
  /** What is worth knowing and is no fault. */
  readonly notes: readonly string[];
  readonly entries: readonly ChainEntry[];
}

export interface ChainFault {
  /** Of the receipts that it is about; empty where that is not known. */
  readonly sequences: readonly number[];
  readonly text: string;
}

/** Most receipts that a list names one by one. */
const NAMED = 10;
/** Lines that are checked before others get their turn: in the app that is the thread of the gate. */
const AT_ONCE = 10;

/** Checks a chain. Nothing is checked twice: a line that is damaged is missing too, and both are said. */
export async function checkChain({ lines, publicKey, head }: ChainCheckInput): Promise<ChainCheck> {
  const faults: ChainFault[] = [];
  const notes: string[] = [];
  const entries: ChainEntry[] = [];
  for (const [index, line] of lines.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await breath();
    const entry = line.endsWith('\n') ? readEntry(line) : null;
    if (entry !== null) {
      entries.push(entry);
      faults.push(...signatureFaults(entry, publicKey));
    } else faults.push({ sequences: [], text: `line ${index + 1} is damaged: ${damageOf(line)}` });
  }
  faults.push(...orderFaults(entries), ...linkFaults(entries));
  const last = Math.max(0, ...entries.map((entry) => entry.sequence));
  faults.push(...missingFaults(entries, Math.max(last, head?.n ?? 0)));
  if (head === null)
    notes.push(
      `tail not checked: it is not known how many receipts there are, so ones after receipt ${last} may be missing`,
    );
  else faults.push(...headFaults(entries, head, last, notes));
  faults.push(...endFaults(entries));
  return { faults, notes, entries };
}

function damageOf(line: string): string {
  return line.endsWith('\n') ? 'it is no receipt' : 'it is cut off, and so no receipt';
}

function signatureFaults({ envelope, sequence }: ChainEntry, publicKey: string): ChainFault[] {
  const checked = checkSignature(envelope, publicKey);
  return checked.ok ? [] : [{ sequences: [sequence], text: `receipt ${sequence}: ${checked.error}` }];
}

/** A receipt that stands after one of a higher number, or twice. */
function orderFaults(entries: readonly ChainEntry[]): ChainFault[] {
  const faults: ChainFault[] = [];
  const seen = new Set<number>();
  let highest = 0;
  for (const { sequence } of entries) {
    if (seen.has(sequence)) faults.push({ sequences: [sequence], text: `receipt ${sequence} stands there twice` });
    else if (sequence < highest)
      faults.push({ sequences: [sequence], text: `order wrong: receipt ${sequence} stands after receipt ${highest}` });
    seen.add(sequence);
    highest = Math.max(highest, sequence);
  }
  return faults;
}

function linkFaults(entries: readonly ChainEntry[]): ChainFault[] {
  const byNumber = new Map(entries.map((entry) => [entry.sequence, entry]));
  const faults: ChainFault[] = [];
  for (const { sequence, previous } of entries) {
    if (sequence === 1 && previous !== null)
      faults.push({ sequences: [1], text: 'receipt 1 says that another one was before it' });
    const before = byNumber.get(sequence - 1);
    if (before === undefined || before.digest === previous) continue;
    const text = `receipt ${sequence} does not follow receipt ${sequence - 1}: it names another one as the one before`;
    faults.push({ sequences: [sequence - 1, sequence], text });
  }
  return faults;
}

function missingFaults(entries: readonly ChainEntry[], last: number): ChainFault[] {
  const there = new Set(entries.map((entry) => entry.sequence));
  const missing: number[] = [];
  for (let sequence = 1; sequence <= last; sequence += 1) if (!there.has(sequence)) missing.push(sequence);
  if (missing.length === 0) return [];
  const names = missing.slice(0, NAMED).join(', ') + (missing.length > NAMED ? ', …' : '');
  const what = missing.length === 1 ? '1 receipt missing' : `${missing.length} receipts missing`;
  return [{ sequences: missing, text: `${what}: ${names} of ${last}` }];
}

function headFaults(entries: readonly ChainEntry[], head: ChainHead, last: number, notes: string[]): ChainFault[] {
  const faults: ChainFault[] = [];
  const at = entries.find((entry) => entry.sequence === head.n);
  if (at !== undefined && at.digest !== head.digest)
    faults.push({ sequences: [head.n], text: `receipt ${head.n} is not the one that was counted as the last` });
  if (last === head.n + 1)
    notes.push(
      `receipt ${last} is not counted yet: a process ended between writing and counting; the next one counts it`,
    );
  if (last > head.n + 1) {
    const text = `the chain goes on to receipt ${last}, but only ${head.n} were counted: it is not the chain that was counted`;
    faults.push({ sequences: [], text });
  }
  return faults;
}

/** Nothing may follow a terminal entry. */
function endFaults(entries: readonly ChainEntry[]): ChainFault[] {
  const end = entries.findIndex((entry) => entry.statement.predicateType === CHAIN_END_PREDICATE);
  const after = entries[end + 1];
  if (end === -1 || after === undefined) return [];
  const closing = entries[end]?.sequence ?? 0;
  return [
    { sequences: [after.sequence], text: `receipt ${after.sequence} stands after the end of the chain (${closing})` },
  ];
}

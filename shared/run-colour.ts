import type { RunRecord } from './contracts/run.js';
import { receiptText } from './receipt-text.js';

export type Colour = 'red' | 'amber' | 'grey' | 'green' | 'live';

/** A run's colour, the exit code of `sallyport run` that goes with it, and why, in words. */
export interface RunColour {
  readonly colour: Colour;
  readonly exitCode: number;
  readonly why: readonly string[];
}

/**
 * The colour table, the only one. The worst colour that applies wins: red, amber, grey, green;
 * but what a person ended (`killed`, `interrupted`) stays grey unless it is red.
 */
export function runColour(
  run: Pick<RunRecord, 'phase' | 'outcome' | 'reason' | 'facts' | 'exitScan' | 'receipt'>,
): RunColour {
  if (run.phase !== 'done' || run.outcome === null) {
    return { colour: 'live', exitCode: 70, why: [`the run is ${run.phase.replaceAll('_', ' ')}`] };
  }
  const red = redReasons(run);
  if (red.length > 0) return { colour: 'red', exitCode: run.outcome === 'denied' ? 3 : 1, why: red };
  const amber = amberReasons(run);
  if (run.outcome === 'killed') return { colour: 'grey', exitCode: 130, why: [reason(run), ...amber] };
  if (run.outcome === 'interrupted') return { colour: 'grey', exitCode: 1, why: [reason(run), ...amber] };
  if (amber.length > 0) return { colour: 'amber', exitCode: 0, why: amber };
  return { colour: 'green', exitCode: 0, why: [successText(run.facts)] };
}

function successText({ toolCalls, guarded }: RunRecord['facts']): string {
  if (guarded === toolCalls) return 'the agent reported success and every call passed the gate';
  return `the agent reported success; ${guarded} of ${toolCalls} calls passed the gate, the others were not executed`;
}

type Judged = Pick<RunRecord, 'outcome' | 'reason' | 'facts' | 'exitScan' | 'receipt'>;

function reason(run: Judged): string {
  return run.reason ?? `the run was ${run.outcome ?? 'not ended'}`;
}

function redReasons(run: Judged): string[] {
  const why: string[] = [];
  const bad = ['failed', 'timed_out', 'limit_reached', 'denied'] as const;
  if (bad.some((outcome) => outcome === run.outcome)) why.push(reason(run));
  for (const id of run.facts.argsDiffer) {
    why.push(`call ${id} was executed with other arguments than the ones that were judged`);
  }
  for (const hook of run.facts.handlersChanged) {
    why.push(`hook ${hook} was changed while it ran, so what judged is not what was approved`);
  }
  const { exitScan } = run;
  if (exitScan.redactionFailed > 0)
    why.push(
      `the exit scan found ${exitScan.redactionFailed} secret(s) in Sallyport's own files of this run, where none may be`,
    );
  if (exitScan.leaked > 0 && exitScan.leakPolicy !== 'warn') why.push(leakText(exitScan.leaked));
  return why;
}

function leakText(count: number): string {
  return `the exit scan found ${count} leaked secret(s): no prompt held them, and they stand where they did not stand before`;
}

function scanWarnings({ state, leaked, leakPolicy, exposed, why }: RunRecord['exitScan']): string[] {
  const said: string[] = [];
  if (leaked > 0 && leakPolicy === 'warn') said.push(`${leakText(leaked)} (the profile makes that a warning)`);
  if (exposed > 0)
    said.push(
      `the exit scan found ${exposed} exposed secret(s): the prompt, or the same file before the run, held them`,
    );
  if (state === 'incomplete')
    said.push(`the exit scan is incomplete, so nothing is called clean: ${why[0] ?? 'it did not say why'}`);
  if (state === 'not_scanned') said.push('no exit scan was made, so it is not known whether a secret leaked');
  return said;
}

function amberReasons({ facts, exitScan, receipt }: Judged): string[] {
  const why: string[] = [];
  for (const id of facts.unguarded) why.push(`call ${id} ran without having passed the gate`);
  for (const id of facts.dispatchesWithoutCall)
    why.push(`the gate was asked about call ${id}, which the agent never reported`);
  for (const sign of facts.tampering) why.push(sign);
  if (facts.failedOpen > 0) {
    why.push(`${facts.failedOpen} failed hook attempt(s) were let pass because their failure policy says so`);
  }
  if (facts.turnsPassedAfterDenials > 0) why.push('a turn was allowed to end after it had been sent back three times');
  if (facts.coverageUnknown !== null)
    why.push(`it is not known whether every call passed the gate: ${facts.coverageUnknown}`);
  why.push(...scanWarnings(exitScan));
  if (receipt.state !== 'signed' || receipt.why !== null) why.push(receiptText(receipt));
  return why;
}

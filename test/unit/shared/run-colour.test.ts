import { describe, expect, it } from 'vitest';
import { NOT_SCANNED, type ExitScan } from '../../../shared/contracts/exit-scan.js';
import type { RunReceipt } from '../../../shared/contracts/receipt.js';
import { EMPTY_FACTS, OUTCOMES, type Outcome, type RunFacts } from '../../../shared/contracts/run.js';
import { runColour } from '../../../shared/run-colour.js';
import { CLEAN_SCAN } from '../../support/runs.js';

const SIGNED = { state: 'signed', why: null, sequence: 1, digest: `sha256:${'b'.repeat(64)}` } as const;
const run = (outcome: Outcome | null, facts: Partial<RunFacts> = {}, phase: 'done' | 'running' = 'done') => ({
  phase,
  outcome,
  reason: 'because',
  receipt: SIGNED,
  facts: { ...EMPTY_FACTS, ...facts },
  exitScan: CLEAN_SCAN,
});

const scanned = (outcome: Outcome, exitScan: Partial<ExitScan>) => ({
  ...run(outcome),
  exitScan: { ...CLEAN_SCAN, ...exitScan },
});

describe('a receipt', () => {
  const receipt = (state: RunReceipt['state'], why: string | null) => ({ state, why, sequence: null, digest: null });
  it.each([
    [
      'unsigned',
      'the keyring is locked.',
      'the receipt is not signed, so nothing vouches for it: the keyring is locked',
    ],
    ['failed', 'the disk is full', 'the receipt could not be made: the disk is full'],
    ['none', null, 'there is no receipt'],
    ['signed', 'stdout.log was gone', 'signed receipt, number ?, , but stdout.log was gone'],
  ] as const)('that is %s (%s) turns success amber, in words', (state, why, text) => {
    const seen = runColour({ ...run('succeeded'), receipt: receipt(state, why) });
    expect(seen).toEqual({ colour: 'amber', exitCode: 0, why: [text] });
    expect(runColour({ ...run('failed'), receipt: receipt(state, why) }).colour).toBe('red');
    expect(runColour({ ...run('killed'), receipt: receipt(state, why) })).toMatchObject({
      colour: 'grey',
      exitCode: 130,
    });
    expect(runColour({ ...run(null, {}, 'running'), receipt: receipt(state, why) }).colour).toBe('live');
  });
});

describe('the colour table', () => {
  it.each([
    ['succeeded', 'green', 0],
    ['failed', 'red', 1],
    ['timed_out', 'red', 1],
    ['limit_reached', 'red', 1],
    ['denied', 'red', 3],
    ['killed', 'grey', 130],
    ['interrupted', 'grey', 1],
  ] as const)('%s alone is %s with exit code %i', (outcome, colour, exitCode) => {
    expect(runColour(run(outcome))).toMatchObject({ colour, exitCode });
  });

  const amber: [string, Partial<RunFacts>][] = [
    ['an unguarded call', { unguarded: ['c1'] }],
    ['a dispatch without a call', { dispatchesWithoutCall: ['c1'] }],
    ['tampering', { tampering: ['the settings were changed'] }],
    ['a hook that failed open', { failedOpen: 1 }],
    ['a turn passed after three denials', { turnsPassedAfterDenials: 1 }],
    ['unknown coverage', { coverageUnknown: 'the stream broke off' }],
  ];
  it.each(amber)('%s turns success amber with exit code 0', (_name, facts) => {
    expect(runColour(run('succeeded', facts))).toMatchObject({ colour: 'amber', exitCode: 0 });
    expect(runColour(run('succeeded', facts)).why).toHaveLength(1);
  });

  it.each(OUTCOMES)('changed arguments are red whatever the outcome: %s', (outcome) => {
    expect(runColour(run(outcome, { argsDiffer: ['c1'] })).colour).toBe('red');
    expect(runColour(run(outcome, { handlersChanged: ['global:g'] })).colour).toBe('red');
  });

  it.each(OUTCOMES)('what leaked or was not redacted is red whatever the outcome: %s', (outcome) => {
    const red = (found: Partial<ExitScan>) => runColour(scanned(outcome, found));
    expect(red({ state: 'leaked', leaked: 1 }).colour).toBe('red');
    expect(red({ state: 'leaked', leaked: 1, leakPolicy: 'fail' }).exitCode).toBe(outcome === 'denied' ? 3 : 1);
    expect(red({ state: 'redaction_failed', redactionFailed: 2, leakPolicy: 'warn' }).colour).toBe('red');
  });

  it.each([
    ['a leak that the profile makes a warning', { state: 'leaked', leaked: 1, leakPolicy: 'warn' }, 'leaked'],
    ['what was exposed', { state: 'exposed', exposed: 1 }, 'exposed'],
    ['an incomplete scan', { state: 'incomplete', why: ['a file cannot be read'] }, 'a file cannot be read'],
    ['no scan', NOT_SCANNED, 'no exit scan'],
  ] as const)('%s turns success amber with exit code 0, and what a person ended not', (_name, found, word) => {
    const judged = runColour(scanned('succeeded', found as Partial<ExitScan>));
    expect(judged).toMatchObject({ colour: 'amber', exitCode: 0 });
    expect(judged.why.join()).toContain(word);
    expect(runColour(scanned('killed', found as Partial<ExitScan>)).colour).toBe('grey');
  });

  it('what a person ended is never green or amber, and keeps the warnings', () => {
    const judged = runColour(run('killed', { unguarded: ['c1'] }));
    expect(judged.colour).toBe('grey');
    expect(judged.why).toHaveLength(2);
  });

  it('a run that is not over has no colour of its own', () => {
    expect(runColour(run(null, {}, 'running')).colour).toBe('live');
    expect(runColour(run('succeeded', {}, 'running')).colour).toBe('live');
  });
});

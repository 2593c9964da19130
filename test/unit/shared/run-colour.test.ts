import { describe, expect, it } from 'vitest';
import type { RunReceipt } from '../../../shared/contracts/receipt.js';
import { EMPTY_FACTS, OUTCOMES, type Outcome, type RunFacts } from '../../../shared/contracts/run.js';
import { runColour } from '../../../shared/run-colour.js';

const SIGNED = { state: 'signed', why: null, sequence: 1, digest: `sha256:${'b'.repeat(64)}` } as const;
const run = (outcome: Outcome | null, facts: Partial<RunFacts> = {}, phase: 'done' | 'running' = 'done') => ({
  phase,
  outcome,
  reason: 'because',
  receipt: SIGNED,
  facts: { ...EMPTY_FACTS, ...facts },
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

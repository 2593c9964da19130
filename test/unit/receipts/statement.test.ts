/** From a run's record to its statement; and a chain that was closed. */
import { describe, expect, it } from 'vitest';
import { newSigningKey, type SigningKey } from '../../../electron/core/approvals/signing-key.js';
import { envelopeDigest, envelopeText, keyId } from '../../../electron/core/receipts/dsse.js';
import { parseHead, publicKeyFromPem, publicKeyPem } from '../../../electron/core/receipts/receipt-keys.js';
import { chainEndStatement, countDecisions, runStatement } from '../../../electron/core/receipts/statement.js';
import { checkChain } from '../../../electron/core/receipts/verify-chain.js';
import { statementSchema } from '../../../shared/contracts/receipt-statement.js';
import { EMPTY_FACTS, OUTCOMES } from '../../../shared/contracts/run.js';
import { runRecord, trace } from '../../support/runs.js';

const { key } = newSigningKey();
const subjects = [{ name: 'stdout.log', digest: { sha256: 'a'.repeat(64) } }];
const input = (record = runRecord(), traces = [trace()]) => ({
  ...{ record, traces, unreadableTraces: 0, subjects, gone: [], installation: 'state_x', appVersion: '1.2.3' },
});
const place = (sequence: number, previous: string | null) => ({ sequence, previous, key: keyId(key.publicKey) });

describe('the statement of a run', () => {
  it('says of the run what its record says, with its place and its files', () => {
    const launch = {
      approvals: [
        { kind: 'agent-program' as const, key: 'agent-program practice', digest: `sha256:${'1'.repeat(64)}` },
      ],
      argv: ['/usr/bin/practice', '[REDACTED:token:0000]'],
      environment: ['HOME', 'PATH'],
      configuration: [{ name: 'settings.json', digest: `sha256:${'2'.repeat(64)}` }],
    };
    const facts = { ...EMPTY_FACTS, toolCalls: 3, guarded: 2, denials: 1, unguarded: ['call-3'], approvalsGranted: 1 };
    const record = runRecord({
      launch,
      facts,
      bypass: 'activate',
      gaps: [{ kind: 'route', what: 'a', why: 'b' }],
      createdAt: 1_700_000_000.5,
    });
    const previous = `sha256:${'3'.repeat(64)}`;
    const statement = runStatement(input(record), place(7, previous));
    expect(statementSchema.parse(JSON.parse(JSON.stringify(statement)))).toEqual(statement);
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://sallyport.dev/agent-run/v1',
      subject: subjects,
      predicate: {
        receipt: { installation: 'state_x', sequence: 7, previous, key: keyId(key.publicKey) },
        unsignedBecause: null,
        appVersion: '1.2.3',
        runId: record.id,
        times: { accepted: '2023-11-14T22:13:20.500Z' },
        agent: { name: 'practice', programDigest: record.agentProgramDigest },
        launch,
        bypass: 'activate',
        calls: { total: 3, guarded: 2, denied: 1, unguarded: ['call-3'] },
        runtimeApprovals: { granted: 1, denied: 0 },
        registryVersions: record.registryVersions,
        gaps: record.gaps,
        exit: { code: 0, signal: null },
        outcome: 'succeeded',
        exitScan: record.exitScan,
        hookDecisions: [{ point: 'tool.before', decision: 'allow', count: 1 }],
      },
    });
    // The prompt is in the arguments, as far as it was redacted there, and nowhere else.
    expect(JSON.stringify(statement)).not.toContain(record.prompt);
  });

  it('has no place, and says why, where nobody signs it', () => {
    const { predicate } = runStatement(input(), 'the keyring is locked');
    expect(predicate.unsignedBecause).toBe('the keyring is locked');
    expect(predicate.receipt).toEqual({ installation: 'state_x', sequence: null, previous: null, key: null });
  });

  it.each([...OUTCOMES, null])(
    'fits its form for every outcome, also of a run that was never started: %s',
    (outcome) => {
      const record = runRecord({ outcome, startedAt: null, endedAt: null, reason: null, launch: null, exitCode: null });
      expect(statementSchema.safeParse(runStatement(input(record, []), place(1, null))).success).toBe(true);
    },
  );

  it('fits its form for a record of before it told how it was started', () => {
    const { launch: _, ...old } = runRecord({ launch: null });
    expect(runStatement(input(old), place(1, null)).predicate.launch).toBeNull();
  });
});

it('counts what hooks said by point and decision, and what they did not say by how that was', () => {
  const traces = [
    trace(),
    trace({ decision: 'deny' }),
    trace({ decision: 'deny' }),
    trace({ point: 'turn.stopping' }),
    trace({ decision: null, status: 'failed' }),
    trace({ decision: null, status: 'inert' }),
  ];
  expect(countDecisions(traces)).toEqual([
    { point: 'tool.before', decision: 'allow', count: 1 },
    { point: 'tool.before', decision: 'deny', count: 2 },
    { point: 'tool.before', decision: 'failed', count: 1 },
    { point: 'tool.before', decision: 'inert', count: 1 },
    { point: 'turn.stopping', decision: 'allow', count: 1 },
  ]);
  expect(countDecisions([])).toEqual([]);
});

describe('a chain that was closed', () => {
  const closed = (by: SigningKey) => {
    const first = envelopeText(runStatement(input(), place(1, null)), by);
    const head = envelopeDigest(Buffer.from(first));
    const why = { reason: 'key-rotated', at: 1_700_000_000, nextKey: `sha256:${'4'.repeat(64)}` } as const;
    const end = envelopeText(chainEndStatement('state_x', { ...place(2, head), previous: head }, why), by);
    return [first, end];
  };
  const check = (lines: readonly string[]) => checkChain({ lines, publicKey: key.publicKey, head: null });

  it('holds; its end names the receipt before it', async () => {
    const lines = closed(key);
    const seen = await check(lines);
    expect(seen.faults).toEqual([]);
    expect(seen.entries[1]?.statement).toMatchObject({
      predicateType: 'https://sallyport.dev/receipt-chain-end/v1',
      subject: [{ name: 'receipt 1', digest: { sha256: envelopeDigest(Buffer.from(lines[0] ?? '')).slice(7) } }],
      predicate: { reason: 'key-rotated', at: '2023-11-14T22:13:20.000Z' },
    });
  });

  it('does not hold when something follows its end', async () => {
    const lines = closed(key);
    const head = envelopeDigest(Buffer.from(lines[1] ?? ''));
    const after = envelopeText(runStatement(input(), place(3, head)), key);
    expect((await check([...lines, after])).faults.map((fault) => fault.text)).toEqual([
      'receipt 3 stands after the end of the chain (2)',
    ]);
  });
});

describe('heads and keys as texts', () => {
  const digest = `sha256:${'ab'.repeat(32)}`;
  it('reads a head as it is shown, and nothing else', () => {
    expect(parseHead(`5:${digest}`)).toEqual({ n: 5, digest });
    expect(parseHead(`5:${digest.slice(7)}\n`)).toEqual({ n: 5, digest });
    for (const bad of ['', '5', digest, `0:${digest}`, `-1:${digest}`, `5:${digest}0`, `5 ${digest}`, '5:sha256:zz'])
      expect(parseHead(bad)).toBeNull();
  });

  it('a public key goes through PEM and back; other keys and texts are refused', () => {
    const pem = publicKeyPem(key.publicKey);
    expect(pem).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    expect(publicKeyFromPem(pem)).toEqual({ ok: true, value: key.publicKey });
    expect(publicKeyFromPem('no key').ok).toBe(false);
  });
});

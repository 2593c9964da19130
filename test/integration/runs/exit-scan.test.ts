/** The exit scan as the end of a run: policy, stopping, what is left where there is little to look at. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createMemoryKeychain } from '../../../electron/core/approvals/memory-keychain.js';
import { fingerprintOf, openFingerprintKey, passingKey } from '../../../electron/core/redaction/fingerprints.js';
import { endLeftovers } from '../../../electron/core/runs/leftovers.js';
import { SCAN_LIMITS } from '../../../electron/core/scan/protocol.js';
import { createSeam } from '../../../electron/core/spawn/seam.js';
import { bundledPracticeAgent, newDesk, script, shell, testScan, type TestDesk } from '../../support/desk.js';
import { tempFolder } from '../../support/processes.js';
import { memoryReceipts } from '../../support/receipts.js';
import { putRunFolder, runRecord, stateIn } from '../../support/runs.js';

const agent = bundledPracticeAgent();
const SECRET = `practice_secret_${'0a1b2c3d'.repeat(4)}`;

/** Settings of the practice profile. */
function profile(them: TestDesk, more: object): void {
  const text = JSON.stringify({ schema_version: 1, name: 'practice', agent: 'practice', ...more });
  writeFileSync(path.join(them.state.profilesDir, 'practice.json'), text);
}

describe('a leak', () => {
  it('is red, or amber where the profile makes it a warning; what was there before is amber', async () => {
    const them = await newDesk(agent());
    const leak = { prompt: script(shell(`printf 'practice_secret_%s' ${'0a1b2c3d'.repeat(4)} > made.txt`)) };
    const first = await them.done(await them.launch(leak));
    // The words of the command hold no secret, and the agent never saw one: it is in the new file alone.
    expect(first).toMatchObject({ colour: 'red' });
    const [found] = (await them.ask('runs.show', { runId: first.id }))?.findings ?? [];
    expect(found).toMatchObject({ part: 'workspace', path: path.join(them.workspace, 'made.txt'), line: 1, column: 1 });
    profile(them, { leak_policy: 'warn' });
    const more = await them.launch({ prompt: script(shell(`echo ${SECRET.replace('_', "'_'")} > other.txt`)) });
    expect(await them.done(more)).toMatchObject({ colour: 'amber', outcome: 'succeeded' });
    const kept = await them.launch({ prompt: script(shell("printf '\\nmore' >> made.txt")) });
    const shown = await them.ask('runs.show', { runId: (await them.done(kept)).id });
    expect(shown?.record.exitScan).toMatchObject({ state: 'exposed', exposed: 1, leaked: 0 });
    expect(shown?.findings).toMatchObject([{ origin: 'exposed', why: 'it stood in this file before the run' }]);
  });

  it('is none where nothing is: uuids, digests, names of tokens, and the token of the run', async () => {
    const them = await newDesk(agent());
    const lines = [
      'f81d4fae-7dec-11d0-a765-00a0c91e6bf6 e4c6a29b0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f AKIAIOSFODNN7EXAMPLE',
      'sha512-9NZ0G0fT4r8KQ8bOQ0yVYbq0aX2h5bqJ8sY1fP0r3m7c9w2v6u4t1s0q8p7o6n5m4l3k2j1i0h9g8f7e6d5c4b==',
      'cache_read_input_tokens os.getenv(API_KEY)',
    ];
    const steps = [{ tool: 'write', input: { path: 'notes.txt', content: lines.join('\n') } }, shell('cat notes.txt')];
    const ended = await them.done(await them.launch({ prompt: script(...steps, shell('env; cat "$0" || true')) }));
    expect(ended).toMatchObject({ colour: 'green' });
  });
});

describe('a scan that goes on', () => {
  it('is stopped by a second word, and the run is then amber, its outcome as it was', async () => {
    const silent = path.join(tempFolder(), 'silent.mjs');
    writeFileSync(silent, "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {});");
    const limits = { ...SCAN_LIMITS, timeMs: 8_000 };
    const exitScan = { ...testScan(), workerUrl: pathToFileURL(silent), limits };
    const them = await newDesk(agent(), { exitScan });
    const phases: string[] = [];
    them.desk.on('runs.changed', (run) => phases.push(run.phase));
    const runId = await them.launch({ prompt: script(), workspaceId: await them.offer() });
    // The look before the run gets no answer either; after its time the run goes on without it.
    await expect.poll(() => phases.at(-1), { timeout: 50_000 }).toBe('scanning');
    expect(await them.ask('runs.stop', { runId })).toEqual({ ok: true });
    const ended = await them.done(runId);
    expect(ended).toMatchObject({ colour: 'amber', outcome: 'succeeded' });
    expect(ended.why.join()).toContain('the exit scan is incomplete');
    const shown = await them.ask('runs.show', { runId });
    expect(shown?.record.exitScan.why).toEqual(
      expect.arrayContaining([expect.stringContaining('stopped before it had')]),
    );
  });
});

describe('where little is left to look at', () => {
  it('a refused run: its own files alone, and clean', async () => {
    const them = await newDesk(agent());
    profile(them, { agent_args: ['--nothing'] });
    const runId = await them.launch({ prompt: script() });
    expect(await them.done(runId)).toMatchObject({ colour: 'red', outcome: 'denied' });
    const shown = await them.ask('runs.show', { runId });
    expect(shown?.record.exitScan).toMatchObject({ state: 'clean', leaked: 0 });
  });

  it('a run that was left behind: what stands in its files is found, and it is never clean', async () => {
    const state = await stateIn(tempFolder());
    const begun = { phase: 'running', outcome: null, endedAt: null, ownerPid: 4_194_303 } as const;
    const [quiet, bad] = [runRecord(begun), runRecord(begun)];
    for (const record of [quiet, bad]) await putRunFolder(state, record);
    mkdirSync(path.join(state.runsDir, bad.id, 'more'));
    writeFileSync(path.join(state.runsDir, bad.id, 'more', 'note'), SECRET);
    const seam = createSeam({ approvals: () => false });
    await endLeftovers({ state, seam, receipts: memoryReceipts(state), exitScan: testScan() }, 77);
    const scanOf = (id: string) =>
      (JSON.parse(readFileSync(path.join(state.runsDir, id, 'run.json'), 'utf8')) as { exitScan: object }).exitScan;
    expect(scanOf(quiet.id)).toMatchObject({
      state: 'incomplete',
      why: [expect.stringContaining('not looked at'), expect.anything()],
    });
    expect(scanOf(bad.id)).toMatchObject({ state: 'redaction_failed', redactionFailed: 1 });
  });
});

describe('the key of the fingerprints', () => {
  it('is made once and kept in the keychain', async () => {
    const { dir } = await stateIn(tempFolder());
    const values = new Map<string, string>();
    const keys = await Promise.all([1, 2, 3].map(() => openFingerprintKey(createMemoryKeychain(values), dir)));
    expect(new Set(keys.map(({ key }) => key.toString('hex'))).size).toBe(1);
    expect(keys.every(({ passing }) => passing === null)).toBe(true);
    expect([...values.keys()]).toEqual(['fingerprint-key']);
    const [{ key }] = keys as [(typeof keys)[number]];
    expect(fingerprintOf(key, 'a')).toBe(fingerprintOf(key, 'a'));
    expect(fingerprintOf(key, 'a')).not.toBe(fingerprintOf(passingKey('x').key, 'a'));
  });

  it('counts for one run where the keychain gives none, or something that is no key, which stays as it is', async () => {
    const { dir } = await stateIn(tempFolder());
    const away = createMemoryKeychain();
    const refused = { ok: false, error: { state: 'locked', text: 'The keyring is locked. Unlock it.' } } as const;
    const locked = await openFingerprintKey({ ...away, get: () => Promise.resolve(refused) }, dir);
    expect(locked.passing).toContain('The keyring is locked');
    const full = await openFingerprintKey({ ...away, set: () => Promise.resolve(refused) }, dir);
    expect(full.passing).toContain('The keyring is locked');
    const values = new Map([['fingerprint-key', 'no key']]);
    expect((await openFingerprintKey(createMemoryKeychain(values), dir)).passing).toContain('is no key');
    expect(values.get('fingerprint-key')).toBe('no key');
  });
});

/** From a run to its verified receipt, through the built command, on real keyrings and without one. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startKeyring, type Keyring, type KeyringKind } from '../support/keyring.js';
import { COMMAND, inSession, newestRun, newUser, sallyport, start, type User } from './command.js';

let user: User;
let rings: Keyring[];

async function withKeyring(kind: KeyringKind): Promise<User> {
  const ring = await startKeyring(kind);
  rings.push(ring);
  return inSession(user, ring);
}

beforeEach(() => {
  user = newUser(null);
  rings = [];
});
afterEach(async () => {
  for (const ring of rings) {
    await ring.end();
    ring.remove();
  }
  user.remove();
});

const steps = (...commands: string[]) =>
  JSON.stringify({ steps: commands.map((command) => ({ tool: 'shell', input: { command } })) });
const practice = (at: User, prompt: string) =>
  start(at, [process.execPath, COMMAND, 'run', '--agent', 'practice', '--', prompt]).done;

interface Checked {
  readonly verified: boolean;
  readonly checks: readonly { readonly state: string; readonly text: string }[];
}
const parsed = (text: string) => JSON.parse(text) as Checked;

describe('with a keychain', () => {
  it('a practice run ends in a receipt that verifies; one byte of its output more and it does not', async () => {
    const at = await withKeyring('open');
    const ran = await practice(at, steps('echo hello'));
    expect(ran.out).toContain('green');
    expect(ran.out).toMatch(/ {9}signed receipt, number 1, sha256:[0-9a-f]{64}/);
    expect(ran.code).toBe(0);
    const run = newestRun(at);
    expect(run.receipt).toMatchObject({ state: 'signed', sequence: 1, why: null });

    const good = await sallyport(at, 'receipt', 'verify', run.id);
    expect([good.code, good.err]).toEqual([0, '']);
    expect(good.out).toContain('artifacts as they were: events.jsonl, traces.jsonl, stdout.log, stderr.log');
    expect((await sallyport(at, 'receipt', 'verify')).code).toBe(0);
    expect((await sallyport(at, 'receipt', 'verify', '--chain')).code).toBe(0);

    const stdout = join(run.folder, 'stdout.log');
    const bytes = readFileSync(stdout);
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    writeFileSync(stdout, bytes);
    const bad = await sallyport(at, 'receipt', 'verify', run.id, '--json');
    expect(bad.code).toBe(1);
    expect(parsed(bad.out).verified).toBe(false);
    expect(parsed(bad.out).checks.filter((check) => check.state === 'bad')).toEqual([
      { state: 'bad', text: 'artifact stdout.log differs' },
    ]);
  });

  it('deleting the last receipt is seen, by the command and by the doctor', async () => {
    const at = await withKeyring('open');
    await practice(at, steps('true'));
    await practice(at, steps('true'));
    const chain = join(at.state, 'receipts.jsonl');
    const whole = readFileSync(chain, 'utf8');
    writeFileSync(chain, whole.slice(0, whole.indexOf('\n') + 1));
    const seen = await sallyport(at, 'receipt', 'verify', '--chain');
    expect(seen.code).toBe(1);
    expect(seen.out).toContain('1 receipt missing: 2 of 2');
    const doctor = await sallyport(at, 'doctor');
    expect(doctor.out).toMatch(/look +receipts +1 receipt missing: 2 of 2/);
  });

  it('a key that was exported verifies without a keychain, and says that the tail was not checked', async () => {
    const at = await withKeyring('open');
    await practice(at, steps('true'));
    await practice(at, steps('true'));
    const pem = join(user.home, 'receipts.pem');
    writeFileSync(pem, (await sallyport(at, 'receipt', 'export-key')).out);
    const { head } = JSON.parse((await sallyport(at, 'receipt', 'list', '--json')).out) as { head: string };
    const run = newestRun(user);

    const alone = await sallyport(user, 'receipt', 'verify', run.id, '--key', pem);
    expect([alone.code, alone.err]).toEqual([0, '']);
    expect(alone.out).toContain('tail not checked');
    const known = await sallyport(user, 'receipt', 'verify', '--key', pem, '--head', head);
    expect(known.code).toBe(0);
    expect(known.out).not.toContain('tail not checked');
    const file = await sallyport(user, 'receipt', 'verify', join(run.folder, 'receipt.json'), '--key', pem);
    expect([file.code, file.err]).toEqual([0, '']);
    rmSync(join(user.state, 'receipts.jsonl'));
    const gone = await sallyport(user, 'receipt', 'verify', '--key', pem, '--head', head);
    expect([gone.code, gone.out]).toEqual([1, expect.stringContaining('2 receipts missing: 1, 2 of 2')]);

    const none = await sallyport(user, 'receipt', 'verify', run.id);
    expect(none.code).toBe(4);
    expect(none.err).toContain('there is no key to check with');
    expect((await sallyport(user, 'receipt', 'export-key')).code).toBe(4);
  });

  it('shows what it says', async () => {
    const at = await withKeyring('open');
    await practice(at, steps('echo hello'));
    const run = newestRun(at);
    const shown = await sallyport(at, 'receipt', 'show', run.id, '--json');
    const { statement } = JSON.parse(shown.out) as { statement: { predicate: Record<string, unknown> } };
    expect(statement.predicate).toMatchObject({
      runId: run.id,
      outcome: 'succeeded',
      unsignedBecause: null,
      agent: { name: 'practice', programDigest: run.agentProgramDigest },
      calls: { total: 1, guarded: 1 },
      launch: { approvals: [{ kind: 'agent-program' }] },
    });
    expect(JSON.stringify(statement.predicate['launch'])).toContain('PATH');
    expect((await sallyport(at, 'receipt', 'show', run.id)).out).toContain('signed by key sha256:');
    expect((await sallyport(at, 'runs', 'show', run.id)).out).toContain('signed receipt, number 1');
    expect((await sallyport(at, 'doctor')).out).toMatch(/ok +receipts +1 receipt, signed and in its place/);
  });
});

describe('without a keychain', () => {
  it.each(['no bus', 'no-service', 'locked'] as const)(
    '%s: the receipt is unsigned and says why, the run is amber',
    async (kind) => {
      const at = kind === 'no bus' ? user : await withKeyring(kind);
      const ran = await practice(at, steps('true'));
      expect(ran.out).toContain('amber');
      expect(ran.out).toContain('the receipt is not signed, so nothing vouches for it: ');
      expect(ran.code).toBe(0);
      const run = newestRun(at);
      expect(run.receipt).toMatchObject({ state: 'unsigned', sequence: null });
      expect(JSON.parse(readFileSync(join(run.folder, 'receipt.json'), 'utf8'))).toMatchObject({ signatures: [] });
      const seen = await sallyport(at, 'receipt', 'verify', run.id);
      expect(seen.code).toBe(1);
      expect(seen.out).toContain('not signed, so it cannot be verified: ');
    },
  );
});

describe('every accepted run', () => {
  it('ends in a receipt: refused before the start, and interrupted', async () => {
    const at = await withKeyring('open');
    const refused = await start(at, [
      process.execPath,
      COMMAND,
      'run',
      '--agent',
      'practice',
      '--bypass',
      'activate',
      '--',
      'x',
    ]).done;
    expect(refused.code).toBe(3);
    expect(newestRun(at).receipt).toMatchObject({ state: 'signed', sequence: 1 });

    const started = start(at, [
      process.execPath,
      COMMAND,
      'run',
      '--agent',
      'practice',
      '--',
      steps('touch first; sleep 300'),
    ]);
    await expect.poll(() => at.has('first'), { timeout: 30_000 }).toBe(true);
    const { id } = newestRun(at);
    process.kill(started.pid, 'SIGKILL');
    await started.done;
    const next = await practice(at, steps('true'));
    expect(next.err).toContain(`run ${id} was left behind`);
    const shown = JSON.parse((await sallyport(at, 'runs', 'show', id, '--json')).out) as {
      record: { receipt: object; outcome: string };
    };
    expect(shown.record).toMatchObject({ outcome: 'interrupted', receipt: { state: 'signed', sequence: 2 } });
    expect((await sallyport(at, 'receipt', 'verify', id)).code).toBe(0);
    expect((await sallyport(at, 'receipt', 'verify')).out).toContain('3 receipts');
  });

  it('of two that end at once each has its own', async () => {
    const at = await withKeyring('open');
    await Promise.all(Array.from({ length: 3 }, () => practice(at, steps('sleep 1'))));
    const seen = await sallyport(at, 'receipt', 'verify');
    expect([seen.code, seen.out]).toEqual([0, expect.stringContaining('3 receipts, each signed and in its place')]);
  });
});

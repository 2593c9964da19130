/** Approvals through the command: asked once, kept, shown, taken back, and asked again for what changed. On real keyrings. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDisplay, startKeyring, type Keyring, type KeyringKind } from '../support/keyring.js';
import type { Finding } from '../../shared/contracts/exit-scan.js';
import { COMMAND, newestRun, newUser, onTerminal, prints, sallyport, start, type User } from './command.js';

let plain: User;
let user: User;
const rings: Keyring[] = [];

/** The user in a session with this keyring. */
async function inSession(kind: KeyringKind, home: string | null = null, more: Record<string, string> = {}) {
  const ring = await startKeyring(kind, home, more);
  rings.push(ring);
  const { HOME: _, ...way } = ring.env as Record<string, string>;
  return { ring, user: { ...plain, env: { ...plain.env, ...way } } };
}

beforeEach(async () => {
  plain = newUser(null);
  plain.put(plain.at('guard.sh'), `${prints({ action: 'allow' })}\n`);
  const guard = {
    ...{ schema_version: 1, id: 'guard', name: 'The guard', point: 'tool.before', scope: 'global', mode: 'blocking' },
    handler: { kind: 'command', argv: ['sh', './guard.sh'] },
  };
  plain.put(join(plain.state, 'hooks/global.json'), JSON.stringify(guard), 0o600);
  ({ user } = await inSession('open'));
});
afterEach(async () => {
  for (const ring of rings.splice(0)) {
    await ring.end();
    ring.remove();
  }
  plain.remove();
});

const run = (...steps: object[]) => [
  process.execPath,
  COMMAND,
  'run',
  '--agent',
  'practice',
  '--',
  JSON.stringify({ steps }),
];
const shell = (command: string) => ({ tool: 'shell', input: { command } });
const QUESTION = 'anything else leaves it inert: ';
/** What is typed sooner does not count. */
const guardPassed = () => new Promise((done) => setTimeout(done, 1_000));
const digestIn = (text: string) => /--digest (sha256:[0-9a-f]{64})/.exec(text)?.[1] ?? '';

async function runAndSay(word: string, at = user): Promise<string> {
  const terminal = onTerminal(at, run(shell('touch mark')));
  await terminal.expect(QUESTION);
  await guardPassed();
  terminal.type(`${word}\r`);
  await terminal.end();
  return terminal.screen();
}

describe('a run', () => {
  it('knows a secret again by its fingerprint, whose key is in the keyring', async () => {
    await runAndSay('approve');
    const leak = () => start(user, run(shell(`printf 'practice_secret_%s\\n' ${'0a1b2c3d'.repeat(4)}`))).done;
    const marks: string[][] = [];
    for (const _ of [1, 2]) {
      expect((await leak()).code).toBe(1);
      const { folder, exitScan } = newestRun(user);
      expect(exitScan).toMatchObject({ state: 'leaked', why: [] });
      const found = JSON.parse(readFileSync(join(folder, 'findings.json'), 'utf8')) as { findings: Finding[] };
      marks.push(found.findings.map((one) => one.fingerprint));
      const stored = readFileSync(join(folder, 'stdout.log'), 'utf8');
      expect(stored).toContain(`[REDACTED:practice-secret:${marks[0]?.[0]?.slice(0, 8)}]`);
    }
    expect(marks[0]).toHaveLength(1);
    expect(marks[1]).toEqual(marks[0]);
  });

  it('asks once and keeps it; asks again, with what changed, after the script was edited', async () => {
    const first = await runAndSay('approve');
    expect(first).toContain('now and later, as long as it stays as it is');
    expect(first).toContain('kept     Hook global:guard');
    expect(first).toContain('green');
    expect(user.has('mark')).toBe(true);

    const second = await start(user, run(shell('touch again'))).done;
    expect([second.code, user.has('again')]).toEqual([0, true]);
    expect(second.out + second.err).not.toContain('wants to run');

    user.put(user.at('guard.sh'), `${prints({ action: 'deny', reason: 'no' })}\n`);
    const third = await start(user, run(shell('touch third'))).done;
    expect(third.code).toBe(3);
    expect(third.err).toContain('It CHANGED since you approved it');
    expect(third.err).toMatch(/- +"digest": "sha256:[0-9a-f]{64}"/);
    expect(user.has('third')).toBe(false);

    const fourth = await runAndSay('approve');
    expect(fourth).toContain('It CHANGED since you approved it');
    expect(fourth).toContain('DENIED');
  });

  it('does not keep a no, nor what was approved for one command alone', async () => {
    expect(await runAndSay('no')).toContain('left out of this run');
    const asked = await start(user, run(shell('true'))).done;
    const digest = /--approve (sha256:[0-9a-f]{64})/.exec(asked.err)?.[1] ?? '';
    const argv = [...run(shell('touch mark'))];
    argv.splice(argv.indexOf('--'), 0, '--approve', digest);
    expect((await start(user, argv).done).code).toBe(0);
    expect((await sallyport(user, 'approvals', 'list')).out).toContain('nothing is approved');
  });

  it('from inside cannot approve or take back', async () => {
    await runAndSay('approve');
    const inner = (...args: string[]) =>
      `'${process.execPath}' '${COMMAND}' --state-dir '${user.state}' ${args.join(' ')} >> inner.txt 2>&1; echo "code $?" >> inner.txt`;
    const way = ['approvals approve guard', 'approvals revoke guard', 'hook approve guard'];
    await start(user, run(...way.map((line) => shell(inner(line))))).done;
    expect(user.read('inner.txt').match(/inside a run nothing is approved/g)).toHaveLength(3);
    expect(user.read('inner.txt').match(/^code 3$/gm)).toHaveLength(3);
    expect((await sallyport(user, 'approvals', 'list')).out).toContain('global::guard');
  });
});

describe('the commands', () => {
  it('show what waits, approve it by digest, list it, and take it back', async () => {
    const pending = await sallyport(user, 'approvals', 'pending');
    expect(pending.out).toContain('argument 1   ./guard.sh');
    const digest = digestIn(pending.out);
    const approved = await sallyport(user, 'approvals', 'approve', 'global::guard', '--digest', digest);
    expect([approved.code, approved.out]).toEqual([0, expect.stringContaining('approved Hook global:guard')]);
    expect((await sallyport(user, 'approvals', 'pending')).out).toContain('nothing waits');
    const listed = JSON.parse((await sallyport(user, 'approvals', 'list', '--json')).out) as {
      approvals: { id: string; digest: string; surface: string }[];
    };
    expect(listed.approvals).toMatchObject([{ id: 'global::guard', digest, surface: 'command' }]);
    expect((await start(user, run(shell('touch mark'))).done).code).toBe(0);
    expect((await sallyport(user, 'approvals', 'show', 'guard')).out).toContain('state        approved');

    expect((await sallyport(user, 'approvals', 'revoke', 'guard')).code).toBe(0);
    expect((await sallyport(user, 'approvals', 'revoke', 'guard')).code).toBe(1);
    const after = await start(user, run(shell('touch later'))).done;
    expect([after.code, user.has('later')]).toEqual([3, false]);
    expect(after.err).toContain('that was taken back');
  });

  it('refuse a digest of what was shown before, exit 9, and show what is there now', async () => {
    const digest = digestIn((await sallyport(user, 'approvals', 'pending')).out);
    user.put(user.at('guard.sh'), 'true\n');
    const late = await sallyport(user, 'hook', 'approve', 'guard', '--digest', digest);
    expect(late.code).toBe(9);
    expect(late.err).toContain('not what was shown');
    const now = digestIn(late.err);
    expect(now).not.toBe(digest);
    expect((await sallyport(user, 'hook', 'approve', 'guard', '--digest', now)).code).toBe(0);
  });

  it('ask at the terminal without a digest', async () => {
    const terminal = onTerminal(user, [process.execPath, COMMAND, 'hook', 'approve', 'guard']);
    await terminal.expect(QUESTION);
    await guardPassed();
    terminal.type('approve\r');
    expect((await terminal.end()).status).toBe(0);
    const nobody = await sallyport(user, 'approvals', 'approve', 'guard');
    expect([nobody.code, nobody.out]).toEqual([0, expect.stringContaining('approved already')]);
    user.put(user.at('guard.sh'), 'true\n');
    expect((await sallyport(user, 'approvals', 'approve', 'guard')).code).toBe(3);
  });

  it('say what they do not know, and take no half digest', async () => {
    expect((await sallyport(user, 'approvals', 'approve', 'nobody', '--digest', `sha256:${'0'.repeat(64)}`)).code).toBe(
      1,
    );
    expect((await sallyport(user, 'approvals', 'approve', 'guard', '--digest', 'sha256:1234')).code).toBe(2);
    expect((await sallyport(user, 'approvals', 'show', 'nobody')).code).toBe(1);
    expect((await sallyport(user, 'approvals', 'pending', '--workspace', '/nonexistent')).code).toBe(2);
  });

  it('a file that fails its check is set aside, said, and begun anew', async () => {
    await runAndSay('approve');
    const file = join(user.state, 'approvals.json');
    user.put(file, readFileSync(file, 'utf8').replace('The guard', 'The gu4rd'), 0o600);
    const doctor = await sallyport(user, 'doctor');
    expect(doctor.out).toContain('failed their check');
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(user.state).filter((name) => name.startsWith('approvals.failed-'))).toHaveLength(1);
    expect(await runAndSay('approve')).toContain('kept     Hook global:guard');
    expect((await start(user, run(shell('touch again'))).done).code).toBe(0);
  });
});

describe('without a keychain that answers', () => {
  it('locked: the run asks anew for this command, says why, and keeps the file', async () => {
    await runAndSay('approve');
    rings[0]?.lock();
    const screen = await runAndSay('approve');
    expect(screen).toContain('The keyring is locked');
    expect(screen).toContain('until this command ends');
    expect(screen).toContain('amber');
    expect(screen).toContain('the receipt is not signed');
    expect(existsSync(join(user.state, 'approvals.json'))).toBe(true);
    const approved = await sallyport(user, 'approvals', 'revoke', 'guard');
    expect([approved.code, approved.err]).toEqual([4, expect.stringContaining('Unlock it')]);
    const listed = await sallyport(user, 'approvals', 'list');
    expect(listed.code).toBe(4);
  });

  it('no bus, and no service on it: each said with what to do', async () => {
    const over = (at: User) => start(at, run(shell('true'))).done;
    expect((await over(plain)).err).toContain('There is no D-Bus session here');
    expect((await sallyport(plain, 'doctor')).out).toContain('There is no D-Bus session here');
    const { user: bare } = await inSession('no-service');
    expect((await over(bare)).err).toContain('No program on the session bus keeps secrets');
    expect((await sallyport(bare, 'approvals', 'approve', 'guard')).code).toBe(4);
  });

  it('a window that nobody answers: the run goes on without it', async () => {
    const display = await startDisplay();
    try {
      await runAndSay('approve');
      const home = rings[0]?.home ?? null;
      await rings[0]?.end();
      const { user: asked } = await inSession('locked', home, { DISPLAY: display.name });
      const ended = await start(asked, run(shell('true'))).done;
      expect(ended.err).toContain('did not answer within 5 s');
      expect(ended.code).toBe(3);
    } finally {
      display.end();
    }
  });
});

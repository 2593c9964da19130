/** The keychain client against real keyrings in every state, each on a bus of its own. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listProcesses } from '../../../electron/core/spawn/process-table.js';
import {
  buildHelper,
  keychainOf,
  startDisplay,
  startKeyring,
  type Helper,
  type Keyring,
  type KeyringKind,
} from '../../support/keyring.js';
import { eventually, isAlive, pidFrom, tempFolder, writeProgram } from '../../support/processes.js';

let helper: Helper;
beforeAll(async () => {
  helper = await buildHelper();
});
afterAll(() => helper.remove());

async function keyring(kind: KeyringKind, home: string | null = null, more = {}): Promise<Keyring> {
  const made = await startKeyring(kind, home, more);
  onTestFinished(async () => {
    await made.end();
    made.remove();
  });
  return made;
}

function client(...args: Parameters<typeof keychainOf>) {
  const made = keychainOf(...args);
  onTestFinished(() => made.close());
  return made;
}

const state = (result: { ok: boolean; error?: { state: string } }) => (result.ok ? 'ok' : result.error?.state);

describe('an open keyring', () => {
  it('keeps, gives back and forgets; what is not there is told as absent', async () => {
    const { env } = await keyring('open');
    const keychain = client(helper, env);
    expect(await keychain.get('key')).toEqual({ ok: true, value: null });
    expect((await keychain.set('key', 'värde')).ok).toBe(true);
    expect(await client(helper, env).get('key')).toEqual({ ok: true, value: 'värde' });
    expect(await client(helper, env, { prefix: 'state_other' }).get('key')).toEqual({ ok: true, value: null });
    expect((await keychain.delete('key')).ok).toBe(true);
    expect(await keychain.get('key')).toEqual({ ok: true, value: null });
  });

  it('takes calls that are made at once, one after the other', async () => {
    const { env } = await keyring('open');
    const keychain = client(helper, env);
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => keychain.set(name, `value of ${name}`)));
    const values = await Promise.all(names.map((name) => keychain.get(name)));
    expect(values).toEqual(names.map((name) => ({ ok: true, value: `value of ${name}` })));
  });

  it('is served by a helper that has no value in its arguments and ends with its client', async () => {
    const { env } = await keyring('open');
    const keychain = client(helper, env);
    await keychain.set('key', 'not-to-be-seen');
    const helpers = () =>
      listProcesses()
        .filter((entry) => entry.ppid === process.pid && !entry.zombie)
        .map((entry) => ({
          argv: readFileSync(`/proc/${entry.pid}/cmdline`, 'utf8'),
          env: readFileSync(`/proc/${entry.pid}/environ`, 'utf8'),
        }))
        .filter(({ argv }) => argv.includes('helper.mjs'));
    expect(helpers()).toHaveLength(1);
    expect(JSON.stringify(helpers())).not.toContain('not-to-be-seen');
    await keychain.close();
    expect(helpers()).toEqual([]);
  });
});

describe('a keyring that cannot be used is told apart', () => {
  it('locked: one that holds our value and is shut does not say "there is none"', async () => {
    const open = await keyring('open');
    expect((await client(helper, open.env).set('key', 'v')).ok).toBe(true);
    open.lock();
    expect(state(await client(helper, open.env).get('key'))).toBe('locked');
    await open.end();
    const again = await keyring('locked', open.home);
    const keychain = client(helper, again.env);
    const found = await keychain.get('key');
    expect(found).toMatchObject({ ok: false, error: { state: 'locked' } });
    expect(found.ok ? '' : found.error.text).toContain('Unlock it');
    expect(state(await keychain.set('key', 'w'))).toBe('locked');
  });

  it('locked: one that was never made', async () => {
    const { env } = await keyring('locked');
    expect(state(await client(helper, env).get('key'))).toBe('locked');
  });

  it('no-service: a bus on which nothing keeps secrets', async () => {
    const { env } = await keyring('no-service');
    const found = await client(helper, env).get('key');
    expect(found).toMatchObject({ ok: false, error: { state: 'no-service' } });
    expect(found.ok ? '' : found.error.text).toContain('gnome-keyring');
  });

  it('no-bus: a bus that is gone', async () => {
    const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' };
    expect(state(await client(helper, env).get('key'))).toBe('no-bus');
  });

  it('no-bus: none named, and then nothing is started to ask', async () => {
    const mark = path.join(tempFolder(), 'started');
    const marks = { program: '/usr/bin/touch', args: [mark] };
    expect(state(await client(marks, { DISPLAY: ':99' }).get('key'))).toBe('no-bus');
    expect(existsSync(mark)).toBe(false);
  });

  it('hanging: a real window that asks for the password and that nobody answers', async () => {
    const display = await startDisplay();
    onTestFinished(display.end);
    const open = await keyring('open');
    await client(helper, open.env).set('key', 'v');
    await open.end();
    const { env } = await keyring('locked', open.home, { DISPLAY: display.name });
    const found = await client(helper, env, { timeoutMs: 3_000 }).get('key');
    expect(found).toMatchObject({ ok: false, error: { state: 'hanging' } });
    expect(found.ok ? '' : found.error.text).toContain('password');
  });

  it('hanging: a helper that never answers is ended, and the next call starts another', async () => {
    const folder = tempFolder();
    const program = writeProgram(folder, 'silent', `#!/bin/sh\necho $$ > '${folder}/pid'\nexec sleep 300\n`);
    const keychain = client({ program, args: [] }, BUS, { timeoutMs: 300 });
    expect(state(await keychain.get('key'))).toBe('hanging');
    const first = await pidFrom(path.join(folder, 'pid'));
    await eventually(() => (isAlive(first) ? null : true));
    expect(state(await keychain.get('key'))).toBe('hanging');
    expect(await pidFrom(path.join(folder, 'pid'))).not.toBe(first);
  });

  it.each([
    ['ends at once', 'exit 3', 'refused'],
    ['talks nonsense', `while read -r line; do echo nonsense; echo '{"id":"x"}'; done`, 'hanging'],
    ['answers another request', `while read -r line; do echo '{"id":99,"ok":true,"value":"x"}'; done`, 'hanging'],
    ['brings an unknown error', `read -r line; echo '{"id":1,"ok":false,"error":"out of ink"}'; sleep 300`, 'refused'],
  ])('a helper that %s', async (_what, script, expected) => {
    const program = writeProgram(tempFolder(), 'helper', `#!/bin/sh\n${script}\n`);
    expect(state(await client({ program, args: [] }, BUS, { timeoutMs: 500 }).get('key'))).toBe(expected);
  });

  it('refused: a helper that is not there', async () => {
    expect(state(await client({ program: '/nonexistent/helper', args: [] }, BUS).get('key'))).toBe('refused');
  });
});

/** Lets a helper be started that asks no bus. */
const BUS = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus', PATH: '/usr/bin:/bin' };

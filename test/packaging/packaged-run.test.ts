/** The main job from the packaged command, without a display: the practice agent under the gate. */
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { startKeyring, type Keyring } from '../support/keyring.js';
import { removeFolder } from '../support/folders.js';

const command = join(inject('appFolder'), 'resources', 'bin', 'sallyport');

let home: string;
let ring: Keyring;
beforeEach(async () => {
  ring = await startKeyring('open');
  home = mkdtempSync(join(tmpdir(), 'sallyport-packaged-run-'));
  mkdirSync(join(home, 'workspace'));
});
afterEach(async () => {
  await ring.end();
  ring.remove();
  removeFolder(home);
});

const start = (...args: string[]) =>
  execa(command, args, {
    reject: false,
    extendEnv: false,
    env: {
      ...ring.env,
      ...{ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, SHELL: '/bin/sh', SALLYPORT_HOME: join(home, 'state') },
    },
    stdin: 'ignore',
  });

it('runs the practice agent, denies what policy denies, and keeps the run in the index', async () => {
  const hooks = join(home, 'hooks.json');
  const forbidden = { kind: 'builtin', builtin: 'forbidden-path' };
  writeFileSync(
    hooks,
    JSON.stringify({
      schema_version: 1,
      id: 'n',
      name: 'n',
      point: 'file.before_write',
      scope: 'session',
      mode: 'blocking',
      handler: forbidden,
    }),
  );
  const steps = [
    { tool: 'write', input: { path: 'fine.txt', content: 'x' } },
    { tool: 'write', input: { path: '.env', content: 'x' } },
  ];
  const at = (name: string) => existsSync(join(home, 'workspace', name));
  const ran = await start(
    'run',
    '--agent',
    'practice',
    '--workspace',
    join(home, 'workspace'),
    '--hook',
    hooks,
    '--',
    JSON.stringify({ steps }),
  );
  expect(ran.stdout).toContain('green');
  expect(ran.exitCode).toBe(0);
  expect([at('fine.txt'), at('.env')]).toEqual([true, false]);
  const listed = await start('runs', 'list');
  expect(listed.stderr).toBe('');
  expect(listed.stdout).toContain('green');
  const verified = await start('receipt', 'verify', /run_\w{26}/.exec(ran.stdout)?.[0] ?? '');
  expect(verified).toMatchObject({ exitCode: 0, stderr: '' });
});

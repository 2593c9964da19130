import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLoginPath } from '../../../electron/core/spawn/login-path.js';
import { createSeam } from '../../../electron/core/spawn/seam.js';
import { isAlive, pidFrom, tempFolder, writeProgram } from '../../support/processes.js';

const seam = createSeam({ approvals: () => false });

/** A user of their own: a home with start-up files for bash. */
function user(startUp: string, more: Record<string, string> = {}) {
  const home = tempFolder();
  writeFileSync(path.join(home, '.bash_profile'), startUp);
  const userEnv = { HOME: home, PATH: '/usr/bin:/bin', SHELL: '/bin/bash', ...more };
  return { home, look: createLoginPath({ seam, userEnv, cwd: home }) };
}

describe("the login shell's PATH", () => {
  it('is read from start-up files, also when they print and fail', async () => {
    const { look } = user('echo "PATH=/evil"; echo noise >&2; export PATH="/opt/mine:$PATH"; false\n');
    expect(await look.get()).toMatchObject({
      path: expect.stringMatching(/^\/opt\/mine:\//) as string,
      source: 'login-shell',
      note: null,
    });
  });

  it('is asked once, and again after forget', async () => {
    const { home, look } = user('echo x >> "$HOME/asked"; PATH="/opt/$(wc -l < "$HOME/asked"):/bin"\n');
    expect((await look.get()).path).toBe('/opt/1:/bin');
    expect((await look.get()).path).toBe('/opt/1:/bin');
    look.forget();
    expect((await look.get()).path).toBe('/opt/2:/bin');
    expect(home).not.toBe('');
  });

  it('falls back, and says so, when a start-up file hangs; what it started is ended', async () => {
    const { home, look } = user('setsid sh -c \'echo $$ > "$HOME/pid"; exec sleep 301\' & sleep 301\n');
    const found = await look.get();
    expect(found).toMatchObject({ path: '/usr/bin:/bin', source: 'process' });
    expect(found.note).toContain('did not answer within 2 s');
    expect(isAlive(await pidFrom(path.join(home, 'pid')))).toBe(false);
  });

  it.each([
    ['the shell is not there', { SHELL: '/no/such/shell' }, 'was not found'],
    ['the shell is no path', { SHELL: 'bash' }, 'no login shell is set'],
    ['the shell refuses', { SHELL: '/bin/false' }, 'gave none'],
  ])('falls back when %s', async (_name, more, text) => {
    const found = await user('', more).look.get();
    expect(found).toMatchObject({ path: '/usr/bin:/bin', source: 'process' });
    expect(found.note).toContain(text);
  });

  it('asks the shell of the account when the environment names none', async () => {
    const home = tempFolder();
    const look = createLoginPath({ seam, userEnv: { HOME: home, PATH: '/usr/bin:/bin' }, cwd: home });
    const found = await look.get();
    expect([found.source === 'login-shell', found.note === null]).toEqual([
      found.note === null,
      found.source === 'login-shell',
    ]);
    expect(found.path).toContain('/bin');
  });

  it('has nothing to fall back on when there is no PATH at all', async () => {
    const look = createLoginPath({ seam, userEnv: { SHELL: '/bin/false' }, cwd: '/' });
    expect(await look.get()).toMatchObject({ path: '', source: 'process' });
  });

  it('leaves relative entries out, and says so', async () => {
    const found = await user('PATH=".:bin:/usr/bin:/bin:"\n').look.get();
    expect(found.path).toBe('/usr/bin:/bin');
    expect(found.note).toBe('3 relative or empty entries of PATH left out');
  });

  it('is not misled by a shell that floods or answers with something else', async () => {
    const folder = tempFolder();
    const flood = writeProgram(folder, 'flood', '#!/bin/sh\nyes\n');
    const other = writeProgram(folder, 'other', '#!/bin/sh\necho /evil\n');
    for (const SHELL of [flood, other]) {
      expect((await user('', { SHELL }).look.get()).source).toBe('process');
    }
  });
});

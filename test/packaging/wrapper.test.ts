/** The wrapper alone, before programs that do what a broken Electron could do. */
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';

const WRAPPER = fileURLToPath(new URL('../../build/packaged/sallyport.sh', import.meta.url));

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sally port-'));
  await mkdir(join(folder, 'resources', 'bin'), { recursive: true });
  await copyFile(WRAPPER, join(folder, 'resources', 'bin', 'sallyport'));
  await chmod(join(folder, 'resources', 'bin', 'sallyport'), 0o755);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function start(program: string | null, args: readonly string[]) {
  if (program !== null) {
    await writeFile(join(folder, 'sallyport'), `#!/bin/sh\n${program}\n`);
    await chmod(join(folder, 'sallyport'), 0o755);
  }
  return await execa('/bin/sh', [join(folder, 'resources', 'bin', 'sallyport'), ...args], {
    reject: false,
    extendEnv: false,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    input: '{}',
  });
}

it.each([
  ['is missing', null],
  ['ends with 1', 'exit 1'],
  ['ends with 127', 'exit 127'],
  ['answers and then fails', `echo '{"a":1}'; exit 1`],
  ['dies of a segmentation fault', 'kill -SEGV $$'],
  ['dies of a trap after an answer', `echo '{"a":1}'; kill -TRAP $$`],
  ['says nothing', 'exit 0'],
  ['answers half', `printf '{"a":'`],
  ['writes before its answer', `echo noise; echo '{"a":1}'`],
  ['writes behind its answer', `echo '{"a":1}'; echo noise`],
])('denies with a text when the program %s', async (_, program) => {
  const ended = await start(program, ['dispatch', 'PreToolUse']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stdout).toBe('');
  expect(ended.stderr).toContain('denied');
});

it('hands a whole answer on, byte for byte', async () => {
  const answer = String.raw`{"a":"\u0001 \\n % ü","b":{}}`;
  const ended = await start(`printf '%s\\n' '${answer}'`, ['dispatch', 'PreToolUse']);
  expect(ended).toMatchObject({ exitCode: 0, stdout: answer, stderr: '' });
});

it('denies when nobody reads the answer', async () => {
  await start(`echo '{"a":1}'`, ['dispatch', 'x']);
  const ended = await execa('/bin/sh', ['-c', '"$0" dispatch x >&-', join(folder, 'resources', 'bin', 'sallyport')], {
    reject: false,
    input: '{}',
  });
  expect(ended.exitCode).toBe(2);
});

it('hands a denial on with its text and its body', async () => {
  const ended = await start(`echo '{"no":1}'; echo because >&2; exit 2`, ['dispatch', 'PreToolUse']);
  expect(ended).toMatchObject({ exitCode: 2, stdout: '{"no":1}', stderr: 'because' });
});

it('passes other statuses through and turns a death by signal into 70', async () => {
  expect((await start('exit 9', ['doctor'])).exitCode).toBe(9);
  expect((await start('exit 130', ['run', 'x'])).exitCode).toBe(130);
  expect((await start('kill -SEGV $$', ['doctor'])).exitCode).toBe(70);
});

it('gives standard input to every command', async () => {
  expect((await start('cat', ['doctor'])).stdout).toBe('{}');
  expect((await start('cat', ['dispatch'])).stdout).toBe('{}');
});

it('keeps the command behind a mark, and the sandbox on except for root', async () => {
  const { stdout } = await start(`for a in "$@"; do printf '<%s>' "$a"; done`, ['run', '--', 'a b', '']);
  expect(stdout).toContain('<--ozone-platform=headless>');
  expect(stdout.endsWith('<--><run><--><a b><>')).toBe(true);
  expect(stdout.includes('<--no-sandbox>')).toBe(process.getuid?.() === 0);
});

it('hangs the folder of Chromium on the state folder that the arguments name', async () => {
  const { stdout } = await start(`printf '<%s>' "$@"`, ['--state-dir', '/a b/state', 'doctor']);
  expect(stdout).toContain('<--user-data-dir=/a b/state/electron>');
});

/** The really packaged app: its fuses, its contents, and its command as a user and an agent start it. */
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';

const app = inject('appFolder');
const command = join(app, 'resources', 'bin', 'sallyport');

/** A fuse's state in the program's file; the package keeps its names for them to itself. */
const OFF = 0x30;
const ON = 0x31;

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'sallyport-home-'));
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

/** A made-up environment: no display, no session bus, a home of its own. */
const start = (program: string, args: readonly string[], more: Record<string, string> = {}, input = '') =>
  execa(program, args, {
    reject: false,
    extendEnv: false,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, SALLYPORT_HOME: join(home, 'state folder'), ...more },
    input,
  });

describe('fuses', () => {
  it('are flipped so that only the own archive runs', async () => {
    const wire = await getCurrentFuseWire(join(app, 'sallyport'));
    const expected: [FuseV1Options, number][] = [
      [FuseV1Options.RunAsNode, OFF],
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable, OFF],
      [FuseV1Options.EnableNodeCliInspectArguments, OFF],
      [FuseV1Options.OnlyLoadAppFromAsar, ON],
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation, ON],
      [FuseV1Options.GrantFileProtocolExtraPrivileges, OFF],
      [FuseV1Options.EnableCookieEncryption, ON],
      [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot, OFF],
    ];
    expect(expected.map(([fuse]) => [FuseV1Options[fuse], wire[fuse]])).toEqual(
      expected.map(([fuse, state]) => [FuseV1Options[fuse], state]),
    );
  });

  it('keep the program from running as Node', async () => {
    const marker = join(home, 'marker');
    const script = `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`;
    const ended = await start(join(app, 'sallyport'), ['-e', script], { ELECTRON_RUN_AS_NODE: '1' });
    expect(ended.exitCode).not.toBe(0);
    await expect(stat(marker)).rejects.toThrow();
  });

  it('keep NODE_OPTIONS from loading code', async () => {
    const marker = join(home, 'marker');
    const module = join(home, 'evil.cjs');
    await writeFile(module, `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`);
    const ended = await start(command, ['--version'], { NODE_OPTIONS: `--require ${module}` });
    expect(ended.exitCode).toBe(0);
    await expect(stat(marker)).rejects.toThrow();
  });
});

describe('contents', () => {
  it('are the built programs and the native packages, nothing else', () => {
    const names = listPackage(join(app, 'resources', 'app.asar'), { isPack: false });
    const tops = new Set(names.map((name) => name.split('/')[1]));
    expect([...tops].sort()).toEqual(['LICENSE', 'dist', 'node_modules', 'package.json']);
    expect(names).toContain('/dist/main/index.mjs');
    expect(names).toContain('/node_modules/libsql/index.js');
    expect(names.filter((name) => name.endsWith('.map'))).toEqual([]);
    expect(names.filter((name) => /^\/node_modules\/(vite|electron|typescript)\//.test(name))).toEqual([]);
  });

  it('have the native code beside the archive, where it can be loaded from', async () => {
    const files = await readdir(join(app, 'resources', 'app.asar.unpacked'), { recursive: true });
    const names = files.filter((name) => name.endsWith('.node'));
    expect(names.some((name) => name.includes('libsql'))).toBe(true);
    expect(names.filter((name) => name.includes('keytar'))).toEqual([
      `node_modules/keytar/prebuilds/${process.platform}-${process.arch}/keytar.node`,
    ]);
    expect(names).toHaveLength(2);
  });
});

describe('the command', () => {
  it('tells its version, with nothing of Chromium around it', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    const ended = await start(command, ['--version']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain(version);
    expect(ended.stdout.split('\n')).toHaveLength(1);
  });

  it('is the practice agent too, since this program runs no scripts', async () => {
    const ended = await start(command, ['practice-agent', '--version']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^practice \d/);
  });

  it('works by a link on the PATH and with an unhelpful PATH', async () => {
    const link = join(home, 'sp');
    await symlink(command, link);
    expect(await start(link, ['--version'], { PATH: '/nowhere' })).toMatchObject({ exitCode: 0 });
  });

  it('keeps all that Electron writes inside the state folder', async () => {
    await start(command, ['--version']);
    expect(await readdir(home)).toEqual(['state folder']);
  });

  it.each([
    ['garbage', 'garbage'],
    ['nothing', ''],
    ['two objects', '{}{}'],
    ['a call that it does not know', '{"hook_event_name":"Nonsense"}'],
  ])('denies %s on standard input, with a text', async (_, input) => {
    const ended = await start(command, ['dispatch', 'PreToolUse', '--profile', 'nobody'], {}, input);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr.trim()).not.toBe('');
  });

  it("denies in the agent's own form what a known profile's agent sends broken", async () => {
    const ended = await start(command, ['dispatch', 'PreToolUse', '--profile', 'claude-code'], {}, 'garbage');
    const answer = JSON.parse(ended.stdout) as { hookSpecificOutput: { permissionDecision: string } };
    expect(answer.hookSpecificOutput.permissionDecision).toBe('deny');
  });

  it('denies where the display that the environment names is not there', async () => {
    const ended = await start(command, ['dispatch', 'PreToolUse'], { DISPLAY: ':987' }, '{}');
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr.trim()).not.toBe('');
  });

  it('refuses a command given to the program itself, whose options Chromium would read', async () => {
    // As root Chromium would refuse on its own, before any line of ours.
    const ended = await start(join(app, 'sallyport'), ['--no-sandbox', 'dispatch', 'PreToolUse'], {}, '{}');
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('nothing was allowed');
  });
});

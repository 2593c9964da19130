import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../electron/cli/run-cli.js';
import { removeFolder } from '../../support/folders.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
});
afterEach(() => {
  removeFolder(root);
});

async function command(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const written = { out: '', err: '' };
  stdout.on('data', (chunk: Buffer) => (written.out += chunk.toString('utf8')));
  stderr.on('data', (chunk: Buffer) => (written.err += chunk.toString('utf8')));
  const code = await runCli(argv, { stdin, stdout, stderr, env: { SALLYPORT_HOME: join(root, 'state'), HOME: root } });
  return { code, ...written };
}

describe('help and usage of run', () => {
  it('says how long a prompt may be and how one begins with a dash, and shows no empty defaults', async () => {
    const { code, out } = await command('run', '--help');
    expect(code).toBe(0);
    expect(out).not.toContain('default: []');
    expect(out).toContain('limit of 128 KiB');
    expect(out).toContain('begins with "-" needs "--" before it');
  });

  it('says it where the dash was taken for an option', async () => {
    const { code, err } = await command('run', '--agent', 'practice', '-tidy up');
    expect(code).toBe(2);
    expect(err).toContain('unknown option');
    expect(err).toContain('stands after "--"');
  });
});

describe('hook list --profile', () => {
  it('of nothing that exists is an error that says what to give', async () => {
    const { code, out, err } = await command('hook', 'list', '--profile', 'nope');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('there is no profile "nope"');
    expect(err).toContain('claude-code');
    expect((await command('hook', 'list', '--profile', 'practice')).code).toBe(0);
  });
});

describe('doctor', () => {
  it.each([[['doctor', '--json']], [['--json', 'doctor']]])('answers %j in JSON', async (argv) => {
    const { out } = await command(...argv);
    expect(JSON.parse(out)).toMatchObject({ schema_version: 1, findings: expect.any(Array) as unknown });
  });
});

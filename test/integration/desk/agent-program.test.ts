/** Where an agent's program is when what is on PATH only starts it: the desk shows, and a run approves, that program. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programBehind } from '../../../electron/core/agents/codex/program.js';
import { codex } from '../../../electron/core/agents/codex.js';
import { findInstalled } from '../../../electron/core/runs/agent-program.js';
import { removeFolder } from '../../support/folders.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-program-')));
});
afterEach(() => removeFolder(root));

function put(name: string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

/** As on a Linux machine with this processor, whatever runs the test. */
const adapter = { ...codex, programBehind: (found: string) => programBehind(found, 'linux x64') };
const VENDOR = 'codex-linux-x64/vendor/x86_64-unknown-linux-musl';

function onPath(target: string) {
  mkdirSync(join(root, 'bin'));
  symlinkSync(target, join(root, 'bin', 'codex'));
  return findInstalled(adapter, join(root, 'bin'), root);
}

it.each([
  ['beside the package', `lib/node_modules/@openai/${VENDOR}`],
  ['inside it', `lib/node_modules/@openai/codex/node_modules/@openai/${VENDOR}`],
])("npm's script leads to the native program %s, with what that starts", async (_name, vendor) => {
  const script = put('lib/node_modules/@openai/codex/bin/codex.js');
  const program = put(`${vendor}/bin/codex`);
  const sandbox = put(`${vendor}/codex-resources/bwrap`);
  const found = await onPath(script);
  expect(found).toEqual({ ok: true, value: { program, prefix: [], files: [sandbox] } });
});

it('a native program is itself', async () => {
  const program = put('opt/codex');
  expect(await onPath(program)).toEqual({ ok: true, value: { program, prefix: [], files: [] } });
});

it('a script without its program says so', async () => {
  const found = await onPath(put('lib/node_modules/@openai/codex/bin/codex.js'));
  expect(found?.ok === false && found.error).toContain('is incomplete');
});

it('where it is not on PATH nothing is found', async () => {
  expect(await findInstalled(adapter, join(root, 'bin'), root)).toBeNull();
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { workspaceSubject } from '../../../electron/core/approvals/workspace-subject.js';
import { diffSubjects, subjectTexts } from '../../../electron/core/approvals/shown.js';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import type { Result } from '../../../shared/result.js';
import { tempFolder } from '../../support/processes.js';

const ROOTS = ['.agent', 'AGENT.md'];

function scene() {
  const workspace = tempFolder();
  const put = (name: string, text: string | Buffer) => {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    writeFileSync(path.join(workspace, name), text);
  };
  const look = (parts: readonly { of: string; text: string }[] = []) =>
    workspaceSubject({ agent: 'agent', title: 'Agent', workspace, roots: ROOTS, parts });
  return { workspace, put, look };
}

function subjectIn(found: Result<ApprovalSubject | null, string>): ApprovalSubject {
  if (!found.ok || found.value === null) throw new Error(found.ok ? 'nothing is brought' : found.error);
  return found.value;
}

const errorIn = (found: Result<unknown, string>): string => (found.ok ? '' : found.error);

it('is nothing where the workspace brings nothing, an empty folder too', async () => {
  const { workspace, look } = scene();
  expect(await look()).toEqual({ ok: true, value: null });
  mkdirSync(path.join(workspace, '.agent'));
  expect(await look()).toEqual({ ok: true, value: null });
});

it('is bound to every file at any depth, and to what other files hold for this workspace', async () => {
  const { put, look } = scene();
  put('.agent/settings.json', '{"hooks":{}}');
  put('.agent/hooks/deep/check.sh', 'echo 1\n');
  put('AGENT.md', 'Be kind.\n');
  put('other.json', 'not of it');
  const first = subjectIn(await look());
  expect(first.files.map((file) => path.basename(file.path))).toEqual(['check.sh', 'settings.json', 'AGENT.md']);
  expect(subjectIn(await look()).digest).toBe(first.digest);
  put('other.json', 'changed');
  expect(subjectIn(await look()).digest).toBe(first.digest);
  put('.agent/hooks/deep/check.sh', 'echo 2\n');
  const second = subjectIn(await look());
  expect(second.digest).not.toBe(first.digest);
  const changed = diffSubjects(first.content, second).filter(({ side }) => side !== 'same');
  expect(changed.map(({ text }) => text)).toContain('  echo 2');
  put('.agent/more.json', '{}');
  const third = subjectIn(await look());
  expect(third.digest).not.toBe(second.digest);
  const withPart = subjectIn(await look([{ of: '/home/me/.agent.json', text: '{"server":1}' }]));
  expect(withPart.digest).not.toBe(third.digest);
  expect(withPart.files.at(-1)?.path).toContain('/home/me/.agent.json');
});

it('follows links to what would be read, and ends where they go round', async () => {
  const { workspace, put, look } = scene();
  const outside = tempFolder();
  writeFileSync(path.join(outside, 'settings.json'), '{"a":1}');
  put('.agent/note.md', 'x');
  symlinkSync(outside, path.join(workspace, '.agent', 'linked'));
  symlinkSync(path.join(workspace, '.agent'), path.join(workspace, '.agent', 'round'));
  symlinkSync('nowhere', path.join(workspace, '.agent', 'broken'));
  const first = subjectIn(await look());
  expect(first.files).toHaveLength(2);
  writeFileSync(path.join(outside, 'settings.json'), '{"a":2}');
  expect(subjectIn(await look()).digest).not.toBe(first.digest);
});

it('keeps no value whose name says that it is secret, and is still bound to it', async () => {
  const { put, look } = scene();
  put('.agent/settings.json', '{"env":{"SERVICE_TOKEN": "made-up-\\"value", "PLAIN": "seen"}}');
  const first = subjectIn(await look());
  expect(JSON.stringify(first.content)).not.toContain('made-up');
  expect(subjectTexts(first)[0]?.lines?.join()).toContain('"PLAIN": "seen"');
  put('.agent/settings.json', '{"env":{"SERVICE_TOKEN": "another", "PLAIN": "seen"}}');
  expect(subjectIn(await look()).digest).not.toBe(first.digest);
});

it('says of what is no text, or too long to be shown, that it has no lines', async () => {
  const { put, look } = scene();
  put('.agent/tool.bin', Buffer.from([0xff, 0xfe, 0x00]));
  put('.agent/long.md', 'x'.repeat(40_000));
  expect(subjectTexts(subjectIn(await look())).map(({ lines }) => lines)).toEqual([null, null]);
});

it('refuses what nobody could look through, and what is no file', async () => {
  const many = scene();
  for (let index = 0; index < 301; index += 1) many.put(`.agent/${index}.md`, 'x');
  expect(errorIn(await many.look())).toContain('more than 300 files');
  const large = scene();
  large.put('.agent/large', Buffer.alloc(5 * 1024 * 1024));
  expect(errorIn(await large.look())).toContain('4 MiB');
  const pipe = scene();
  pipe.put('.agent/x', '');
  execFileSync('mkfifo', [path.join(pipe.workspace, '.agent', 'pipe')]);
  expect(errorIn(await pipe.look())).toContain('neither a file nor a folder');
});

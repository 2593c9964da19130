import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { hookSubject, type HookToApprove } from '../../../electron/core/approvals/subjects.js';
import { bundleProgram, tempFolder, testEnv, writeProgram } from '../../support/processes.js';

function hookOf(
  argv: readonly string[],
  more: { env?: Record<string, string>; pin?: boolean; id?: string } = {},
): HookToApprove {
  const id = more.id ?? 'guard';
  return {
    ...{ key: `global::${id}`, id, name: 'Guard', scope: 'global', pinProgram: more.pin ?? false },
    handler: { kind: 'command', argv: [...argv], ...(more.env === undefined ? {} : { env: more.env }) },
  };
}

async function subjectOf(
  hook: HookToApprove,
  workspace: string,
  userEnv: Record<string, string> = testEnv,
): Promise<ApprovalSubject> {
  const result = await hookSubject(hook, { workspace, userEnv });
  if (!result.ok) throw new Error(result.error.text);
  return result.value;
}

/** A workspace with a script, a folder of programs beside it, and a PATH that finds both. */
function scene() {
  const root = tempFolder();
  const [workspace, early, late] = ['ws', 'early', 'late'].map((name) => path.join(root, name));
  if (workspace === undefined || early === undefined || late === undefined) throw new Error('unreachable');
  for (const folder of [workspace, early, late]) mkdirSync(folder);
  writeFileSync(path.join(workspace, 'check.sh'), 'echo 1\n');
  return { root, workspace, early, late, userEnv: { PATH: `${early}:${late}:${testEnv.PATH}` } };
}

describe('the subject of a command hook', () => {
  it('shows tokens, the real program, variable names, scripts with digests, and what is not covered', async () => {
    const { workspace } = scene();
    const subject = await subjectOf(hookOf(['sh', 'check.sh', '--fast'], { env: { MODE: 'x' } }), workspace);
    expect(subject).toMatchObject({
      kind: 'hook-argv',
      key: 'hook-argv global::guard',
      argv: ['sh', 'check.sh', '--fast'],
    });
    expect(subject.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(path.isAbsolute(subject.program)).toBe(true);
    expect([subject.envNames, subject.cwd]).toEqual([['MODE'], workspace]);
    expect(subject.files.map((file) => file.path)).toContain(path.join(workspace, 'check.sh'));
    expect(subject.notCovered.join()).toContain('imports');
  });

  it('is the same twice, and another for each thing that counts', async () => {
    const { workspace, userEnv } = scene();
    const digest = async (hook: HookToApprove) => (await subjectOf(hook, workspace, userEnv)).digest;
    const base = await digest(hookOf(['sh', 'check.sh']));
    expect(await digest(hookOf(['sh', 'check.sh']))).toBe(base);
    const others = [
      hookOf(['sh', 'check.sh', '']),
      hookOf(['sh', './check.sh']),
      hookOf(['sh', 'check.sh'], { env: {}, id: 'other' }),
      hookOf(['sh', 'check.sh'], { env: { A: '1' } }),
      hookOf(['sh', 'check.sh'], { env: { A: '2' } }),
      hookOf(['cat', 'check.sh']),
    ];
    const digests = await Promise.all(others.map(digest));
    expect(new Set([base, ...digests]).size).toBe(others.length + 1);
  });

  it('changes with one byte of a script, also behind --option=, and with a script that appears or goes', async () => {
    const { workspace } = scene();
    const hook = hookOf(['sh', '--rc=./lib/rc', 'check.sh', 'later.py']);
    const before = await subjectOf(hook, workspace);
    writeFileSync(path.join(workspace, 'check.sh'), 'echo 2\n');
    const edited = await subjectOf(hook, workspace);
    writeFileSync(path.join(workspace, 'later.py'), '');
    const appeared = await subjectOf(hook, workspace);
    mkdirSync(path.join(workspace, 'lib'));
    writeFileSync(path.join(workspace, 'lib/rc'), 'x');
    const option = await subjectOf(hook, workspace);
    rmSync(path.join(workspace, 'check.sh'));
    const gone = await subjectOf(hook, workspace);
    expect(new Set([before, edited, appeared, option, gone].map((subject) => subject.digest)).size).toBe(5);
  });

  it('changes with another program earlier on PATH', async () => {
    const { workspace, early, late, userEnv } = scene();
    writeProgram(late, 'tool', '#!/bin/sh\necho late\n');
    const before = await subjectOf(hookOf(['tool']), workspace, userEnv);
    writeProgram(early, 'tool', '#!/bin/sh\necho early\n');
    const after = await subjectOf(hookOf(['tool']), workspace, userEnv);
    expect([before.program, after.program]).toEqual([path.join(late, 'tool'), path.join(early, 'tool')]);
    expect(after.digest).not.toBe(before.digest);
  });

  it('changes when only the name by which the same program is found changes', async () => {
    const { workspace, early, late, userEnv } = scene();
    symlinkSync('/bin/sh', path.join(late, 'tool'));
    const before = await subjectOf(hookOf(['tool']), workspace, userEnv);
    symlinkSync('/bin/sh', path.join(early, 'tool'));
    const after = await subjectOf(hookOf(['tool']), workspace, userEnv);
    expect(after.program).toBe(before.program);
    expect(after.digest).not.toBe(before.digest);
  });

  it('changes with a link that leads elsewhere: of a script, also to the same bytes, and of a program', async () => {
    const { root, workspace, late, userEnv } = scene();
    const link = path.join(workspace, 'link.sh');
    writeFileSync(path.join(root, 'a.sh'), 'same\n');
    writeFileSync(path.join(root, 'b.sh'), 'same\n');
    symlinkSync(path.join(root, 'a.sh'), link);
    const before = await subjectOf(hookOf(['sh', './link.sh']), workspace);
    rmSync(link);
    symlinkSync(path.join(root, 'b.sh'), link);
    expect((await subjectOf(hookOf(['sh', './link.sh']), workspace)).digest).not.toBe(before.digest);

    const program = path.join(late, 'prog');
    symlinkSync('/bin/cat', program);
    const cat = await subjectOf(hookOf(['prog']), workspace, userEnv);
    rmSync(program);
    symlinkSync('/bin/ls', program);
    expect((await subjectOf(hookOf(['prog']), workspace, userEnv)).digest).not.toBe(cat.digest);
  });

  it('pins the bytes of a program that can be written or lies in the workspace, and of any when asked to', async () => {
    const { workspace, late, userEnv } = scene();
    const file = writeProgram(late, 'tool', '#!/bin/sh\necho 1\n');
    const before = await subjectOf(hookOf(['tool']), workspace, userEnv);
    expect(before.files.map((entry) => entry.path)).toContain(file);
    writeProgram(late, 'tool', '#!/bin/sh\necho 2\n');
    expect((await subjectOf(hookOf(['tool']), workspace, userEnv)).digest).not.toBe(before.digest);
    writeProgram(workspace, 'own', '#!/bin/sh\n');
    const own = await subjectOf(hookOf(['./own']), workspace);
    expect(own.files.map((entry) => entry.path)).toContain(path.join(workspace, 'own'));
    const pinned = await subjectOf(hookOf(['sh'], { pin: true }), workspace);
    expect(pinned.files.map((entry) => entry.path)).toContain(pinned.program);
  });

  it('does not pin a system program that this user cannot replace', async () => {
    const folder = tempFolder();
    chmodSync(folder, 0o755);
    const program = await bundleProgram(
      folder,
      `import { hookSubject } from '${path.resolve('electron/core/approvals/subjects.ts')}';
       const hook = (pinProgram) => ({ key: 'k', id: 'i', name: 'n', scope: 'global', pinProgram, handler: { kind: 'command', argv: ['/bin/sh'] } });
       const of = async (pin) => (await hookSubject(hook(pin), { workspace: '/', userEnv: process.env })).value.files.length;
       // The workspace is the root here for a reason: what lies in it is pinned in any case.
       const elsewhere = async (pin) => (await hookSubject(hook(pin), { workspace: '/proc', userEnv: process.env })).value.files.length;
       console.log(JSON.stringify([await elsewhere(false), await elsewhere(true), await of(false)]));`,
    );
    const asSomebody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    const [command = '', ...args] = [...asSomebody, process.execPath, program];
    expect(JSON.parse(execFileSync(command, args, { encoding: 'utf8' }))).toEqual([0, 1, 1]);
  });

  it('refuses what no digest can be made of', async () => {
    const { workspace } = scene();
    const result = await hookSubject(hookOf(['sh', '\ud800']), { workspace, userEnv: testEnv });
    expect(result.ok ? null : result.error.code).toBe('not-hashable');
  });

  it('changes with the interpreter that a script’s first line finds on PATH', async () => {
    const { workspace, early, late, userEnv } = scene();
    writeProgram(late, 'lang', '#!/bin/sh\n');
    writeProgram(late, 'tool', '#!/usr/bin/env -S MODE=1 lang -x\n');
    const before = await subjectOf(hookOf(['tool']), workspace, userEnv);
    writeProgram(early, 'lang', '#!/bin/sh\n');
    const after = await subjectOf(hookOf(['tool']), workspace, userEnv);
    expect([before.program, after.program]).toEqual([path.join(late, 'tool'), path.join(late, 'tool')]);
    expect(after.digest).not.toBe(before.digest);
  });

  it('never finds a program in the workspace through PATH', async () => {
    const { workspace, late } = scene();
    writeProgram(workspace, 'tool', '#!/bin/sh\n');
    writeProgram(late, 'tool', '#!/bin/sh\n');
    const subject = await subjectOf(hookOf(['tool']), workspace, { PATH: `.:${workspace}:${late}:${testEnv.PATH}` });
    expect(subject.program).toBe(path.join(late, 'tool'));
  });

  it('names what is too large or a folder as not covered', async () => {
    const { workspace } = scene();
    writeFileSync(path.join(workspace, 'big.js'), Buffer.alloc(1_048_577, ' '));
    const subject = await subjectOf(hookOf(['sh', 'big.js', './']), workspace);
    expect(subject.notCovered.join('\n')).toMatch(/big\.js.*larger than 1 MiB/);
    expect(subject.notCovered.join('\n')).toContain('the files of the folder');
    writeFileSync(path.join(workspace, 'big.js'), Buffer.alloc(1_048_576, ' '));
    const covered = await subjectOf(hookOf(['sh', 'big.js']), workspace);
    expect(covered.files.map((file) => file.path)).toContain(path.join(workspace, 'big.js'));
  });

  it('takes words that merely look like arguments for what they are', async () => {
    const { workspace } = scene();
    writeFileSync(path.join(workspace, 'README'), 'x');
    const subject = await subjectOf(hookOf(['cat', 'README', '-n', '--x=y', 'http://localhost/check.sh']), workspace);
    expect(subject.files.filter((file) => file.path.startsWith(workspace))).toEqual([]);
  });

  it('is broken without its program or interpreter, and there is none without a program', async () => {
    const { workspace, late, userEnv } = scene();
    const codeOf = async (hook: HookToApprove) => {
      const result = await hookSubject(hook, { workspace, userEnv });
      return result.ok ? 'ok' : result.error.code;
    };
    expect(await codeOf(hookOf(['no-such-program']))).toBe('broken');
    expect(await codeOf(hookOf(['sh'], { env: { PATH: '.' } }))).toBe('broken');
    writeProgram(late, 'tool', '#!/usr/bin/env no-such-language\n');
    expect(await codeOf(hookOf(['tool']))).toBe('broken');
    writeProgram(late, 'tool', '#!\n');
    expect(await codeOf(hookOf(['tool']))).toBe('broken');
    chmodSync(path.join(late, 'tool'), 0o644);
    expect(await codeOf(hookOf(['tool']))).toBe('broken');
    const builtin: HookToApprove = { ...hookOf(['x']), handler: { kind: 'builtin', builtin: 'forbidden-path' } };
    expect(await codeOf(builtin)).toBe('no-program');
  });
});

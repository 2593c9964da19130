import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveProgram } from '../../../electron/core/spawn/programs.js';
import { tempFolder, writeProgram } from '../../support/processes.js';

/** A folder with programs in `a` and `b`, and a text file that nobody may execute in `a`. */
function folders() {
  const root = realpathSync(tempFolder());
  const [a, b] = [join(root, 'a'), join(root, 'b')];
  mkdirSync(a);
  mkdirSync(b);
  writeProgram(a, 'both', '#!/bin/sh\n');
  writeProgram(b, 'both', '#!/bin/sh\n');
  writeProgram(b, 'shadowed', '#!/bin/sh\n');
  writeFileSync(join(a, 'shadowed'), '');
  chmodSync(join(a, 'shadowed'), 0o644);
  mkdirSync(join(a, 'folder'));
  symlinkSync(join(b, 'both'), join(a, 'link'));
  return { root, a, b };
}

const found = async (name: string, path: string, cwd: string) => {
  const program = await resolveProgram(name, path, cwd);
  return program.ok ? program.value.found : program.error.code;
};

describe('which file a program name means', () => {
  it('a bare name: the first executable file on the path; what cannot be executed is passed over', async () => {
    const { root, a, b } = folders();
    expect(await found('both', `${a}:${b}`, root)).toBe(join(a, 'both'));
    expect(await found('shadowed', `${a}:${b}`, root)).toBe(join(b, 'shadowed'));
  });

  it('a name with a separator: from the working folder, never from the path', async () => {
    const { root, a, b } = folders();
    expect(await found('./b/both', a, root)).toBe(join(b, 'both'));
    expect(await found('./both', a, root)).toBe('missing');
  });

  it('relative entries count from the working folder, empty ones are never searched', async () => {
    const { root, a } = folders();
    expect(await found('both', 'a', root)).toBe(join(a, 'both'));
    expect(await found('both', '::', a)).toBe('missing');
  });

  it('tells a missing program from one that cannot be executed, and a folder is none', async () => {
    const { root, a } = folders();
    expect(await found('nowhere', a, root)).toBe('missing');
    expect(await found('shadowed', a, root)).toBe('not-executable');
    expect(await found('folder', a, root)).toBe('not-executable');
    expect(await found(join(a, 'folder'), '', root)).toBe('not-executable');
  });

  it('names the file behind a link too', async () => {
    const { root, a, b } = folders();
    const program = await resolveProgram('link', a, root);
    expect(program).toMatchObject({ ok: true, value: { found: join(a, 'link'), real: join(b, 'both') } });
  });
});

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openState, stateFolderPath } from '../../../electron/core/store/layout.js';
import { isId } from '../../../shared/ids.js';
import { asNobody, programOf, runProgram } from '../../support/programs.js';
import { tempFolder } from '../../support/processes.js';

const mode = (path: string) => statSync(path).mode & 0o7777;

async function refusal(dir: string): Promise<string> {
  const state = await openState(dir);
  if (state.ok) throw new Error('it was opened');
  return state.error.text;
}

describe('where the state folder lies', () => {
  it('is the argument, then SALLYPORT_HOME, then the data folder', () => {
    const env = { SALLYPORT_HOME: '/b', XDG_DATA_HOME: '/c' };
    expect(stateFolderPath('/a', env)).toBe('/a');
    expect(stateFolderPath(null, env)).toBe('/b');
    expect(stateFolderPath(null, { SALLYPORT_HOME: '', XDG_DATA_HOME: '/c' })).toBe('/c/sallyport');
    expect(stateFolderPath(null, {})).toMatch(/sallyport/);
  });
});

describe('where the state folder lies without a HOME', () => {
  it('is never the folder that we stand in', async () => {
    const program = await programOf(
      (core) => `import { stateFolderPath } from ${core('store/layout.ts')};
       console.log(stateFolderPath(null, {}));`,
    );
    const out = execFileSync(process.execPath, [program], { encoding: 'utf8', env: { HOME: '', PATH: '/usr/bin' } });
    expect(isAbsolute(out.trim())).toBe(true);
    expect(out).not.toContain(process.cwd());
  });
});

describe('opening the state folder', () => {
  it('makes it for this user alone, and opens the same one again', async () => {
    const dir = join(tempFolder(), 'deep', 'state');
    const made = await openState(dir);
    const again = await openState(dir);
    expect(made.ok && isId('state', made.value.id)).toBe(true);
    expect(again).toEqual(made);
    expect(mode(dir)).toBe(0o700);
    expect(mode(join(dir, 'layout.json'))).toBe(0o600);
    for (const folder of ['runs', 'bin', 'profiles', 'hooks', 'hooks/profiles', 'locks'])
      expect(mode(join(dir, folder))).toBe(0o700);
    expect(JSON.parse(readFileSync(join(dir, 'layout.json'), 'utf8'))).toMatchObject({ version: 1 });
  });

  it('gives processes that begin at the same time the same folder', async () => {
    const dir = join(tempFolder(), 'state');
    const program = await programOf(
      (core) => `import { openState } from ${core('store/layout.ts')};
       const [, , dir, at] = process.argv;
       while (Date.now() < Number(at));
       console.log(JSON.stringify(await openState(dir)));`,
    );
    const at = String(Date.now() + 1_500);
    const ended = await Promise.all([1, 2, 3, 4].map(() => runProgram(program, [dir, at])));
    const answers = ended.map(({ out }) => out.trim());
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ ok: true });
    expect(new Set(answers).size).toBe(1);
  });

  it('refuses one of a newer version and changes nothing', async () => {
    const dir = tempFolder();
    chmodSync(dir, 0o700);
    const text = '{"version":2,"id":"something new","more":{}}';
    writeFileSync(join(dir, 'layout.json'), text);
    expect(await refusal(dir)).toMatch(/newer Sallyport \(layout 2, .*Use the newer version/);
    expect(readFileSync(join(dir, 'layout.json'), 'utf8')).toBe(text);
    expect(existsSync(join(dir, 'runs'))).toBe(false);
  });

  it.each(['', '{}', '{"version":1}', '{"version":1,"id":"state_x"}', '{"version":0,"id":"x"}', 'null'])(
    'refuses one whose layout file is damaged: %s',
    async (text) => {
      const dir = tempFolder();
      chmodSync(dir, 0o700);
      writeFileSync(join(dir, 'layout.json'), text);
      expect(await refusal(dir)).toMatch(/layout\.json is damaged.*Restore/);
    },
  );

  it('names a file in its place, and a file above it', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    expect(await refusal(file)).toMatch(/something that is not a folder.*Move what stands there away/);
    expect(await refusal(join(file, 'below'))).toMatch(/something that is not a folder.*--state-dir/);
  });

  it('refuses a folder that others may write into, or replace', async () => {
    const open = join(tempFolder(), 'open');
    mkdirSync(open);
    chmodSync(open, 0o770);
    expect(await refusal(open)).toMatch(/Others may write .*chmod 700/);

    const parent = join(tempFolder(), 'parent');
    mkdirSync(parent);
    chmodSync(parent, 0o777);
    expect(await refusal(join(parent, 'state'))).toMatch(/Everybody may write into .*chmod o-w/);
    chmodSync(parent, 0o1777);
    expect((await openState(join(parent, 'state'))).ok).toBe(true);
  });

  it('looks at the folders that a link leads to', async () => {
    const base = tempFolder();
    mkdirSync(join(base, 'wide'));
    chmodSync(join(base, 'wide'), 0o777);
    mkdirSync(join(base, 'wide', 'state'), { mode: 0o700 });
    symlinkSync(join(base, 'wide', 'state'), join(base, 'link'));
    expect(await refusal(join(base, 'link'))).toMatch(/Everybody may write into /);
  });

  it('refuses what belongs to somebody else', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('only root can give a folder away');
    const base = tempFolder();
    const foreign = join(base, 'foreign');
    mkdirSync(foreign, { mode: 0o755 });
    chownSync(foreign, 65_534, 65_534);
    expect(await refusal(foreign)).toMatch(/belongs to another user \(uid 65534\)/);
    expect(await refusal(join(foreign, 'state'))).toMatch(/who could put another folder in the place/);
  });

  it('takes the owner of the root folder for the administrator, in a user namespace too', async () => {
    const program = await programOf(
      (core) => `import { openState } from ${core('store/layout.ts')};
       console.log(JSON.stringify(await openState(process.argv[2])));`,
    );
    const base = tempFolder();
    chmodSync(base, 0o755);
    const dir = join(base, 'state');
    mkdirSync(dir, { mode: 0o700 });
    const user = asNobody();
    if (user !== null) chownSync(dir, user.uid, user.gid);
    // There the real root is unmapped and looks like somebody else.
    const inNamespace = ['unshare', '--user', '--map-root-user', process.execPath, program, dir];
    const asUser = user === null ? [] : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
    const [file = '', ...args] = [...asUser, ...inNamespace];
    expect(JSON.parse(execFileSync(file, args, { encoding: 'utf8' }))).toMatchObject({ ok: true });
  });

  it('names what a read-only or closed folder lacks', async (context) => {
    const program = await programOf(
      (core) => `import { openState } from ${core('store/layout.ts')};
       console.log(JSON.stringify(await openState(process.argv[2])));`,
    );
    const user = asNobody();
    if (user === null) return context.skip('needs root, to be somebody else for once');
    const base = tempFolder();
    chmodSync(base, 0o755);
    const dir = join(base, 'state');
    mkdirSync(dir, { mode: 0o700 });
    chownSync(dir, user.uid, user.gid);
    const opened = async (path: string) => JSON.parse((await runProgram(program, [path], user)).out) as unknown;
    expect(await opened(dir)).toMatchObject({ ok: true });

    chmodSync(dir, 0o500);
    const text = expect.stringMatching(/may not be read or written by this user.*Make it yours/) as unknown;
    expect(await opened(dir)).toMatchObject({ ok: false, error: { code: 'unusable', text } });
    chmodSync(dir, 0o000);
    expect(await opened(dir)).toMatchObject({ ok: false, error: { code: 'unusable', text } });
    expect(await opened(join(base, 'new'))).toMatchObject({ ok: false, error: { code: 'unusable', text } });
  });
});

/** What decides whether a clone is ready: the Node that runs, and the packages that are installed. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPackaged } from '../../../build/packaged-files.mjs';
import { modulesAreCurrent, nodeTrouble } from '../../../build/setup.mjs';

describe('nodeTrouble', () => {
  it.each(['20.19.0', '20.20.2', '22.12.0', '23.0.0', '24.1.0'])('has nothing to say about %s', (version) => {
    expect(nodeTrouble(version)).toBeNull();
  });

  it.each(['18.20.0', '20.18.3', '21.7.0', '22.11.0'])('names what to install in place of %s', (version) => {
    expect(nodeTrouble(version)).toContain(version);
    expect(nodeTrouble(version)).toContain('20.19');
  });
});

describe('modulesAreCurrent', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'sallyport-setup-'));
    await mkdir(join(root, 'node_modules'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const write = (wanted: object, installed: object | null) =>
    Promise.all([
      writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...wanted } })),
      installed && writeFile(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed })),
    ]);

  const a = (version: string) => ({ 'node_modules/a': { version } });

  it('is true when each package is there in its version', async () => {
    await write({ ...a('1.0.0'), 'node_modules/b': { version: '2.0.0', optional: true } }, a('1.0.0'));
    expect(modulesAreCurrent(root)).toBe(true);
  });

  it.each([
    ['nothing is installed', a('1.0.0'), null],
    ['another version is', a('1.0.0'), a('1.0.1')],
    ['a package is missing', a('1.0.0'), {}],
  ])('is false when %s', async (_, wanted, installed) => {
    await write(wanted, installed);
    expect(modulesAreCurrent(root)).toBe(false);
  });
});

describe('isPackaged', () => {
  it.each(['', '/dist/main/index.mjs', '/package.json', '/node_modules', '/node_modules/libsql/index.js'])(
    'takes %j in',
    (path) => {
      expect(isPackaged(path)).toBe(true);
    },
  );

  it.each([
    ...['/.git', '/test', '/electron/main/index.ts', '/node_modules/vite', '/node_modules/libsql-extra/index.js'],
    ...['/dist/main/index.mjs.map', '/distribution', '/.env', '/out/Sallyport-linux-x64'],
  ])('leaves %j out', (path) => {
    expect(isPackaged(path)).toBe(false);
  });
});

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeAtomic } from '../../../electron/core/store/atomic.js';
import { asNobody, programOf, runProgram } from '../../support/programs.js';
import { tempFolder } from '../../support/processes.js';
import { smallDisk } from '../../support/small-disk.js';

describe('an atomic write', () => {
  it('replaces the file with exactly the mode that was asked for', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, 'old', { mode: 0o644 });
    await writeAtomic(file, 'new', { mode: 0o600 });
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const umask = process.umask(0o077);
    try {
      await writeAtomic(file, Buffer.from([1, 2]), { mode: 0o755 });
    } finally {
      process.umask(umask);
    }
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(readFileSync(file)).toEqual(Buffer.from([1, 2]));
    expect(readdirSync(dirname(file))).toEqual(['file']);
  });

  it('replaces a link and never follows it', async () => {
    const folder = tempFolder();
    const [outside, file] = [join(folder, 'outside'), join(folder, 'file')];
    writeFileSync(outside, 'mine');
    symlinkSync(outside, file);
    await writeAtomic(file, 'new', { mode: 0o600 });
    expect(readFileSync(outside, 'utf8')).toBe('mine');
    expect(lstatSync(file).isSymbolicLink()).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('new');
  });

  it('leaves the old file when the process is killed before the rename', async () => {
    const folder = tempFolder();
    const file = join(folder, 'file');
    writeFileSync(file, 'old');
    const program = await programOf(
      (core) => `
        import fs from 'node:fs/promises';
        import { syncBuiltinESMExports } from 'node:module';
        import { writeAtomic } from ${core('store/atomic.ts')};
        fs.rename = () => process.kill(process.pid, 'SIGKILL');
        syncBuiltinESMExports();
        await writeAtomic(process.argv[2], 'new', { mode: 0o600 });`,
    );
    const ended = await runProgram(program, [file]);
    expect(ended.signal).toBe('SIGKILL');
    expect(readFileSync(file, 'utf8')).toBe('old');
    // The new text was complete, so it was killed at the right place.
    const [left] = readdirSync(folder).filter((name) => name.endsWith('.tmp'));
    expect(readFileSync(join(folder, left ?? ''), 'utf8')).toBe('new');
    await writeAtomic(file, 'newer', { mode: 0o600 });
    expect(readFileSync(file, 'utf8')).toBe('newer');
  });

  it('flushes the file before the rename and the folder after it', async () => {
    const folder = tempFolder();
    const program = await programOf(
      (core) => `
        import fs from 'node:fs/promises';
        import { syncBuiltinESMExports } from 'node:module';
        import { writeAtomic } from ${core('store/atomic.ts')};
        const log = [];
        const { open, rename } = fs;
        fs.open = async (path, ...more) => {
          const handle = await open(path, ...more);
          const sync = handle.sync.bind(handle);
          handle.sync = () => (log.push((await_stat(path)) + ' flushed'), sync());
          return handle;
        };
        import { statSync } from 'node:fs';
        const await_stat = (path) => (statSync(path).isDirectory() ? 'folder' : 'file');
        fs.rename = (...paths) => (log.push('renamed'), rename(...paths));
        syncBuiltinESMExports();
        await writeAtomic(process.argv[2], 'new', { mode: 0o600 });
        console.log(log.join(', '));`,
    );
    const ended = await runProgram(program, [join(folder, 'file')]);
    expect(ended.out).toBe('file flushed, renamed, folder flushed\n');
  });

  it('says that the disk is full and leaves nothing behind', async (context) => {
    const disk = smallDisk();
    if (disk === null) return context.skip('mounting a small file system needs root');
    const file = join(disk, 'file');
    writeFileSync(file, 'old');
    await expect(writeAtomic(file, Buffer.alloc(100_000), { mode: 0o600 })).rejects.toThrow(/ENOSPC/);
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(disk)).toEqual(['file']);
  });

  it('says that the folder is read-only', async (context) => {
    const user = asNobody();
    if (user === null) return context.skip('needs root, to be somebody else for once');
    const base = tempFolder();
    chmodSync(base, 0o755);
    const folder = join(base, 'closed');
    mkdirSync(folder, { mode: 0o755 });
    const program = await programOf(
      (core) => `
        import { writeAtomic } from ${core('store/atomic.ts')};
        await writeAtomic(process.argv[2], 'new', { mode: 0o600 }).catch((error) => console.log(error.code));`,
    );
    expect((await runProgram(program, [join(folder, 'file')], user)).out).toBe('EACCES\n');
    expect(existsSync(join(folder, 'file'))).toBe(false);
  });
});

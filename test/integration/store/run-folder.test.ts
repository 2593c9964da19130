import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openAppendFile } from '../../../electron/core/store/append-file.js';
import { openState, type StateFolder } from '../../../electron/core/store/layout.js';
import {
  listRunIds,
  openRunWriter,
  readRun,
  readRuns,
  readTraces,
  runFolder,
} from '../../../electron/core/store/run-folder.js';
import { newId } from '../../../shared/ids.js';
import { tempFolder } from '../../support/processes.js';
import { putRunFolder, runRecord, stateIn, trace } from '../../support/runs.js';
import { smallDisk } from '../../support/small-disk.js';

const newState = () => stateIn(join(tempFolder(), 'state'));

async function writerIn(state: StateFolder, id = newId('run')) {
  const heard: string[] = [];
  const writer = await openRunWriter(state, id, (what) => heard.push(what));
  return { writer, heard, id };
}

describe('writing a run', () => {
  it('makes its folder for this user alone and keeps everything in order', async () => {
    const state = await newState();
    const { writer, heard, id } = await writerIn(state);
    const lines = Array.from({ length: 5_000 }, (_, at) => JSON.stringify({ at }));
    for (const line of lines) void writer.appendEvent(line);
    void writer.appendTrace(JSON.stringify(trace({ run_id: id })));
    void writer.appendStdout(Buffer.from([0xff, 0]));
    void writer.appendStderr(Buffer.from('err'));
    for (const prompt of ['first', 'second', 'last']) void writer.saveRecord(runRecord({ id, prompt }));
    await writer.close();

    expect(heard).toEqual([]);
    expect(readFileSync(join(writer.folder, 'events.jsonl'), 'utf8')).toBe(`${lines.join('\n')}\n`);
    expect(readFileSync(join(writer.folder, 'stdout.log'))).toEqual(Buffer.from([0xff, 0]));
    expect(await readRun(state, id)).toMatchObject({ ok: true, value: { id, prompt: 'last' } });
    expect((await readTraces(state, id)).traces).toHaveLength(1);
    expect(readdirSync(writer.folder).sort()).toEqual(
      ['events.jsonl', 'gate', 'run.json', 'stderr.log', 'stdout.log', 'traces.jsonl'].sort(),
    );
    for (const name of readdirSync(writer.folder)) {
      expect(statSync(join(writer.folder, name)).mode & 0o777).toBe(name === 'gate' ? 0o700 : 0o600);
    }
    expect(statSync(writer.folder).mode & 0o777).toBe(0o700);
  });

  it('never takes over a folder that is there', async () => {
    const state = await newState();
    const { writer, id } = await writerIn(state);
    await writer.close();
    await expect(writerIn(state, id)).rejects.toThrow(/EEXIST/);
  });

  it('builds no path from what is no run id', async () => {
    const state = await newState();
    for (const id of ['../x', 'run_../../etc', 'run_A', '', 'state_aaaaaaaaaaaaaaaaaaaaaaaaaa'])
      expect(() => runFolder(state, id)).toThrow(/is no run id/);
  });

  it('makes a source wait that is faster than the disk', async () => {
    const pipe = join(tempFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const file = await openAppendFile(pipe, (what) => expect.fail(what));
    let room = true;
    const size = 2 * 1_048_576;
    const flood = file.append(Buffer.alloc(size, 'x')).then(() => (room = true));
    room = false;
    // Nobody reads, so it cannot have been written, however long this takes.
    for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
    expect(room).toBe(false);
    const taken = Buffer.alloc(65_536);
    for (let got = 0; got < size;) {
      try {
        got += readSync(reader, taken);
      } catch {
        await nextTurn();
      }
    }
    await flood;
    expect(room).toBe(true);
    await file.close();
    closeSync(reader);
  });
});

describe('a disk that is full', () => {
  it('is told once for each file, kept as a fault, and never thrown', async (context) => {
    const disk = smallDisk();
    if (disk === null) return context.skip('mounting a small file system needs root');
    const state = await stateIn(disk);
    const { writer, heard, id } = await writerIn(state);
    await writer.saveRecord(runRecord({ id, prompt: 'before' }));
    for (let at = 0; at < 40; at += 1) await writer.appendStdout(Buffer.alloc(4_096, 'a'));
    await expect.poll(() => heard.length).toBe(1);
    for (let at = 0; at < 40; at += 1) void writer.appendStdout(Buffer.alloc(4_096, 'b'));
    void writer.appendTrace('{"lost":"too"}'.repeat(600));
    await writer.saveRecord(runRecord({ id, prompt: 'never' }));
    await writer.saveRecord(runRecord({ id, prompt: 'never too' }));
    await expect.poll(() => heard.length).toBe(3);
    expect(heard.filter((what) => what.includes('stdout.log could not be written: ENOSPC'))).toHaveLength(1);
    expect(heard.filter((what) => what.includes('run.json could not be written: ENOSPC'))).toHaveLength(1);
    expect(writer.faults()).toEqual(heard);
    // The record is the old one, whole, and nothing half-written lies beside it.
    expect(await readRun(state, id)).toMatchObject({ ok: true, value: { prompt: 'before' } });
    expect(readdirSync(writer.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);

    rmSync(join(writer.folder, 'stderr.log'));
    await writer.close();
    expect(readFileSync(join(writer.folder, 'stdout.log'), 'utf8')).not.toContain('b');
    expect(writer.faults()).toHaveLength(3);
  });

  it('keeps the state folder from being made, and says so', async (context) => {
    const disk = smallDisk();
    if (disk === null) return context.skip('mounting a small file system needs root');
    writeFileSync(join(disk, 'everything'), Buffer.alloc(65_536));
    const state = await openState(join(disk, 'state'));
    expect(state).toMatchObject({ ok: false, error: { code: 'unusable' } });
    expect(!state.ok && state.error.text).toMatch(/no space left.*Free some space/);
  });
});

describe('reading runs', () => {
  it('gives them newest first and sets aside what is none, with the reason, as it is', async () => {
    const state = await newState();
    const [old, young] = [runRecord({ createdAt: 1 }), runRecord({ createdAt: 2 })];
    await putRunFolder(state, old);
    await putRunFolder(state, young);
    const broken = {
      garbage: '{"schema_version":1,',
      version: JSON.stringify({ ...runRecord(), schema_version: 2 }),
      other: JSON.stringify(old),
    };
    const ids = Object.fromEntries(
      Object.entries(broken).map(([name, text]) => {
        const id = newId('run');
        mkdirSync(join(state.runsDir, id));
        writeFileSync(join(state.runsDir, id, 'run.json'), text);
        return [name, id];
      }),
    );
    const [empty, file, link, linked] = [newId('run'), newId('run'), newId('run'), newId('run')];
    mkdirSync(join(state.runsDir, empty));
    writeFileSync(join(state.runsDir, file), '');
    symlinkSync(join(state.runsDir, old.id), join(state.runsDir, link));
    mkdirSync(join(state.runsDir, linked));
    symlinkSync(join(state.runsDir, old.id, 'run.json'), join(state.runsDir, linked, 'run.json'));
    mkdirSync(join(state.runsDir, 'not-a-run'));

    const { runs, setAside } = await readRuns(state);
    expect(runs).toEqual([young, old]);
    const reasons = Object.fromEntries(setAside.map(({ id, reason }) => [id, reason]));
    expect(reasons).toEqual({
      [ids['garbage'] ?? '']: expect.stringMatching(/cannot be read: .*JSON/),
      [ids['version'] ?? '']: expect.stringMatching(/another form \(schema_version/),
      [ids['other'] ?? '']: 'run.json is that of another run',
      [empty]: 'there is no run.json',
      [file]: expect.stringMatching(/is not a folder/),
      [link]: expect.stringMatching(/is not a folder/),
      [linked]: expect.stringMatching(/ELOOP/),
    });
    expect(readFileSync(join(state.runsDir, ids['garbage'] ?? '', 'run.json'), 'utf8')).toBe(broken.garbage);
    expect(await listRunIds(state)).toHaveLength(9);
  });

  it('leaves out and counts lines that are no trace of this run', async () => {
    const state = await newState();
    const run = runRecord();
    const mine = trace({ run_id: run.id });
    await putRunFolder(state, run, { traces: [mine, trace()] });
    writeFileSync(join(runFolder(state, run.id), 'traces.jsonl'), '{"half":', { flag: 'a' });
    expect(await readTraces(state, run.id)).toEqual({ traces: [mine], unreadable: 2 });
    expect(await readTraces(state, newId('run'))).toEqual({ traces: [], unreadable: 0 });
  });

  it('does not wait for a pipe in the place of a file', async () => {
    const state = await newState();
    const id = newId('run');
    mkdirSync(join(state.runsDir, id));
    execFileSync('mkfifo', [join(state.runsDir, id, 'run.json')]);
    expect(await readRun(state, id)).toMatchObject({ ok: false, error: expect.stringMatching(/not a plain file/) });
  });
});

import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findingsFileSchema, type Finding } from '../../../shared/contracts/exit-scan.js';
import { runRecordSchema, type RunRecord } from '../../../shared/contracts/run.js';
import { traceSchema, type Trace } from '../../../shared/contracts/trace.js';
import { isId } from '../../../shared/ids.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { openAppendFile, type AppendFile } from './append-file.js';
import type { StateFolder } from './layout.js';
import { openRecordFile } from './record-file.js';

type RunsPlace = Pick<StateFolder, 'runsDir'>;

/** The folder of a run. Throws on a text that is no run id, so that no path is ever built from one. */
export function runFolder(state: RunsPlace, id: string): string {
  if (!isId('run', id)) throw new Error(`${JSON.stringify(id)} is no run id`);
  return join(state.runsDir, id);
}

/** Makes the folder of a new run (0700) with its `gate/`; throws when it is there already or cannot be made. */
export async function createRunFolder(state: RunsPlace, id: string): Promise<string> {
  const folder = runFolder(state, id);
  await mkdir(folder, { mode: 0o700 });
  await mkdir(join(folder, 'gate'), { mode: 0o700 });
  return folder;
}

/**
 * Writes one run's folder while it lives. Everything handed in must have passed the redactor. What is
 * handed in is written in its order; a file that could not be written is told to the owner once, and kept.
 */
export interface RunWriter {
  readonly folder: string;
  /** For the compiled configuration; 0700. */
  readonly gateFolder: string;
  /** Settles when this record, or a later one that replaced it, is on disk (or could not be written). */
  readonly saveRecord: (record: RunRecord) => Promise<void>;
  /** One JSON text without line breaks. */
  readonly appendEvent: (line: string) => Promise<void>;
  readonly appendTrace: (line: string) => Promise<void>;
  readonly appendStdout: (bytes: Uint8Array) => Promise<void>;
  readonly appendStderr: (bytes: Uint8Array) => Promise<void>;
  /** What could not be written so far, in words; a run with any must not look green. Complete after `close`. */
  readonly faults: () => readonly string[];
  /** Settles when all that was handed in so far is on disk (or could not be written). */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Makes the folder of a new run and opens its files; throws when that fails. `onFault` hears of each file
 * that could not be written, once; no promise of the writer ever rejects.
 */
export async function openRunWriter(
  state: StateFolder,
  id: string,
  onFault: (what: string) => void,
): Promise<RunWriter> {
  const folder = await createRunFolder(state, id);
  const faults: string[] = [];
  const note = (what: string) => {
    faults.push(what);
    onFault(what);
  };
  const opened: AppendFile[] = [];
  const file = async (name: string) => {
    const one = await openAppendFile(join(folder, name), note);
    opened.push(one);
    return one;
  };
  const closeFiles = () => Promise.all(opened.map((one) => one.close()));
  const files = async () => ({
    events: await file('events.jsonl'),
    traces: await file('traces.jsonl'),
    stdout: await file('stdout.log'),
    stderr: await file('stderr.log'),
  });
  const { events, traces, stdout, stderr } = await files().catch(async (error: unknown) => {
    await closeFiles();
    throw error;
  });
  const record = openRecordFile(join(folder, 'run.json'), note);
  return {
    folder,
    gateFolder: join(folder, 'gate'),
    saveRecord: record.save,
    appendEvent: (line) => events.append(`${line}\n`),
    appendTrace: (line) => traces.append(`${line}\n`),
    appendStdout: stdout.append,
    appendStderr: stderr.append,
    faults: () => [...faults],
    settled: async () => {
      await record.settled();
      await Promise.all(opened.map((one) => one.settled()));
    },
    close: async () => {
      await record.settled();
      await closeFiles();
    },
  };
}

/** A run as its folder tells it; an error names what is wrong with the folder, which stays as it is. */
export async function readRun(state: RunsPlace, id: string): Promise<Result<RunRecord, string>> {
  const folder = runFolder(state, id);
  try {
    if (!(await lstat(folder)).isDirectory()) return fail(`${folder} is not a folder`);
    const json: unknown = JSON.parse(await readPlainFile(join(folder, 'run.json')));
    const parsed = runRecordSchema.safeParse(json);
    if (parsed.success) return parsed.data.id === id ? ok(parsed.data) : fail('run.json is that of another run');
    const [issue] = parsed.error.issues;
    return fail(`run.json has another form (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''})`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return fail('there is no run.json');
    return fail(`run.json cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Ids of all runs that have a folder. Throws what the system says when `runs/` cannot be read. */
export async function listRunIds(state: RunsPlace): Promise<readonly string[]> {
  return (await readdir(state.runsDir)).filter((name) => isId('run', name));
}

/** A folder below `runs/` that is no readable run, and why; it is left as it is. */
export interface SetAside {
  readonly id: string;
  readonly reason: string;
}

/** All runs, newest first, and apart from them what could not be read. */
export async function readRuns(
  state: RunsPlace,
): Promise<{ readonly runs: readonly RunRecord[]; readonly setAside: readonly SetAside[] }> {
  const runs: RunRecord[] = [];
  const setAside: SetAside[] = [];
  for (const id of await listRunIds(state)) {
    const run = await readRun(state, id);
    if (run.ok) runs.push(run.value);
    else setAside.push({ id, reason: run.error });
  }
  return { runs: runs.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)), setAside };
}

/** The traces of one run, oldest first; lines that are none are left out and counted. */
export async function readTraces(
  state: RunsPlace,
  id: string,
): Promise<{ readonly traces: readonly Trace[]; readonly unreadable: number }> {
  let text: string;
  try {
    text = await readPlainFile(join(runFolder(state, id), 'traces.jsonl'));
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { traces: [], unreadable: missing ? 0 : 1 };
  }
  const traces: Trace[] = [];
  let unreadable = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const trace = parseTrace(line);
    // A trace of another run would be shown where it does not belong.
    if (trace?.run_id === id) traces.push(trace);
    else unreadable += 1;
  }
  return { traces, unreadable };
}

/** What the exit scan of a run found; empty where there is no such file, null where it cannot be read. */
export async function readFindings(state: RunsPlace, id: string): Promise<readonly Finding[] | null> {
  try {
    const parsed = findingsFileSchema.safeParse(
      JSON.parse(await readPlainFile(join(runFolder(state, id), 'findings.json'))),
    );
    return parsed.success && parsed.data.run_id === id ? parsed.data.findings : null;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? [] : null;
  }
}

function parseTrace(line: string): Trace | null {
  try {
    const parsed = traceSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** A link in the place of one of our files leads somewhere else, and a pipe would hold us for ever. */
async function readPlainFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a plain file`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

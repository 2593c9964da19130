import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runRecordSchema, type RunRecord } from '../../../shared/contracts/run.js';
import { traceSchema, type Trace } from '../../../shared/contracts/trace.js';
import { isId } from '../../../shared/ids.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { openAppendFile } from './append-file.js';
import { writeAtomic } from './atomic.js';
import type { StateFolder } from './layout.js';

/** Writes one run's folder while it lives. Everything handed in must have passed the redactor. */
export interface RunWriter {
  readonly folder: string;
  /** For the compiled configuration; 0700. */
  readonly gateFolder: string;
  readonly saveRecord: (record: RunRecord) => Promise<void>;
  readonly appendEvent: (line: string) => Promise<void>;
  readonly appendTrace: (line: string) => Promise<void>;
  readonly appendStdout: (bytes: Uint8Array) => Promise<void>;
  readonly appendStderr: (bytes: Uint8Array) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The folder of a run. Throws on a text that is no run id, so that no path is ever built from one. */
export function runFolder(state: StateFolder, id: string): string {
  if (!isId('run', id)) throw new Error(`${JSON.stringify(id)} is no run id`);
  return join(state.runsDir, id);
}

/** Makes the folder of a new run and opens its files; `onFault` hears of each file that could not be written, once. */
export async function openRunWriter(
  state: StateFolder,
  id: string,
  onFault: (what: string) => void,
): Promise<RunWriter> {
  const folder = runFolder(state, id);
  const gateFolder = join(folder, 'gate');
  await mkdir(folder, { mode: 0o700 });
  await mkdir(gateFolder, { mode: 0o700 });
  const file = (name: string) => openAppendFile(join(folder, name), onFault);
  const [events, traces, stdout, stderr] = await Promise.all(
    ['events.jsonl', 'traces.jsonl', 'stdout.log', 'stderr.log'].map(file),
  );
  if (!events || !traces || !stdout || !stderr) throw new Error('the run folder is incomplete');
  let saved: Promise<void> = Promise.resolve();
  const save = async (record: RunRecord) => {
    try {
      await writeAtomic(join(folder, 'run.json'), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    } catch (error) {
      onFault(`run.json could not be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return {
    folder,
    gateFolder,
    saveRecord: (record) => {
      saved = saved.then(() => save(record));
      return saved;
    },
    appendEvent: (line) => events.append(`${line}\n`),
    appendTrace: (line) => traces.append(`${line}\n`),
    appendStdout: stdout.append,
    appendStderr: stderr.append,
    close: async () => {
      await saved;
      await Promise.all([events.close(), traces.close(), stdout.close(), stderr.close()]);
    },
  };
}

/** A run as its folder tells it; an error names what is wrong with the folder, which stays as it is. */
export async function readRun(state: StateFolder, id: string): Promise<Result<RunRecord, string>> {
  try {
    const parsed = runRecordSchema.safeParse(
      JSON.parse(await readFile(join(runFolder(state, id), 'run.json'), 'utf8')),
    );
    return parsed.success ? ok(parsed.data) : fail(`run.json of ${id} is not one that this version reads`);
  } catch (error) {
    return fail(`run.json of ${id} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Ids of all runs that have a folder. */
export async function listRunIds(state: StateFolder): Promise<readonly string[]> {
  return (await readdir(state.runsDir)).filter((name) => isId('run', name));
}

/** The traces of one run, oldest first; lines that are none are left out and counted. */
export async function readTraces(
  state: StateFolder,
  id: string,
): Promise<{ readonly traces: readonly Trace[]; readonly unreadable: number }> {
  let text: string;
  try {
    text = await readFile(join(runFolder(state, id), 'traces.jsonl'), 'utf8');
  } catch {
    return { traces: [], unreadable: 0 };
  }
  const traces: Trace[] = [];
  let unreadable = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const trace = parseTrace(line);
    if (trace === null) unreadable += 1;
    else traces.push(trace);
  }
  return { traces, unreadable };
}

function parseTrace(line: string): Trace | null {
  try {
    const parsed = traceSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

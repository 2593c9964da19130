/** What the exit scan of a run is given: which places, which values, and how it all stood before. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { NOT_SCANNED, type ExitScan, type Finding } from '../../../shared/contracts/exit-scan.js';
import type { RunRecord } from '../../../shared/contracts/run.js';
import type { AgentAdapter, AgentStatePlace } from '../agents/contract.js';
import type { FingerprintKey } from '../redaction/fingerprints.js';
import { lookBefore, scanRun, type ScanInput } from '../scan/exit-scan.js';
import type { Listing, Root } from '../scan/protocol.js';
import { writeAtomic } from '../store/atomic.js';
import { runFolder } from '../store/run-folder.js';
import type { StateFolder } from '../store/layout.js';
import type { RunContext } from './run-context.js';
import type { ScanDoor, ScanNotes } from './scan-door.js';

/** Larger files of a workspace are only listed before a run, in bytes. */
const MOST_OF_WORKSPACE = 1_048_576;
/** The same for files that an agent's sessions share; its databases grow. */
const MOST_OF_SHARED = 33_554_432;

/** Begins to look at the workspace, and at what the agent's sessions share, as it is now; `notes.before` settles when that is done. */
export function noteBefore({ request, services, book, notes, stopped }: RunContext): void {
  const { workerUrl, limits } = services.exitScan;
  const known = scannedValues(book.known());
  const input = { workerUrl, key: book.fingerprintKey.key, known, ...(limits === undefined ? {} : { limits }) };
  const workspace = {
    ...{ path: request.workspace, within: null, without: [services.state.dir] },
    mostContent: MOST_OF_WORKSPACE,
  };
  const shared = placesOf(request.adapter, notes, request.workspace, ['none'])
    .filter((place) => place.shared === true)
    .map(({ path, within }) => ({ path, within, without: [], mostContent: MOST_OF_SHARED }));
  notes.before = lookBefore({ ...input, roots: [workspace, ...shared] }, stopped);
}

/** Looks at what the run left behind and writes down what was found; the run's phase is `scanning`. */
export async function scanAtEnd(context: RunContext): Promise<void> {
  const { request, services, book, notes } = context;
  await book.settle();
  const folder = runFolder(services.state, book.id);
  const roots = [...ownRoots(folder), ...(await foreignRoots(context))];
  const problems =
    notes.agentStarted && request.adapter.agentState === undefined
      ? [`where ${request.adapter.title} keeps what was said is not known, so it was not looked at`]
      : [];
  const { scan, findings } = await scanRun({
    ...baseInput(services.exitScan, book.fingerprintKey, services.now),
    ...{ roots, problems, known: scannedValues(book.known()) },
    prompt: request.prompt,
    storedPrompt: book.redact(request.prompt),
    leakPolicy: request.profile.leak_policy,
    stop: notes.cancel.signal,
  });
  const kept = await writeFindings(folder, book.id, book.redact([...findings]));
  book.update({ exitScan: kept === null ? book.redact(scan) : notKept(scan, kept) });
}

/** The same for a run whose owner is gone: what it knew in memory is lost, and that is said. */
export async function scanLeftBehind(state: StateFolder, record: RunRecord, door: ScanDoor): Promise<ExitScan> {
  const folder = runFolder(state, record.id);
  const key = await door.fingerprintKey();
  const lost =
    "the agent's own state, the workspace and the values that were handed to the run were not looked at: the process that knew them had ended";
  const { scan, findings } = await scanRun({
    ...baseInput(door, key, () => Date.now() / 1_000),
    ...{ roots: ownRoots(folder), problems: [lost], known: [], prompt: null, storedPrompt: record.prompt },
    leakPolicy: 'fail',
    stop: new AbortController().signal,
  });
  const kept = await writeFindings(folder, record.id, findings);
  return kept === null ? scan : notKept(scan, kept);
}

/** A scan that could not be made at all. */
export function failedScan(why: string): ExitScan {
  return { ...NOT_SCANNED, state: 'incomplete', why: [`the exit scan could not be made: ${why}`] };
}

function baseInput(door: ScanDoor, { key, passing }: FingerprintKey, now: () => number) {
  const limits: Pick<ScanInput, 'limits'> = door.limits === undefined ? {} : { limits: door.limits };
  return { workerUrl: door.workerUrl, key, notes: passing === null ? [] : [passing], now, ...limits };
}

/** The run's own token labels the run and opens nothing, so it is redacted but never a leak. */
export const RUN_TOKEN = 'run-token';

function scannedValues(known: ReturnType<RunContext['book']['known']>) {
  return known.filter(({ label }) => label !== RUN_TOKEN);
}

function ownRoots(folder: string): readonly Root[] {
  const gate = join(folder, 'gate');
  const root = { within: null, without: [], missing: null, before: null };
  return [
    { ...root, part: 'configuration', path: gate },
    // What the scan itself wrote holds previews and fingerprints only.
    { ...root, part: 'artifacts', path: folder, without: [gate, join(folder, 'findings.json')] },
  ];
}

/** What an agent that was started may have written. */
async function foreignRoots({ request, services, notes }: RunContext): Promise<readonly Root[]> {
  const { adapter, workspace } = request;
  if (!notes.agentStarted || notes.agentEnv === null) return [];
  const before = (await notes.before) ?? {
    files: new Map(),
    problems: ['how it all stood before the run is not known'],
  };
  const root = {
    part: 'workspace',
    path: workspace,
    within: null,
    without: [services.state.dir],
    missing: null,
  } as const;
  return [...stateRoots(adapter, notes, workspace, before), { ...root, before }];
}

function stateRoots(adapter: AgentAdapter, notes: ScanNotes, workspace: string, before: Listing): readonly Root[] {
  const root = { part: 'agent_state', within: null, without: [], missing: null, before: null } as const;
  return [
    // The session's own record, its sub-agents' among it: the names of those are known to the adapter alone.
    ...notes.transcripts.map((path): Root => ({ ...root, path })),
    ...placesOf(adapter, notes, workspace, [...notes.sessions]).map(({ path, within, missing, shared }): Root => ({
      ...{ ...root, path, within, missing },
      before: shared === true ? before : null,
    })),
  ];
}

function placesOf(
  adapter: AgentAdapter,
  { agentEnv }: ScanNotes,
  workspace: string,
  sessions: readonly string[],
): readonly AgentStatePlace[] {
  const env = agentEnv ?? {};
  const home = env['HOME'] ?? homedir();
  return sessions.flatMap((sessionId) => adapter.agentState?.({ home, env, sessionId, workspace }) ?? []);
}

async function writeFindings(folder: string, runId: string, findings: readonly Finding[]): Promise<string | null> {
  const file = { schema_version: 1, run_id: runId, findings };
  try {
    await writeAtomic(join(folder, 'findings.json'), `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function notKept(scan: ExitScan, why: string): ExitScan {
  const state = scan.state === 'clean' || scan.state === 'exposed' ? 'incomplete' : scan.state;
  return { ...scan, state, why: [...scan.why, `findings.json could not be written: ${why}`] };
}

/** Records, traces and run folders for tests. */
import type { ExitScan } from '../../shared/contracts/exit-scan.js';
import { EMPTY_FACTS, type RunRecord } from '../../shared/contracts/run.js';
import type { Trace } from '../../shared/contracts/trace.js';
import { newId } from '../../shared/ids.js';
import { openState, type StateFolder } from '../../electron/core/store/layout.js';
import { openRunWriter } from '../../electron/core/store/run-folder.js';

/** Of a run in which nothing was found. */
export const CLEAN_SCAN: ExitScan = {
  state: 'clean',
  why: [],
  ...{ exposed: 0, leaked: 0, redactionFailed: 0, files: 5, bytes: 4_096 },
  rules: 'rules 1',
  leakPolicy: 'fail',
};

/** The record of a run that succeeded, changed as wanted. */
export function runRecord(fields: Partial<RunRecord> = {}): RunRecord {
  return {
    schema_version: 1,
    id: newId('run'),
    agent: 'practice',
    agentVersion: '1',
    agentProgram: '/usr/bin/practice',
    agentProgramDigest: `sha256:${'a'.repeat(64)}`,
    profile: 'practice',
    workspace: '/home/me/project',
    prompt: 'tidy up',
    bypass: 'none',
    backend: 'local',
    createdAt: 1_000,
    startedAt: 1_001,
    endedAt: 1_011,
    ownerPid: 1,
    agentPid: 2,
    phase: 'done',
    outcome: 'succeeded',
    reason: 'the agent said so',
    exitCode: 0,
    exitSignal: null,
    registryVersions: ['reg-0123456789abcdef'],
    gaps: [],
    notices: [],
    exitScan: CLEAN_SCAN,
    receipt: { state: 'signed', why: null, sequence: 1, digest: `sha256:${'b'.repeat(64)}` },
    facts: EMPTY_FACTS,
    ...fields,
  };
}

export function trace(fields: Partial<Trace> = {}): Trace {
  return {
    schema_version: 1,
    trace_id: newId('trace'),
    event_id: newId('hookevt'),
    execution_id: newId('exec'),
    run_id: newId('run'),
    session_id: null,
    hook_id: 'guard',
    scope: 'global',
    point: 'tool.before',
    call_id: 'call-1',
    started: 1_005,
    duration_ms: 3,
    decision: 'allow',
    reason: null,
    status: 'ran',
    exit_status: 0,
    timed_out: false,
    truncated: false,
    error: null,
    snapshot: 'reg-0123456789abcdef',
    ...fields,
  };
}

/** An opened state folder. */
export async function stateIn(dir: string): Promise<StateFolder> {
  const state = await openState(dir);
  if (!state.ok) throw new Error(state.error.text);
  return state.value;
}

/** Writes a run's folder as its owner would have. */
export async function putRunFolder(
  state: StateFolder,
  record: RunRecord,
  lines: { readonly traces?: readonly Trace[]; readonly events?: readonly object[] } = {},
): Promise<void> {
  const writer = await openRunWriter(state, record.id, (what) => {
    throw new Error(what);
  });
  for (const one of lines.traces ?? []) await writer.appendTrace(JSON.stringify(one));
  for (const one of lines.events ?? []) await writer.appendEvent(JSON.stringify(one));
  await writer.saveRecord(record);
  await writer.close();
}

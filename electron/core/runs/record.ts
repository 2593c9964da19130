import { NOT_SCANNED } from '../../../shared/contracts/exit-scan.js';
import { NO_RECEIPT } from '../../../shared/contracts/receipt.js';
import { EMPTY_FACTS, type RunFacts, type RunRecord } from '../../../shared/contracts/run.js';
import { advanceRun, NEW_RUN, type RunState, type RunStep } from '../../../shared/run-state.js';
import { readProcess } from '../spawn/process-table.js';
import type { LaunchRequest } from './request.js';

/** The record of a run while it lives: every change goes through the reducer and is saved. */
export interface LiveRecord {
  readonly get: () => RunRecord;
  readonly state: () => RunState;
  /** Takes one step of the run's life and saves. A step that does not fit is a bug and throws. */
  readonly step: (step: RunStep) => void;
  /** True when the step would fit now. */
  readonly can: (step: RunStep) => boolean;
  readonly update: (change: Partial<RunRecord>) => void;
  readonly notice: (text: string) => void;
  readonly facts: (facts: RunFacts) => void;
}

/** The record of a request that was just accepted. */
export function newRecord(id: string, request: LaunchRequest, createdAt: number): RunRecord {
  return {
    schema_version: 1,
    id,
    agent: request.adapter.name,
    agentVersion: null,
    agentProgram: null,
    agentProgramDigest: null,
    profile: request.profile.name,
    workspace: request.workspace,
    prompt: request.prompt,
    bypass: request.bypass,
    backend: 'local',
    createdAt,
    startedAt: null,
    endedAt: null,
    ownerPid: process.pid,
    ownerStart: readProcess(process.pid)?.startTime ?? null,
    agentPid: null,
    phase: 'draft',
    outcome: null,
    reason: null,
    exitCode: null,
    exitSignal: null,
    registryVersions: [],
    launch: null,
    gaps: [],
    notices: [],
    exitScan: NOT_SCANNED,
    receipt: NO_RECEIPT,
    facts: EMPTY_FACTS,
  };
}

/** Keeps a record; `changed` hears of each new form (to save it) and of phases (to show them). */
export function liveRecord(first: RunRecord, changed: (record: RunRecord, step: RunStep | null) => void): LiveRecord {
  let record = first;
  let state: RunState = NEW_RUN;
  const set = (change: Partial<RunRecord>, step: RunStep | null) => {
    record = { ...record, ...change };
    changed(record, step);
  };
  return {
    get: () => record,
    state: () => state,
    can: (step) => advanceRun(state, step).ok,
    step: (step) => {
      const next = advanceRun(state, step);
      if (!next.ok) throw new Error(next.error);
      state = next.value;
      set({ phase: state.phase, outcome: state.outcome, reason: state.reason }, step);
    },
    update: (change) => {
      set(change, null);
    },
    notice: (text) => {
      if (!record.notices.includes(text)) set({ notices: [...record.notices, text] }, null);
    },
    facts: (facts) => {
      set({ facts }, null);
    },
  };
}

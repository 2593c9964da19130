import type { RunFacts, RunRecord } from '../../../shared/contracts/run.js';
import type { Trace } from '../../../shared/contracts/trace.js';
import type { RunStep } from '../../../shared/run-state.js';
import type { EngineServices } from '../engine/ports.js';
import type { GateReport } from '../gate/ports.js';
import type { FingerprintKey } from '../redaction/fingerprints.js';
import type { KnownValue } from '../redaction/known-values.js';
import { createRedactor } from '../redaction/redactor.js';
import { openRunWriter } from '../store/run-folder.js';
import type { RawOutput } from './agent-process.js';
import { createEngineServices } from './engine-services.js';
import { liveRecord, newRecord } from './record.js';
import type { LaunchRequest, LaunchServices } from './request.js';
import { createTimeline, type RunEvent, type Timeline } from './timeline.js';

/**
 * All that is written down of a run, in one place: its record, its timeline, its raw output, its
 * traces. Everything passes the redactor on its way to disk and to the screen.
 */
export interface RunBook {
  readonly id: string;
  readonly gateFolder: string;
  readonly timeline: Timeline;
  readonly raw: RawOutput;
  readonly engine: EngineServices;
  readonly step: (step: RunStep) => void;
  /** True while the exit scan looks at the run. */
  readonly scanning: () => boolean;
  /** True once the run was told to end. */
  readonly stopping: () => boolean;
  readonly update: (change: Partial<RunRecord>) => void;
  readonly facts: (facts: Omit<RunFacts, 'tampering' | 'handlersChanged'>) => void;
  readonly notice: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly gap: (gap: RunRecord['gaps'][number]) => void;
  readonly tampering: (what: string) => void;
  readonly registryVersion: (version: string) => void;
  readonly fromGate: (report: GateReport) => void;
  /** True once the agent showed that it asks the gate. */
  readonly gateWasMet: () => boolean;
  readonly redact: <T>(data: T) => T;
  /** A value that must not reach disk or screen from now on. */
  readonly knowSecret: (label: string, value: string) => void;
  /** All values that were made known so far. */
  readonly known: () => readonly KnownValue[];
  readonly fingerprintKey: FingerprintKey;
  /** Settles when what the run put out and what happened so far is on disk; nothing more is taken of its output. */
  readonly settle: () => Promise<void>;
  /** Ends the record, waits for what is still being written, and says how it all ended. */
  readonly close: (crash: string | null) => Promise<RunRecord>;
}

/** Opens the book of a run that was just accepted. */
export async function openRunBook(id: string, request: LaunchRequest, services: LaunchServices): Promise<RunBook> {
  const { now, index } = services;
  const fingerprintKey = await services.exitScan.fingerprintKey();
  const redactor = createRedactor(fingerprintKey);
  const known: KnownValue[] = [];
  const faults: string[] = [];
  const tampering: string[] = [];
  const handlersChanged: string[] = [];
  const traces: Trace[] = [];
  let met = false;

  const writer = await openRunWriter(services.state, id, (what) => {
    faults.push(what);
    services.emit({ at: now(), kind: 'warning', text: what });
  });
  // Not the JSON text as a whole: a secret could begin within an escape, and what is left would be no JSON.
  const clean = redactor.redactData;
  const emit = (event: RunEvent) => {
    const safe = clean(event);
    void writer.appendEvent(JSON.stringify(safe));
    services.emit(safe);
  };
  const say = (kind: 'notice' | 'warning', text: string) => {
    emit({ at: now(), kind, text });
  };
  const record = liveRecord(newRecord(id, request, now()), (changed, step) => {
    const safe = clean(changed);
    // A run is done when it has its receipt; `close` writes that.
    if (changed.phase !== 'done') {
      void writer.saveRecord(safe);
      services.recordChanged?.(safe);
    }
    if (step !== null) emit({ at: now(), kind: 'phase', phase: changed.phase, reason: changed.reason });
  });
  const notice = (text: string) => {
    record.notice(text);
    say('notice', text);
  };
  const tamper = (what: string) => {
    if (tampering.includes(what)) return;
    tampering.push(what);
    say('warning', what);
  };
  const timeline = createTimeline(emit, now);
  const [stdout, stderr] = [redactor.streamRedactor(), redactor.streamRedactor()];
  void index?.upsertRun(clean(record.get()));

  const fromGate = (report: GateReport) => {
    if (report.kind === 'session' || report.kind === 'judged') met = true;
    if (report.kind === 'tampering') tampering.push(report.what);
    if (report.kind === 'question') stepIfFits({ step: 'question_opened' });
    if (report.kind === 'answer') stepIfFits({ step: 'question_answered' });
    timeline.fromGate(report);
  };
  const stepIfFits = (step: RunStep) => {
    if (record.can(step)) record.step(step);
  };
  const settle = async () => {
    await writer.appendStdout(stdout.end());
    await writer.appendStderr(stderr.end());
    await writer.settled();
  };
  return {
    id,
    gateFolder: writer.gateFolder,
    timeline,
    raw: {
      stdout: (chunk) => writer.appendStdout(stdout.push(chunk)),
      stderr: (chunk) => writer.appendStderr(stderr.push(chunk)),
    },
    engine: createEngineServices({
      seam: services.seam,
      approvals: services.approvals,
      userEnv: services.userEnv,
      runId: id,
      trace: (trace) => {
        const safe = clean(trace);
        traces.push(safe);
        void writer.appendTrace(JSON.stringify(safe));
      },
      warn: (text) => {
        say('warning', text);
      },
      handlerChanged: (hook) => handlersChanged.push(hook),
      unapproved: 'inert',
      now,
    }),
    step: record.step,
    scanning: () => record.state().phase === 'scanning',
    stopping: () => record.state().phase === 'stopping',
    update: record.update,
    facts: (facts) => {
      record.facts({ ...facts, tampering: [...tampering], handlersChanged: [...handlersChanged] });
    },
    notice,
    warn: (text) => {
      say('warning', text);
    },
    gap: (gap) => {
      record.update({ gaps: [...record.get().gaps, gap] });
      say('notice', `${gap.what}: ${gap.why}`);
    },
    tampering: tamper,
    registryVersion: (version) => {
      const { registryVersions } = record.get();
      if (!registryVersions.includes(version)) record.update({ registryVersions: [...registryVersions, version] });
    },
    fromGate,
    gateWasMet: () => met,
    redact: clean,
    knowSecret: (label, value) => {
      known.push({ label, value });
      redactor.add(label, value);
    },
    known: () => [...known],
    fingerprintKey,
    settle,
    close: async (crash) => {
      await settle();
      const endedAt = now();
      const ended = (): RunRecord => {
        const { outcome, reason } = record.get();
        const fault = crash ?? faults[0] ?? null;
        // What could not be written down cannot be vouched for.
        const failed = crash === null ? `the run could not be recorded: ${fault ?? ''}` : `Sallyport failed: ${crash}`;
        const how: Pick<RunRecord, 'outcome' | 'reason'> =
          fault === null ? { outcome: outcome ?? 'failed', reason } : { outcome: 'failed', reason: failed };
        return clean<RunRecord>({ ...record.get(), ...how, phase: 'done', endedAt });
      };
      const end = { at: endedAt, kind: 'phase', phase: 'done', reason: ended().reason } as const;
      await writer.appendEvent(JSON.stringify(end));
      await writer.close();
      // Redacted, written to its end, then hashed and signed. Until then it is not done: a death here is seen at the next start.
      await writer.saveRecord({ ...ended(), phase: 'scanning' });
      const { receipt, notices } = await services.receipts.seal(ended());
      for (const text of notices) services.emit({ at: now(), kind: 'notice', text });
      const told = { ...ended(), receipt, notices: [...ended().notices, ...notices] };
      await writer.saveRecord(told);
      await index?.upsertRun(told);
      await index?.addTraces(traces);
      services.recordChanged?.(told);
      services.emit(end);
      return told;
    },
  };
}

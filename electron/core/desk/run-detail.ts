import type { RunDetail } from '../../../shared/bridge/views.js';
import type { StateFolder } from '../store/layout.js';
import { readFindings, readRun } from '../store/run-folder.js';
import type { Launches } from './launches.js';
import { readEvents, readNewestTraces } from './run-files.js';
import { summaryOf } from './run-summary.js';

type RunsPlace = Pick<StateFolder, 'runsDir'>;

/** A run with its timeline: of one that this app plays from memory, of any other from its folder; null when it cannot be read. */
export async function runDetail(
  state: RunsPlace,
  launches: Pick<Launches, 'summary' | 'timeline'>,
  id: string,
): Promise<RunDetail | null> {
  const traces = await readNewestTraces(state, id);
  const scanned = await readFindings(state, id);
  const findings = scanned === null ? null : [...scanned];
  const early = launches.timeline(id) === null ? await storedDetail(state, id) : null;
  // Asked once more, with nothing to wait for after it: what is told from here on follows what is answered.
  const live = launches.timeline(id);
  const summary = launches.summary(id);
  if (live === null || summary === null) {
    const stored = early ?? (await storedDetail(state, id));
    return stored === null ? null : { ...stored, traces, findings };
  }
  return { summary, record: live.record, events: live.events, eventsCut: live.cut, traces, findings };
}

async function storedDetail(state: RunsPlace, id: string): Promise<Omit<RunDetail, 'traces' | 'findings'> | null> {
  const record = await readRun(state, id);
  if (!record.ok) return null;
  const { events, cut } = await readEvents(state, id);
  const summary = summaryOf(record.value, { own: false, waiting: 0 });
  return { summary, record: record.value, events, eventsCut: cut };
}

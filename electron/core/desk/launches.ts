import type { AnswerOf } from '../../../shared/bridge/channels.js';
import type { RunSummary } from '../../../shared/bridge/views.js';
import type { RunRecord } from '../../../shared/contracts/run.js';
import { newId } from '../../../shared/ids.js';
import { launchRun, type LiveRun } from '../runs/launch.js';
import type { LaunchRequest, LaunchServices } from '../runs/request.js';
import type { RunEvent } from '../runs/timeline.js';
import { boundedEvent, MOST_EVENTS, type EventView } from './bounded-event.js';
import type { PromptQueue } from './prompts.js';
import { summaryOf } from './run-summary.js';

/** Most runs that live at once. */
export const MOST_LIVE = 8;
/** How long live entries are collected before a window is told, in milliseconds. */
const BATCH_MS = 50;

/** The runs that this app plays. */
export interface Launches {
  /** Why one more run may not start now; null when it may. */
  readonly refusal: () => string | null;
  readonly launch: (request: LaunchRequest) => Promise<AnswerOf<'runs.launch'>>;
  /** False for a run that is not played here. */
  readonly stop: (id: string, reason: string) => boolean;
  readonly summary: (id: string) => RunSummary | null;
  /** Oldest first. */
  readonly live: () => readonly RunSummary[];
  /** What was told of a live run so far; whoever reads it has all that was told, and gets only what comes after. */
  readonly timeline: (
    id: string,
  ) => { readonly record: RunRecord; readonly events: EventView[]; readonly cut: boolean } | null;
  /** The number of prompts of a run changed. */
  readonly promptsChanged: () => void;
  /** Stops all and waits until all have ended. */
  readonly close: (reason: string) => Promise<void>;
}

export interface LaunchesInput {
  readonly services: Omit<LaunchServices, 'trust' | 'person' | 'emit' | 'recordChanged' | 'surface'>;
  readonly prompts: Pick<PromptQueue, 'trustFor' | 'personFor' | 'waiting'>;
  readonly tellEvents: (runId: string, events: EventView[]) => void;
  readonly tellChanged: (summary: RunSummary) => void;
  readonly ended: (record: RunRecord) => void;
  readonly onFault: (text: string) => void;
}

interface Entry {
  readonly id: string;
  readonly request: LaunchRequest;
  record: RunRecord | null;
  run: LiveRun | null;
  /** Why it is to be stopped; said before it could be. */
  stopped: string | null;
  told: string;
  readonly events: EventView[];
  cut: boolean;
  waiting: EventView[];
  timer: NodeJS.Timeout | null;
}

export function createLaunches(input: LaunchesInput): Launches {
  const { services, prompts } = input;
  const entries = new Map<string, Entry>();
  const ends = new Set<Promise<void>>();
  let closed: string | null = null;

  const summary = ({ id, record }: Entry): RunSummary | null =>
    record === null ? null : summaryOf(record, { own: true, waiting: prompts.waiting(id) });
  const tellIfChanged = (entry: Entry) => {
    const now = summary(entry);
    if (now === null) return;
    const text = JSON.stringify(now);
    if (text === entry.told) return;
    entry.told = text;
    input.tellChanged(now);
  };
  const flush = (entry: Entry) => {
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.timer = null;
    const events = entry.waiting;
    entry.waiting = [];
    if (events.length > 0) input.tellEvents(entry.id, events);
  };
  const collect = (entry: Entry, event: RunEvent) => {
    const view = boundedEvent(event);
    entry.events.push(view);
    entry.waiting.push(view);
    if (entry.events.length > MOST_EVENTS) {
      entry.events.splice(0, entry.events.length - MOST_EVENTS);
      entry.cut = true;
    }
    entry.timer ??= setTimeout(() => {
      flush(entry);
    }, BATCH_MS);
  };
  const refusal = () => {
    if (closed !== null) return `${closed}; no run is started any more.`;
    if (entries.size < MOST_LIVE) return null;
    return `${MOST_LIVE} runs are live, which is the most at once. Wait until one has ended, or stop one, and launch again.`;
  };
  const finish = async (entry: Entry, run: LiveRun): Promise<void> => {
    try {
      const record = await run.done;
      flush(entry);
      input.ended(record);
    } catch (error) {
      flush(entry);
      input.onFault(`run ${entry.id} could not be closed: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      entries.delete(entry.id);
    }
  };
  const begin = async (entry: Entry): Promise<AnswerOf<'runs.launch'>> => {
    const { id, request } = entry;
    try {
      const run = await launchRun(
        request,
        {
          ...services,
          trust: prompts.trustFor(id),
          person: prompts.personFor({ id, adapter: request.adapter, workspace: request.workspace }),
          surface: 'dialog',
          emit: (event) => {
            collect(entry, event);
          },
          recordChanged: (record) => {
            entry.record = record;
            tellIfChanged(entry);
          },
        },
        id,
      );
      entry.run = run;
      if (entry.stopped !== null) run.stop(entry.stopped);
      const end = finish(entry, run).finally(() => ends.delete(end));
      ends.add(end);
      return { ok: true, runId: id };
    } catch (error) {
      entries.delete(id);
      const what = error instanceof Error ? error.message : String(error);
      return { ok: false, text: `The run could not be written down, so it was not started: ${what}` };
    }
  };
  const stop = (id: string, reason: string) => {
    const entry = entries.get(id);
    if (entry === undefined) return false;
    entry.stopped ??= reason;
    entry.run?.stop(reason);
    return true;
  };
  const starting = new Set<Promise<unknown>>();

  return {
    refusal,
    launch: async (request) => {
      const why = refusal();
      if (why !== null) return { ok: false, text: why };
      const entry: Entry = {
        id: newId('run'),
        request,
        ...{ record: null, run: null, stopped: null, told: '', events: [], cut: false, waiting: [], timer: null },
      };
      entries.set(entry.id, entry);
      const begun = begin(entry).finally(() => starting.delete(begun));
      starting.add(begun);
      return begun;
    },
    stop,
    summary: (id) => {
      const entry = entries.get(id);
      return entry === undefined ? null : summary(entry);
    },
    live: () => [...entries.values()].flatMap((entry) => summary(entry) ?? []),
    timeline: (id) => {
      const entry = entries.get(id);
      if (entry === undefined || entry.record === null) return null;
      flush(entry);
      return { record: entry.record, events: [...entry.events], cut: entry.cut };
    },
    promptsChanged: () => {
      for (const entry of entries.values()) tellIfChanged(entry);
    },
    close: async (reason) => {
      closed = reason;
      for (const id of [...entries.keys()]) stop(id, reason);
      await Promise.all(starting);
      await Promise.all(ends);
    },
  };
}

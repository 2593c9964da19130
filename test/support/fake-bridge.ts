/**
 * The other end of the bridge, for tests of pages: answers with views that were recorded from real runs of
 * the practice agent, and with what a test changes in them. Every request and answer is checked against the
 * schemas of the bridge, so a page cannot ask, and a test cannot show, what the app never would.
 */
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import {
  EVENTS,
  REQUESTS,
  type AnswerOf,
  type EventName,
  type EventOf,
  type RequestName,
  type RequestOf,
} from '../../shared/bridge/channels.js';
import type { PromptView, RunDetail, RunSummary } from '../../shared/bridge/views.js';

type Recorded = { readonly [N in RequestName]?: AnswerOf<N> } & {
  readonly trust: Extract<PromptView, { kind: 'trust' }>;
  readonly question: Extract<PromptView, { kind: 'question' }>;
  /** The run while its question waits. */
  readonly live: RunDetail;
  readonly 'runs.show': RunDetail;
};

/** What was recorded; a copy of its own for whoever asks. */
export function recorded(): Recorded {
  const file = new URL('../fixtures/renderer/practice.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Recorded;
}

type Handlers = { [N in RequestName]: (request: RequestOf<N>) => AnswerOf<N> | Promise<AnswerOf<N>> };

export interface FakeBridge {
  /** What each request is answered with; a test puts its own in. */
  readonly on: Handlers;
  /** Every request, in order. */
  readonly asked: readonly { readonly name: RequestName; readonly request: unknown }[];
  readonly last: <N extends RequestName>(name: N) => RequestOf<N> | undefined;
  /** Tells the pages something, as main would. */
  readonly tell: <N extends EventName>(name: N, event: EventOf<N>) => Promise<void>;
  /** For the page's end: answers by the schemas. */
  readonly answer: (name: RequestName, request: unknown) => Promise<unknown>;
  readonly listen: (deliver: (name: EventName, event: unknown) => Promise<void>) => void;
}

const RECEIPT_VIEW = {
  file: '/home/ada/.local/share/sallyport/runs/run_ucz43xrkrf27mskfmevkqiws44/receipt.json',
  digest: `sha256:${'4f5a'.repeat(16)}`,
  keyId: `sha256:${'91c0'.repeat(16)}`,
  statement: JSON.stringify({ _type: 'https://in-toto.io/Statement/v1', subject: [], predicate: {} }, null, 2),
};

const RECEIPT_VERIFIED: AnswerOf<'receipts.verify'> = {
  verified: true,
  checks: [
    { state: 'good', text: `signature holds (Ed25519, key ${RECEIPT_VIEW.keyId})` },
    { state: 'good', text: 'artifacts as they were: events.jsonl, traces.jsonl, stdout.log, stderr.log' },
    { state: 'good', text: 'receipt 7 stands in its place in the chain' },
  ],
};

/** A bridge with the recorded state: one run that is done, nothing that waits. */
export function createFakeBridge(): FakeBridge {
  const views = recorded();
  const asked: { name: RequestName; request: unknown }[] = [];
  const deliveries: ((name: EventName, event: unknown) => Promise<void>)[] = [];
  const on = recordedHandlers(views);
  return {
    on,
    asked,
    last: (name) => asked.findLast((one) => one.name === name)?.request as RequestOf<typeof name> | undefined,
    tell: async (name, event) => {
      const schema: z.ZodType = EVENTS[name];
      for (const deliver of deliveries) await deliver(name, schema.parse(event));
    },
    answer: async (name, request) => {
      const { request: asks, answer: answers } = REQUESTS[name] as { request: z.ZodType; answer: z.ZodType };
      const parsed = asks.parse(request);
      asked.push({ name, request: parsed });
      return answers.parse(await (on[name] as (request: unknown) => unknown)(parsed));
    },
    listen: (deliver) => deliveries.push(deliver),
  };
}

function recordedHandlers(views: Recorded): Handlers {
  const must = <N extends RequestName>(name: N): AnswerOf<N> => {
    const answer = views[name];
    if (answer === undefined) throw new Error(`nothing was recorded for ${name}`);
    return answer as AnswerOf<N>;
  };
  const as =
    <N extends RequestName>(name: N) =>
    () =>
      must(name);
  const well = () => ({ ok: true as const });
  let settings = must('settings.get');
  return {
    'app.info': () => ({
      ...must('app.info'),
      version: '0.1.0',
      noTray: null,
      firstStart: false,
      keychain: { state: 'ready', text: 'The keychain works.' },
      receipts: { state: 'whole', text: '' },
    }),
    'app.firstStartDone': well,
    'app.starterPolicy': as('app.starterPolicy'),
    'app.installStarterPolicy': well,
    'agents.list': as('agents.list'),
    'workspaces.recent': as('workspaces.recent'),
    'workspaces.pick': () => null,
    'workspaces.practice': as('workspaces.practice'),
    'runs.preflight': as('runs.preflight'),
    'runs.launch': () => ({ ok: true, runId: views['runs.show'].summary.id }),
    'runs.stop': well,
    'runs.list': () => [views['runs.show'].summary],
    'runs.show': as('runs.show'),
    'runs.raw': as('runs.raw'),
    'receipts.show': () => RECEIPT_VIEW,
    'receipts.verify': () => RECEIPT_VERIFIED,
    'prompts.list': () => [],
    'prompts.answer': well,
    'approvals.list': as('approvals.list'),
    'approvals.revoke': well,
    'registry.show': as('registry.show'),
    'doctor.run': as('doctor.run'),
    'settings.get': () => settings,
    'settings.set': (wanted) => {
      settings = wanted;
      return { ok: true };
    },
    'clipboard.write': well,
  };
}

/** Many runs of all colours, newest first, for lists. Times are Unix seconds. */
export function manyRuns(count: number, now: number): RunSummary[] {
  const kinds = [
    { colour: 'green', outcome: 'succeeded', why: 'the agent reported success and every call passed the gate' },
    { colour: 'red', outcome: 'denied', why: 'the run was refused: nobody approved its hooks' },
    { colour: 'amber', outcome: 'succeeded', why: 'call call-7 ran without having passed the gate' },
    { colour: 'grey', outcome: 'killed', why: 'you stopped it in the window' },
    { colour: 'red', outcome: 'timed_out', why: 'the run took longer than it may' },
  ] as const;
  const prompts = [
    'Fix the flaky checkout test',
    'Add a dark theme',
    'Upgrade the parser to the new major',
    'Explain the cache',
  ];
  return Array.from({ length: count }, (_, index): RunSummary => {
    const { colour, outcome, why } = kinds[index % kinds.length] ?? kinds[0];
    const createdAt = now - 60 - index * 1_900;
    return {
      ...{
        id: `run_${String(index).padStart(26, 'a')}`,
        agent: index % 3 === 0 ? 'practice' : 'claude-code',
        workspace: '/home/ada/projects/shop',
      },
      prompt: `${prompts[index % prompts.length] ?? ''} (${index})`,
      ...{ createdAt, endedAt: createdAt + 40, phase: 'done', outcome, colour, why: [why], own: false, waiting: 0 },
    };
  });
}

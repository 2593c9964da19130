/** A desk over a state folder of its own, with the real practice agent, for tests. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { REQUESTS, EVENTS, type AnswerOf, type RequestOf } from '../../shared/bridge/channels.js';
import type { PromptView, RunSummary } from '../../shared/bridge/views.js';
import { createMemoryApprovals } from '../../electron/core/approvals/memory-store.js';
import { createDesk } from '../../electron/core/desk/desk.js';
import type { Desk, DeskDeps, DeskRequest } from '../../electron/core/desk/ports.js';
import { passingKey } from '../../electron/core/redaction/fingerprints.js';
import { openState, type StateFolder } from '../../electron/core/store/layout.js';
import { bundledScanWorker } from './workers.js';
import { bundleProgram, tempFolder } from './processes.js';
import { memoryReceiptServices } from './receipts.js';
import { removeFolder } from './folders.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

let scanWorker: () => URL = () => {
  throw new Error('the exit scan was not bundled');
};

/** Of a desk whose keychain cannot be used, as all of these. */
export function testScan(): DeskDeps['exitScan'] {
  return { workerUrl: scanWorker(), fingerprintKey: async () => passingKey('there is no session bus here') };
}

/** Bundles the practice agent and the exit scan before this file's tests. */
export function bundledPracticeAgent(): () => string {
  let [folder, file] = ['', ''];
  scanWorker = bundledScanWorker();
  beforeAll(async () => {
    mkdirSync(path.join(ROOT, '.cache'), { recursive: true });
    folder = mkdtempSync(path.join(ROOT, '.cache', 'practice-'));
    const source = path.join(ROOT, 'electron/practice/practice-main.ts');
    file = await bundleProgram(folder, `import ${JSON.stringify(source)};`);
  });
  afterAll(() => removeFolder(folder));
  return () => file;
}

export interface TestDesk {
  readonly desk: Desk;
  readonly state: StateFolder;
  readonly home: string;
  readonly workspace: string;
  readonly deps: DeskDeps;
  /** Asks as main does: the request and the answer are checked against their schemas. */
  readonly ask: <N extends DeskRequest>(name: N, request: RequestOf<N>) => Promise<AnswerOf<N>>;
  readonly offer: (folder?: string) => Promise<string>;
  readonly launch: (input: Partial<RequestOf<'runs.launch'>>) => Promise<string>;
  /** Waits for the oldest prompt of a kind. */
  readonly prompt: <K extends PromptView['kind']>(kind: K) => Promise<Extract<PromptView, { kind: K }>>;
  /** Waits until a run is done. */
  readonly done: (runId: string) => Promise<RunSummary>;
  readonly faults: string[];
}

/** The folders of one made-up user and a desk for them; closed with the test. */
export async function newDesk(
  practiceAgent: string,
  more: Partial<DeskDeps> = {},
  root = tempFolder(),
): Promise<TestDesk> {
  const [home, workspace] = [path.join(root, 'home'), path.join(root, 'workspace')];
  for (const folder of [home, workspace]) mkdirSync(folder, { recursive: true });
  const state = await openState(path.join(root, 'state'));
  if (!state.ok) throw new Error(state.error.text);
  const faults: string[] = [];
  const deps: DeskDeps = {
    state: state.value,
    approvals: createMemoryApprovals(),
    ...memoryReceiptServices(state.value),
    keychain: () => ({ state: 'no-bus', text: 'there is no session bus here' }),
    userEnv: { HOME: home, SHELL: '/bin/sh', PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` },
    practiceProgram: { program: process.execPath, args: [practiceAgent], files: [practiceAgent] },
    exitScan: testScan(),
    index: null,
    version: '0.0.0-test',
    noTray: () => null,
    onFault: (text) => faults.push(text),
    ...more,
  };
  const desk = createDesk(deps);
  onTestFinished(() => desk.close());
  for (const name of ['runs.changed', 'runs.events', 'prompts.changed', 'settings.changed'] as const)
    desk.on(name, (event) => {
      EVENTS[name].parse(event);
    });
  const ask: TestDesk['ask'] = async (name, request) => {
    const handler = desk.handlers[name] as (request: unknown) => Promise<unknown>;
    const answer = await handler(REQUESTS[name].request.parse(request));
    return REQUESTS[name].answer.parse(answer) as AnswerOf<typeof name>;
  };
  const offer = async (folder = workspace) => (await desk.offerWorkspace(folder)).id;
  return {
    ...{ desk, state: state.value, home, workspace, deps, ask, offer, faults },
    launch: async (input) => {
      const launched = await ask('runs.launch', await launchInput(offer, input));
      if (!launched.ok) throw new Error(launched.text);
      return launched.runId;
    },
    prompt: async (kind) => {
      const find = () => desk.prompts().find((prompt) => prompt.kind === kind);
      await expect.poll(find, { timeout: 20_000 }).toBeDefined();
      return find() as Extract<PromptView, { kind: typeof kind }>;
    },
    done: async (runId) => {
      const find = async () => (await ask('runs.list', { limit: 100 })).find((run) => run.id === runId);
      await expect.poll(async () => (await find())?.phase, { timeout: 30_000 }).toBe('done');
      await expect.poll(() => desk.live().some((run) => run.id === runId)).toBe(false);
      return (await find()) as RunSummary;
    },
  };
}

/** A whole input from the parts that a test cares about. */
export async function launchInput(
  offer: () => Promise<string>,
  input: Partial<RequestOf<'runs.launch'>>,
): Promise<RequestOf<'runs.launch'>> {
  return {
    profile: 'practice',
    workspaceId: input.workspaceId ?? (await offer()),
    prompt: 'Set the project up.',
    bypass: 'none',
    acceptGaps: false,
    workspaceConfig: 'exclude',
    ...input,
  };
}

/** A practice prompt that plays these steps. */
export const script = (...steps: object[]) => JSON.stringify({ steps });
export const shell = (command: string) => ({ tool: 'shell', input: { command } });

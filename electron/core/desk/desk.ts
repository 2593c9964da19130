import { homedir } from 'node:os';
import type { AnswerOf } from '../../../shared/bridge/channels.js';
import type { DoctorFinding, KeychainView, SubjectView } from '../../../shared/bridge/views.js';
import { APPROVAL_SUBJECTS, type ApprovalSubject } from '../../../shared/contracts/approval.js';
import { isId } from '../../../shared/ids.js';
import { agentForProfile } from '../runs/profiles.js';
import { createLoginPath } from '../spawn/login-path.js';
import { createSeam } from '../spawn/seam.js';
import { readRun } from '../store/run-folder.js';
import { agentViews } from './agents-view.js';
import { openDeskMemory } from './desk-memory.js';
import { doctorFindings } from './doctor.js';
import { createDeskEvents } from './events.js';
import { hasStarterPolicy, installStarterPolicy, STARTER_POLICY } from './examples.js';
import { createLaunches } from './launches.js';
import { launchRequest } from './launch-request.js';
import type { Desk, DeskDeps, DeskHandlers } from './ports.js';
import { preflightView, refusedPreflight } from './preflight-view.js';
import { createPrompts } from './prompts.js';
import { registryView } from './registry-view.js';
import { followChain } from './receipt-chain.js';
import { runDetail } from './run-detail.js';
import { readRaw } from './run-files.js';
import { createRunLists } from './run-lists.js';
import { openSettings } from './settings.js';
import { subjectView } from './subject-view.js';
import { createWorkspaces } from './workspaces.js';

type Outcome = AnswerOf<'prompts.answer'>;
const OK: Outcome = { ok: true };
const no = (text: string): Outcome => ({ ok: false, text });

/** Ten minutes. */
const TRUST_SECONDS = 600;
/** Longest wait of a view for approvals of other processes, in milliseconds. */
const REFRESH_MS = 1_000;

/** Makes the desk over an opened state folder; what a crashed owner left behind is ended in the background. */
export function createDesk(deps: DeskDeps): Desk {
  const { state, approvals, receipts, userEnv, practiceProgram, exitScan, index } = deps;
  const now = deps.now ?? (() => Date.now() / 1_000);
  const onFault = deps.onFault ?? (() => undefined);
  const seam = createSeam({ approvals: approvals.check });
  const loginPath = createLoginPath({ seam, userEnv, cwd: state.dir });
  const look = { loginPath, userEnv, practiceProgram };
  const events = createDeskEvents(onFault);
  const settings = openSettings(state);
  const memory = openDeskMemory(state);
  const workspaces = createWorkspaces(memory);
  const show = (subject: ApprovalSubject): SubjectView =>
    subjectView(subject, approvals.state(subject), approvals.lastShown(subject.kind, subject.key));

  const prompts = createPrompts({
    show,
    changed: () => {
      launches.promptsChanged();
      events.tell('prompts.changed', [...prompts.list()]);
    },
    now,
    trustSeconds: deps.trustSeconds ?? TRUST_SECONDS,
  });
  const launches = createLaunches({
    services: { state, seam, approvals, receipts, loginPath, userEnv, practiceProgram, exitScan, index, now },
    prompts,
    tellEvents: (runId, batch) => {
      events.tell('runs.events', { runId, events: batch });
    },
    tellChanged: (summary) => {
      events.tell('runs.changed', summary);
    },
    ended: (record) => lists.ended(record),
    onFault,
  });
  const lists = createRunLists({
    ...{ state, seam, receipts, exitScan, index, now },
    own: launches.summary,
    changed: (summary) => {
      events.tell('runs.changed', summary);
    },
  });
  const chain = followChain(deps.receiptChecks, onFault);
  const swept = lists.sweep().catch((error: unknown) => {
    onFault(`what earlier runs left behind could not be looked at: ${textOf(error)}`);
  });
  const started = Promise.all([swept, chain.look()]).then(() => undefined);
  const asRequest = (asked: Parameters<DeskHandlers['runs.launch']>[0]) =>
    launchRequest(
      {
        ...{ state, workspaces, userEnv },
        busy: () => [...launches.live(), ...lists.liveElsewhere()].map((run) => run.workspace),
      },
      asked,
    );
  /** What a window shows does not wait for a keychain that does not answer. */
  const freshApprovals = () =>
    Promise.race([approvals.refresh(), new Promise((resolve) => setTimeout(resolve, REFRESH_MS))]);

  const handlers: DeskHandlers = {
    'app.info': async () => ({
      version: deps.version,
      stateDir: state.dir,
      noTray: deps.noTray(),
      keychain: deps.keychain(),
      receipts: chain.view(),
      firstStart: !(await memory.get()).firstStartDone,
    }),
    'app.firstStartDone': async () => {
      await memory.set((before) => ({ ...before, firstStartDone: true }));
      return OK;
    },
    'app.starterPolicy': async () => ({ ...STARTER_POLICY, installed: hasStarterPolicy(state.dir) }),
    'app.installStarterPolicy': async () => {
      const installed = await installStarterPolicy(state.dir);
      return installed.ok ? OK : no(installed.error);
    },
    'agents.list': () => agentViews(state, look),
    'workspaces.recent': () => workspaces.recent(),
    'workspaces.practice': () => workspaces.practice(),
    'runs.preflight': async (asked) => {
      await freshApprovals();
      const request = await asRequest(asked);
      if (!request.ok) return refusedPreflight(request.error);
      const view = await preflightView(request.value, { ...look, stateDir: state.dir }, show);
      return { ...view, refused: view.refused ?? launches.refusal() };
    },
    'runs.launch': async (asked) => {
      const request = await asRequest(asked);
      return request.ok ? launches.launch(request.value) : { ok: false, text: request.error };
    },
    'runs.stop': async ({ runId }) => {
      if (launches.stop(runId, 'you stopped it in the window')) return OK;
      return no('This run is not played by this app, or has ended already. Stop it where it was started.');
    },
    'runs.list': ({ limit }) => lists.list(limit),
    'runs.show': async ({ runId }) => (isId('run', runId) ? runDetail(state, launches, runId) : null),
    'runs.raw': async ({ runId, stream, offset }) => {
      if (!isId('run', runId)) return null;
      const run = await readRun(state, runId);
      return readRaw(state, runId, { stream, offset, ended: run.ok && run.value.phase === 'done' });
    },
    'receipts.show': async ({ runId }) => (isId('run', runId) ? deps.receiptChecks.show(runId) : null),
    'receipts.verify': async ({ runId }) => {
      if (!isId('run', runId)) return null;
      const { ok, lines } = await deps.receiptChecks.run(runId);
      return { verified: ok, checks: [...lines] };
    },
    'prompts.list': async () => [...prompts.list()],
    'prompts.answer': (answer) => prompts.answer(answer),
    'approvals.list': async () => {
      await freshApprovals();
      return approvals.records().map(({ kind, key, digest, title, user, surface, when, expires }) => ({
        ...{ kind, key, digest, title, user, surface, when, expires },
      }));
    },
    'approvals.revoke': async ({ kind, key, digest }) => {
      const known = APPROVAL_SUBJECTS.find((subject) => subject === kind);
      const gone = known === undefined ? 0 : await approvals.revoke(known, key, digest);
      return gone > 0 ? OK : no('There is no such approval any more; nothing was revoked.');
    },
    'registry.show': async ({ profile }) => {
      await freshApprovals();
      const found = profile === null ? null : await agentForProfile(state, profile);
      if (found?.ok === false) {
        const fault = { file: 'profiles', path: '', message: found.error, line: 1, column: 1 };
        return { version: '', hooks: [], faults: [fault] };
      }
      const [recent] = await workspaces.recent();
      const workspace = recent?.path ?? userEnv['HOME'] ?? homedir();
      return registryView({ stateDir: state.dir, profile, approvals, userEnv, workspace });
    },
    'doctor.run': async () => {
      loginPath.forget();
      await Promise.all([settings.get(), memory.get()]);
      const findings = await doctorFindings({
        state,
        loginPath,
        profile: null,
        keychain: keychainFinding(deps.keychain()),
        receipts: { chain: chain.look },
      });
      const notices = [settings.notice(), memory.notice(), ...(index?.notices ?? [])];
      const said = notices.flatMap((text): DoctorFinding[] =>
        text === null ? [] : [{ section: 'files', state: 'person', text }],
      );
      if (index === null)
        said.push({ section: 'index', state: 'person', text: 'cannot be used; lists are read from the run folders' });
      return [...findings, ...said];
    },
    'settings.get': () => settings.get(),
    'settings.set': async (wanted) => {
      const profile = await agentForProfile(state, wanted.defaultProfile);
      if (!profile.ok) return no(profile.error);
      const changed = await settings.set(() => wanted);
      events.tell('settings.changed', changed);
      return OK;
    },
  };

  let closing: Promise<void> | null = null;
  const close = async () => {
    const stopped = launches.close('Sallyport is quitting');
    prompts.close('Sallyport is quitting');
    await stopped;
    await started;
    await seam.endAll();
    await workspaces.close();
  };
  return {
    handlers,
    on: events.on,
    started,
    live: launches.live,
    prompts: prompts.list,
    dismissPrompt: prompts.dismiss,
    offerWorkspace: workspaces.offer,
    close: () => (closing ??= close()),
  };
}

function keychainFinding({ state, text }: KeychainView): Omit<DoctorFinding, 'section'> {
  return { state: state === 'ready' ? 'well' : 'person', text };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import type { RunRecord } from '../../../shared/contracts/run.js';
import { BYPASS_LEVELS, type BypassLevel } from '../../../shared/contracts/vocabulary.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { receiptText } from '../../../shared/receipt-text.js';
import { runColour } from '../../../shared/run-colour.js';
import { visibleText } from '../../../shared/visible-text.js';
import { DEFAULT_AGENT } from '../../core/agents/known-agents.js';
import type { ApprovalStore } from '../../core/approvals/store.js';
import { createReceipts } from '../../core/receipts/receipts.js';
import { readDocumentFile } from '../../core/registry/read-document.js';
import type { SessionDocument } from '../../core/registry/registry.js';
import { launchRun } from '../../core/runs/launch.js';
import { endLeftovers, type LeftoverServices } from '../../core/runs/leftovers.js';
import { hookDepth } from '../../core/runs/depth.js';
import { agentForProfile } from '../../core/runs/profiles.js';
import type { LaunchRequest, LaunchServices } from '../../core/runs/request.js';
import { createLoginPath } from '../../core/spawn/login-path.js';
import { isInsideRun } from '../../core/spawn/run-marker.js';
import { createSeam } from '../../core/spawn/seam.js';
import type { StateFolder } from '../../core/store/layout.js';
import { keepsApprovals, openApprovals } from '../approval-store.js';
import { openCommandIndex } from '../command-index.js';
import { EXIT, practiceProgram, stateOf, type CommandContext } from '../context.js';
import { liveLine } from '../terminal/live.js';
import { askTrust, terminalPerson } from '../terminal/prompts.js';
import { describeChange, describeSubject, subjectId } from '../terminal/subject-text.js';
import { scanLines } from './runs-scan-text.js';
import { openTerminal, type Terminal } from '../terminal/terminal.js';
import { stopSignals } from '../terminal/stop-signals.js';

export interface RunOptions {
  readonly profile?: string;
  readonly agent?: string;
  readonly workspace?: string;
  readonly backend?: string;
  readonly bypass?: string;
  readonly hook?: readonly string[];
  readonly approve?: readonly string[];
  readonly acceptGaps?: boolean;
  readonly workspaceConfig?: string;
}

/** `sallyport run`: one run in this terminal; the exit code is that of its colour. */
export async function run(context: CommandContext, prompt: string, options: RunOptions): Promise<number> {
  const opened = await stateOf(context);
  if (!opened.ok) return opened.error;
  const state = opened.value;
  const inside = isInsideRun();
  const asked = await readRequest(context, state, prompt, options, inside);
  if (!asked.ok) {
    context.err(`sallyport: ${asked.error.text}\n`);
    return asked.error.exit;
  }
  // Inside a run an agent could be typing: there nobody is asked, so what is not approved stays refused.
  const terminal = inside ? null : openTerminal();
  try {
    return await runAtTerminal(context, state, asked.value, terminal, new Set(options.approve ?? []));
  } finally {
    terminal?.close();
  }
}

async function runAtTerminal(
  context: CommandContext,
  state: StateFolder,
  request: LaunchRequest,
  terminal: Terminal | null,
  approved: ReadonlySet<string>,
): Promise<number> {
  // Asked at once, so that the keychain answers while the rest is looked at.
  const opened = openApprovals(context, state, { patient: false });
  try {
    const approvals = tellKept(context, opened.store, approved);
    const receipts = createReceipts({ state, keychain: opened.keychain, appVersion: packageJson.version });
    const services = { state, approvals, receipts, exitScan: opened.exitScan };
    return await runWith(context, services, request, terminal, approved);
  } finally {
    await opened.close();
  }
}

async function runWith(
  context: CommandContext,
  {
    state,
    approvals,
    receipts,
    exitScan,
  }: Pick<LaunchServices, 'state' | 'approvals' | 'exitScan'> & Pick<LeftoverServices, 'receipts'>,
  request: LaunchRequest,
  terminal: Terminal | null,
  approved: ReadonlySet<string>,
): Promise<number> {
  const now = () => Date.now() / 1_000;
  const seam = createSeam({ approvals: approvals.check });
  await sweep(context, { state, seam, receipts, exitScan }, now());
  const index = await openCommandIndex(context, state);
  const services: LaunchServices = {
    state,
    seam,
    approvals,
    receipts,
    loginPath: createLoginPath({ seam, userEnv: context.io.env, cwd: state.dir }),
    userEnv: context.io.env,
    practiceProgram: practiceProgram(),
    person: terminal === null ? null : terminalPerson(terminal),
    trust: trustFrom(context, terminal, approvals, approved),
    surface: 'terminal',
    emit: (event) => {
      const line = liveLine(event);
      if (line !== null) context.out(`${line}\n`);
    },
    index,
    exitScan,
    now,
  };
  const live = await launchRun(request, services);
  context.out(`run      ${live.id}  ${request.adapter.title} in ${request.workspace}\n`);
  const release = stopSignals((reason) => {
    context.err(`\nStopping (${reason}) …\n`);
    live.stop(reason);
  });
  try {
    const record = await live.done;
    return await showEnd(context, state, record);
  } finally {
    release();
    await index?.close();
  }
}

/** Runs that an earlier command left behind when it was killed. */
async function sweep(context: CommandContext, services: LeftoverServices, now: number): Promise<void> {
  for (const { record, left } of await endLeftovers(services, now)) {
    const still = left.length > 0 ? `; these processes could not be ended: ${left.join(', ')}` : '';
    context.err(
      `note     run ${record.id} was left behind by a command that ended; it is now recorded as ${record.outcome ?? 'ended'}${still}\n`,
    );
  }
}

/** The store, with a digest that was handed in counting for this command alone, and what is kept said. */
function tellKept(context: CommandContext, store: ApprovalStore, approved: ReadonlySet<string>): ApprovalStore {
  return {
    ...store,
    approve: async (subject, shownDigest, voice) => {
      if (approved.has(subject.digest)) return store.approveForNow(subject, shownDigest, voice);
      const record = await store.approve(subject, shownDigest, voice);
      if (!record.ok) return record;
      const take = `sallyport approvals revoke ${subjectId(subject)}`;
      if (record.value.kept === 'signed') context.out(`kept     ${subject.title}; to take it back: ${take}\n`);
      return record;
    },
  };
}

function trustFrom(
  context: CommandContext,
  terminal: Terminal | null,
  approvals: ApprovalStore,
  approved: ReadonlySet<string>,
): LaunchServices['trust'] {
  let noted = false;
  const note = () => {
    // Only where it matters: when something has to be asked (again).
    if (!noted && approvals.status().state !== 'ready') context.err(`note     ${approvals.status().text}\n`);
    noted = true;
  };
  return async ({ subject, withdrawn }) => {
    if (approved.has(subject.digest)) return { answer: 'yes', subject };
    note();
    const change = describeChange(approvals, subject);
    if (terminal !== null) {
      const yes = await askTrust(terminal, subject, { change, kept: keepsApprovals(approvals), withdrawn });
      return yes ? { answer: 'yes', subject } : { answer: 'no' };
    }
    context.err(`\nThis was not approved, and there is no terminal to ask at:\n${describeSubject(subject)}${change}`);
    context.err(`If it is what you want to run, start again with --approve ${subject.digest}\n`);
    return { answer: 'nobody' };
  };
}

async function showEnd(context: CommandContext, state: StateFolder, record: RunRecord): Promise<number> {
  const { colour, exitCode, why } = runColour(record);
  const { facts } = record;
  context.out(`\n${colour.padEnd(8)} ${record.outcome ?? 'not ended'}: ${record.reason ?? ''}\n`);
  for (const text of why) if (text !== record.reason) context.out(`         ${text}\n`);
  context.out(
    `         ${facts.toolCalls} tool call(s): ${facts.guarded} passed the gate, ${facts.denials} denied, ` +
      `${facts.modified} changed, ${facts.approvalsGranted} approved by you, ${facts.unguarded.length} unguarded\n`,
  );
  for (const line of await scanLines(state, record)) context.out(`         ${line}\n`);
  // A reason for the colour has been said.
  const receipt = receiptText(record.receipt);
  if (!why.includes(receipt)) context.out(`         ${receipt}\n`);
  context.out(`         See: sallyport runs show ${record.id}\n`);
  // What failed before the agent was started was not the agent's doing: its program or another part of this machine.
  return record.outcome === 'failed' && record.startedAt === null ? EXIT.environment : exitCode;
}

/** One argument of a program on Linux, without the zero at its end. */
const MAX_PROMPT_BYTES = 128 * 1_024 - 1;

interface Refused {
  readonly exit: number;
  readonly text: string;
}

async function readRequest(
  context: CommandContext,
  state: StateFolder,
  prompt: string,
  options: RunOptions,
  inside: boolean,
): Promise<Result<LaunchRequest, Refused>> {
  const usage = (text: string) => fail({ exit: EXIT.usage, text });
  const approve = options.approve ?? [];
  if (prompt.trim() === '') return usage('the prompt is empty; say what the agent should do: sallyport run -- "…"');
  const length = Buffer.byteLength(prompt);
  if (process.platform === 'linux' && length > MAX_PROMPT_BYTES) {
    return usage(
      `the prompt has ${length} bytes, and its limit is 128 KiB (Linux takes no longer argument); nothing was started. Put the long text into a file in the workspace and name that file in the prompt`,
    );
  }
  if ((options.backend ?? 'local') !== 'local') {
    return fail({
      exit: EXIT.environment,
      text: `the backend "${options.backend ?? ''}" is not there yet; there is only "local". Nothing was started`,
    });
  }
  if (inside && (approve.length > 0 || (options.bypass ?? 'none') !== 'none')) {
    return fail({
      exit: EXIT.refused,
      text: 'inside a run nothing can be approved and no bypass can be asked for; do it from your own terminal',
    });
  }
  const bad = approve.find((digest) => !/^sha256:[0-9a-f]{64}$/.test(digest));
  if (bad !== undefined)
    return usage(`--approve takes a whole digest (sha256: and 64 hex digits), not ${JSON.stringify(bad)}`);
  const found = await agentForProfile(state, options.profile ?? options.agent ?? DEFAULT_AGENT);
  if (!found.ok) return usage(found.error);
  const { profile, adapter } = found.value;
  if (options.agent !== undefined && options.agent !== adapter.name) {
    return usage(`the profile "${profile.name}" is one of ${adapter.name}, not of ${options.agent}`);
  }
  const bypass = BYPASS_LEVELS.find((level) => level === (options.bypass ?? profile.bypass));
  if (bypass === undefined) return usage(`--bypass is one of ${BYPASS_LEVELS.join(', ')}`);
  const workspaceConfig = options.workspaceConfig ?? profile.foreign_hooks;
  if (workspaceConfig !== 'exclude' && workspaceConfig !== 'approve') {
    return usage('--workspace-config is one of exclude, approve');
  }
  const workspace = folderOf(options.workspace ?? '.');
  if (!workspace.ok) return usage(workspace.error);
  const hooks = readHooks(options.hook ?? []);
  if (!hooks.ok) return fail(hooks.error);
  return ok({
    adapter,
    profile,
    workspace: workspace.value,
    prompt,
    bypass: bypass satisfies BypassLevel,
    sessionHooks: hooks.value,
    acceptGaps: options.acceptGaps ?? false,
    workspaceConfig,
    depth: hookDepth(context.io.env),
  });
}

function folderOf(path: string): Result<string, string> {
  try {
    const real = realpathSync(resolve(path));
    return statSync(real).isDirectory() ? ok(real) : fail(`${real} is no folder; name the workspace with --workspace`);
  } catch {
    return fail(`there is no folder ${resolve(path)}; name the workspace with --workspace`);
  }
}

/** Bounded, and regular files only: a pipe would never end, and a device has no size. */
function readHooks(files: readonly string[]): Result<readonly SessionDocument[], Refused> {
  const documents: SessionDocument[] = [];
  for (const file of files) {
    const read = readDocumentFile(file);
    const name = visibleText(file).text;
    if (!read.ok) {
      const text = `the hook file ${name} ${read.error}; nothing was started. Give the path of a hook document`;
      return fail({ exit: EXIT.environment, text });
    }
    if (read.value === null) {
      return fail({ exit: EXIT.usage, text: `there is no hook file ${name}; give the path of a hook document` });
    }
    documents.push({ label: file, bytes: read.value.bytes });
  }
  return ok(documents);
}

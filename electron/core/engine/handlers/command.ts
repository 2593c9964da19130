/**
 * Runs a command handler once: what runs is derived and checked again right before the start and
 * right after it, the event goes in as one line, exactly one decision comes out. It decides nothing
 * itself: failure policies, circuits and traces are the engine's.
 */
import type { Decision } from '../../../../shared/contracts/decision.js';
import type { HookEvent } from '../../../../shared/contracts/event.js';
import type { ResolvedHook } from '../../../../shared/policy/resolve-hook.js';
import type { ApprovalStore } from '../../approvals/store.js';
import { hookSubject } from '../../approvals/subjects.js';
import { hookEnvironment, type EnvironmentSource, type HookEnvironment } from '../../spawn/environment.js';
import type { SpawnResult } from '../../spawn/request.js';
import type { Seam } from '../../spawn/seam.js';
import { laneOf, type Concurrency } from './concurrency.js';
import { parseDecision, refuseDecision } from './parse-decision.js';

export type FailureCause =
  | 'timed-out'
  | 'exit-status'
  | 'output-limit'
  | 'no-decision'
  | 'not-a-decision'
  | 'not-allowed'
  /** The program, its interpreter or a script is missing, or the system could not start it. */
  | 'broken'
  /** What ran is not, or may not be, what was approved: red, whatever the failure policy. */
  | 'changed-during-run';

export type HandlerResult =
  | { readonly kind: 'decision'; readonly decision: Decision; readonly exitStatus: number }
  /** Observational handlers only. */
  | { readonly kind: 'silent'; readonly exitStatus: number }
  | {
      readonly kind: 'failed';
      readonly cause: FailureCause;
      /** Safe to show and to store: nothing of the event or of the handler's output is in it. */
      readonly error: string;
      readonly exitStatus: number | null;
      readonly timedOut: boolean;
      readonly truncated: boolean;
    }
  /** Never approved. */
  | { readonly kind: 'unapproved'; readonly why: string }
  /** Approved once, but not as it is now. */
  | { readonly kind: 'changed'; readonly why: string };

export interface CommandHandlerInput {
  readonly hook: ResolvedHook;
  readonly event: HookEvent;
  readonly seam: Pick<Seam, 'run'>;
  readonly approvals: Pick<ApprovalStore, 'state' | 'proofFor' | 'refresh'>;
  readonly concurrency: Concurrency;
  /** Names the session for the order of waiting; sessions do not wait for one another. */
  readonly sessionKey: string;
  readonly userEnv: EnvironmentSource;
  /** Told when entries were removed from the handler's PATH. */
  readonly onHygiene?: (hygiene: HookEnvironment['hygiene']) => void;
}

/** Runs the hook for the event within `hook.timeoutMs` (waiting for a place and hashing included), plus the grace in which its tree is ended. */
export async function runCommandHandler(input: CommandHandlerInput): Promise<HandlerResult> {
  const { hook, concurrency } = input;
  const deadline = performance.now() + hook.timeoutMs;
  const release = await concurrency.enter(laneOf(input.sessionKey, hook.key), hook.maxConcurrency, hook.timeoutMs);
  if (release === null) return timedOut(hook, ' (it waited all that time for earlier executions of itself)');
  try {
    return await runOnce(input, deadline);
  } finally {
    release();
  }
}

async function runOnce(input: CommandHandlerInput, deadline: number): Promise<HandlerResult> {
  const { hook, event, approvals, userEnv } = input;
  const { handler } = hook;
  if (handler.kind !== 'command') throw new Error(`hook ${hook.key} is no command hook`);
  const context = { workspace: event.workspace, userEnv };
  await approvals.refresh();
  const before = await hookSubject(hook, context);
  if (!before.ok) return failed('broken', `it cannot start: ${before.error.text}`);
  const proof = approvals.proofFor(before.value);
  if (proof === null) return notApproved(approvals.state(before.value));

  const { env, hygiene } = environmentFor(input, handler.env ?? {});
  if (hygiene.removed > 0) input.onHygiene?.(hygiene);
  const remaining = deadline - performance.now();
  if (remaining <= 0) return timedOut(hook, ' (before it could start)');
  const run = await input.seam.run({
    purpose: 'hook',
    argv: handler.argv,
    cwd: event.workspace,
    env,
    stdin: Buffer.from(`${JSON.stringify(event)}\n`, 'utf8'),
    timeoutMs: remaining,
    maxOutputBytes: hook.maxOutputBytes,
    marker: { runId: event.run_id },
    proof,
  });
  const after = await hookSubject(hook, context);
  const unchanged = after.ok && after.value.digest === before.value.digest;
  if (!unchanged) {
    return failed(
      'changed-during-run',
      'the program or a script of it changed while it ran; review and approve it again',
    );
  }
  if (!run.ok) return failed(run.error.code === 'not-approved' ? 'changed-during-run' : 'broken', run.error.text);
  return judge(hook, run.value);
}

function environmentFor({ hook, event, userEnv }: CommandHandlerInput, declared: Readonly<Record<string, string>>) {
  return hookEnvironment({
    userEnv,
    declared,
    point: event.point,
    hookId: hook.id,
    eventId: event.event_id,
    runId: event.run_id,
    sessionId: event.session_id,
    depth: event.depth,
    workspace: event.workspace,
  });
}

function notApproved(state: ReturnType<ApprovalStore['state']>): HandlerResult {
  return state === 'changed'
    ? { kind: 'changed', why: 'it changed since it was approved; review and approve it again' }
    : { kind: 'unapproved', why: 'it was never approved; review and approve it' };
}

/** What the finished process means. */
function judge(hook: ResolvedHook, run: SpawnResult): HandlerResult {
  const facts = { exitStatus: run.exitCode, truncated: run.truncated };
  if (run.timedOut) return { ...timedOut(hook, ''), ...facts };
  if (run.truncated) {
    return failed(
      'output-limit',
      `it wrote more than ${hook.maxOutputBytes} bytes (max_output_bytes) and was ended`,
      facts,
    );
  }
  if (run.exitCode !== 0) {
    const how =
      run.exitCode === null ? `was ended by ${run.signal ?? 'a signal'}` : `exited with status ${run.exitCode}`;
    return failed('exit-status', `it ${how}; a handler that decides must exit with 0`, facts);
  }
  const parsed = parseDecision(run.stdout);
  if (!parsed.ok) return failed('not-a-decision', parsed.error, facts);
  if (parsed.value === null) {
    return hook.mode === 'observational'
      ? { kind: 'silent', exitStatus: 0 }
      : failed('no-decision', 'it wrote no decision; a blocking handler must always write one', facts);
  }
  const refused = refuseDecision(hook, parsed.value);
  if (refused !== null) return failed('not-allowed', refused, facts);
  return { kind: 'decision', decision: parsed.value, exitStatus: 0 };
}

type Failed = Extract<HandlerResult, { kind: 'failed' }>;

/** Bound of an error's text in characters; paths in it can be long. */
const MAX_ERROR = 1_000;

function failed(
  cause: FailureCause,
  error: string,
  facts: Pick<Failed, 'exitStatus' | 'truncated'> = { exitStatus: null, truncated: false },
): Failed {
  const text = error.length > MAX_ERROR ? `${error.slice(0, MAX_ERROR).toWellFormed()} …` : error;
  return { kind: 'failed', cause, error: text, timedOut: cause === 'timed-out', ...facts };
}

function timedOut(hook: ResolvedHook, when: string): Failed {
  return failed('timed-out', `it did not finish within ${hook.timeoutMs / 1_000} s${when}`);
}

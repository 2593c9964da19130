import type { Trace } from '../../../shared/contracts/trace.js';
import type { ApprovalStore } from '../approvals/store.js';
import { foldPaths } from '../engine/builtins/reach.js';
import { runCommandHandler } from '../engine/handlers/command.js';
import { createConcurrency } from '../engine/handlers/concurrency.js';
import type { EngineServices, HandlerOutcome } from '../engine/ports.js';
import type { Seam } from '../spawn/seam.js';
import { runBuiltin } from './handlers.js';

export interface EngineServicesInput {
  readonly seam: Seam;
  readonly approvals: ApprovalStore;
  readonly userEnv: Readonly<Record<string, string | undefined>>;
  readonly runId: string;
  readonly trace: (trace: Trace) => void;
  readonly warn: (text: string) => void;
  /** A hook's program or script was swapped while it ran. */
  readonly handlerChanged: (hook: string) => void;
  /**
   * What a process hook without an approval is: `inert` where a person could have been asked, a
   * failure where approvals cannot be checked at all (the full command without the owner of a run).
   */
  readonly unapproved: 'inert' | 'failure';
  readonly now: () => number;
}

/** Fills the engine's ports with the real handlers. */
export function createEngineServices(input: EngineServicesInput): EngineServices {
  const { userEnv, warn } = input;
  const home = userEnv['HOME'] ?? null;
  const concurrency = createConcurrency();
  const hygieneSaid = new Set<string>();

  const runCommand = async (call: Parameters<EngineServices['runHandler']>[0]): Promise<HandlerOutcome> => {
    const name = `${call.hook.scope}:${call.hook.id}`;
    const result = await runCommandHandler({
      hook: call.hook,
      event: call.event,
      seam: input.seam,
      approvals: input.approvals,
      concurrency,
      sessionKey: input.runId,
      userEnv,
      onHygiene: ({ removed, kinds }) => {
        if (removed === 0 || hygieneSaid.has(name)) return;
        hygieneSaid.add(name);
        warn(
          `hook ${name}: ${removed} entr${removed === 1 ? 'y' : 'ies'} of PATH named its own folder and were left out (${kinds.join(', ')})`,
        );
      },
    });
    switch (result.kind) {
      case 'decision':
      case 'silent':
        return result;
      case 'failed':
        if (result.cause === 'changed-during-run') input.handlerChanged(name);
        return result;
      case 'unapproved':
        return input.unapproved === 'inert' ? { kind: 'inert', why: result.why } : failure(result.why);
      case 'changed':
        // A guard must not be switched off by touching it; an observer that changed is merely left out.
        return call.hook.mode === 'blocking' ? failure(result.why) : { kind: 'inert', why: result.why };
    }
  };
  return {
    runHandler: (call) => (call.hook.handler.kind === 'builtin' ? runBuiltin(call, home) : runCommand(call)),
    foldPaths: async (paths, workspace) => {
      const folded = await foldPaths(paths, { workspace, home });
      // An error here reaches the gate as an error of the engine, which denies.
      if (!folded.ok) throw new Error(folded.error);
      return folded.value;
    },
    trace: input.trace,
    warn,
    now: input.now,
  };
}

function failure(error: string): HandlerOutcome {
  return { kind: 'failed', error, exitStatus: null, timedOut: false, truncated: false };
}

import type { Readable } from 'node:stream';
import { newId } from '../../../shared/ids.js';
import type { NativeAnswer } from '../../core/agents/contract.js';
import { createMemoryApprovals } from '../../core/approvals/memory-store.js';
import { dispatchNative } from '../../core/gate/dispatch.js';
import { MAX_BODY_BYTES } from '../../core/gate/server.js';
import { newGateSession } from '../../core/gate/session.js';
import { loadRegistry } from '../../core/registry/registry.js';
import { createEngineServices } from '../../core/runs/engine-services.js';
import { hookDepth } from '../../core/runs/depth.js';
import { agentForProfile } from '../../core/runs/profiles.js';
import { createSeam } from '../../core/spawn/seam.js';
import { openState } from '../../core/store/layout.js';
import type { CommandContext } from '../context.js';

/** What an agent takes for a denial, whatever the agent: status 2 with a text on standard error. */
const DENIED = 2;

/** Below the 600 s that agents give a hook by default; a person cannot be asked here, so nothing takes long. */
const DEADLINE_MS = 60_000;

/**
 * `sallyport dispatch EVENT --profile P`: what a compiled configuration calls where no owner of a run
 * answers. Builtins decide from the same registry; approvals cannot be checked here, so process hooks
 * deny, and so does whatever needs a person. Not for people.
 */
export async function dispatch(context: CommandContext, event: string, profileName: string): Promise<number> {
  const body = await readAll(context.io.stdin);
  if (body === null) return deny(context, 'the event is larger than 64 MiB');
  const state = await openState(context.stateDir);
  if (!state.ok) return deny(context, state.error.text);
  const found = await agentForProfile(state.value, profileName);
  if (!found.ok) return deny(context, found.error);
  const { adapter, profile } = found.value;
  const snapshot = loadRegistry({ stateDir: state.value.dir, profile: profile.name, sessionDocuments: [] });
  if (snapshot.faults.length > 0) {
    const list = snapshot.faults.map((fault) => `${fault.file}: ${fault.path}: ${fault.message}`).join('; ');
    return deny(context, `the registry has faults: ${list}`);
  }
  const approvals = createMemoryApprovals();
  const runId = newId('run');
  const session = newGateSession(runId, workspaceOf(body) ?? process.cwd(), hookDepth(context.io.env));
  const dispatched = await dispatchNative(
    {
      adapter,
      session,
      snapshot: () => Promise.resolve(snapshot),
      services: createEngineServices({
        seam: createSeam({ approvals: approvals.check }),
        approvals,
        userEnv: context.io.env,
        runId,
        trace: () => undefined,
        warn: (text) => {
          context.err(`sallyport: ${text}\n`);
        },
        handlerChanged: () => undefined,
        unapproved: 'failure',
        now: () => Date.now() / 1_000,
      }),
      ask: () =>
        Promise.resolve({
          answer: 'deny',
          why: 'this needs a person, and nobody can be asked here; start the run with `sallyport run`',
        }),
      report: () => undefined,
      deadlineMs: DEADLINE_MS,
    },
    event,
    body,
    new AbortController().signal,
  );
  return answer(context, dispatched.answer);
}

function answer({ out, err }: CommandContext, { body, stderr, exit }: NativeAnswer): number {
  if (stderr !== '') err(stderr.endsWith('\n') ? stderr : `${stderr}\n`);
  out(body);
  return exit;
}

function deny({ err }: CommandContext, why: string): number {
  err(`Sallyport denies this, since it cannot judge it: ${why}\n`);
  return DENIED;
}

async function readAll(stdin: Readable): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    // Read on to the end: an agent that is still writing would die of a broken pipe and miss the denial.
    if (size <= MAX_BODY_BYTES) chunks.push(bytes);
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks);
}

/** Every agent names its working folder `cwd` in the payload (measured); parsed here only for that. */
function workspaceOf(body: Uint8Array): string | null {
  try {
    const payload = JSON.parse(Buffer.from(body).toString('utf8')) as { cwd?: unknown };
    return typeof payload.cwd === 'string' ? payload.cwd : null;
  } catch {
    return null;
  }
}

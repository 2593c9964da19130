import type { CompiledRun } from '../agents/contract.js';
import type { ApprovalProof, Running, SpawnError } from '../spawn/request.js';
import type { Seam } from '../spawn/seam.js';
import type { Result } from '../../../shared/result.js';
import { splitLines } from './lines.js';
import type { AgentProgram } from './agent-program.js';
import type { LaunchRequest } from './request.js';
import type { Timeline } from './timeline.js';

/** Where the agent's raw output is kept. */
export interface RawOutput {
  readonly stdout: (chunk: Uint8Array) => Promise<void>;
  readonly stderr: (chunk: Uint8Array) => Promise<void>;
}

export interface AgentProcess {
  readonly running: Running;
  /** Hands on what was left without a line end. */
  readonly flush: () => void;
}

/** Time between two end signals, in milliseconds. */
const GRACE_MS = 5_000;

/** Starts the agent through the seam; each line of its stream goes to the timeline, every byte to the raw output. */
export async function startAgent(
  request: LaunchRequest,
  seam: Seam,
  start: {
    readonly runId: string;
    readonly agent: AgentProgram;
    readonly compiled: CompiledRun;
    readonly proof: ApprovalProof;
  },
  timeline: Timeline,
  raw: RawOutput,
): Promise<Result<AgentProcess, SpawnError>> {
  const { adapter, workspace } = request;
  const { agent, compiled } = start;
  const lines = splitLines((line, whole) => {
    if (line === '') return;
    const events = whole ? adapter.readStreamLine(line) : null;
    if (events === null) timeline.unparsed(line);
    else for (const event of events) timeline.fromAgent(event);
  });
  const running = await seam.start({
    purpose: 'agent',
    argv: [agent.program, ...agent.prefix, ...compiled.argv],
    cwd: workspace,
    env: { ...agent.env, ...compiled.env },
    stdin: 'none',
    timeoutMs: null,
    maxOutputBytes: 0,
    endSignals: adapter.endSignals,
    graceMs: GRACE_MS,
    marker: { runId: start.runId },
    proof: start.proof,
    onStdout: async (chunk) => {
      lines.push(chunk);
      await raw.stdout(chunk);
    },
    onStderr: (chunk) => raw.stderr(chunk),
  });
  if (!running.ok) return running;
  return { ok: true, value: { running: running.value, flush: lines.end } };
}

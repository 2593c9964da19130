import type { Outcome } from '../../../shared/contracts/run.js';
import type { StreamEvent } from '../agents/contract.js';

export interface AgentEnd {
  /** The agent's own result, if it gave one. */
  readonly result: Extract<StreamEvent, { kind: 'result' }> | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/**
 * What a run came to when nobody of us ended it. The exit code alone says nothing (0 after SIGINT,
 * after a refused prompt: measured), so success takes the agent's own result and status 0.
 */
export function judgeEnd({ result, exitCode, signal }: AgentEnd): { outcome: Outcome; reason: string } {
  const how = signal === null ? `exit code ${exitCode ?? 'unknown'}` : `signal ${signal}`;
  if (result === null) return { outcome: 'failed', reason: `the agent ended without a result (${how})` };
  if (!result.ok) return { outcome: 'failed', reason: `the agent reports: ${result.reason}` };
  if (exitCode !== 0) return { outcome: 'failed', reason: `the agent reports success but ended with ${how}` };
  return { outcome: 'succeeded', reason: result.reason };
}

/** A success whose turn a guard had to let end, and did not, is none: the agent went past it. */
export function judgeTurn(
  end: ReturnType<typeof judgeEnd>,
  lastTurn: 'allow' | 'block' | null,
  guarded: boolean,
): ReturnType<typeof judgeEnd> {
  if (end.outcome !== 'succeeded' || !guarded || lastTurn === 'allow') return end;
  return { outcome: 'failed', reason: 'the agent ended its turn although no guard at turn.stopping let it' };
}

import type { Point } from '../../../shared/contracts/points.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';

/** The clocks of one run, in whole seconds, each below the one that it must not outlast. */
export interface Timeouts {
  /** A person has this long. */
  readonly approval: number;
  /** The gate denies after this. */
  readonly gate: number;
  /** The launcher gives up after this. */
  readonly launcher: number;
  /** The agent's own time-out for the hook call, after which most agents run the tool. */
  readonly native: number;
}

const BOUNDARIES: readonly (readonly Point[])[] = [
  ['tool.before', 'file.before_write', 'command.before'],
  ['turn.stopping'],
];

/**
 * Derives the clocks: the approval time, the sum of the slowest boundary's hooks (twice, for the
 * second look), and 15 s, of which 5 s lie between gate and launcher and 5 s between launcher and agent.
 */
export function timeoutsFor(hooks: readonly ResolvedHook[], approvalSeconds: number): Timeouts {
  const sums = BOUNDARIES.map((points) =>
    hooks
      .filter((hook) => hook.mode === 'blocking' && points.includes(hook.point))
      .reduce((sum, hook) => sum + hook.timeoutMs / 1_000, 0),
  );
  const approval = Math.ceil(approvalSeconds);
  const native = approval + 2 * Math.ceil(Math.max(...sums)) + 15;
  return { approval, gate: native - 10, launcher: native - 5, native };
}

/** B2: the engine alone, in process: order, filter, decide; 1,000 hooks, 10 of them match. */
import { performance } from 'node:perf_hooks';
import { judgeToolCall } from '../electron/core/engine/tool-call.js';
import { newEngineSession } from '../electron/core/engine/session.js';
import type { PreparedHook } from '../electron/core/engine/ports.js';
import { hookSchema } from '../shared/contracts/hook.js';
import { compileFilters } from '../shared/policy/filters.js';
import { resolveHook } from '../shared/policy/resolve-hook.js';
import { showTable, summarise } from './table.js';

const ROUNDS = 2_000;
const POINTS = ['tool.before', 'command.before', 'turn.stopping', 'run.before'];

/** Hooks spread over points; `atPoint` of them stand where the call passes. */
function registry(count: number): Map<string, PreparedHook[]> {
  const byPoint = new Map<string, PreparedHook[]>();
  for (let index = 0; index < count; index += 1) {
    const point = POINTS[index % POINTS.length] ?? 'tool.before';
    const hook = resolveHook(
      hookSchema.parse({
        schema_version: 1,
        id: `hook-${index}`,
        name: 'bench',
        point,
        scope: 'global',
        mode: 'blocking',
        filters: { tools: [index < 40 ? 'shell' : `Other${index}`] },
        needs: { decisions: ['allow', 'deny'] },
        handler: { kind: 'command', argv: ['true'] },
      }),
      null,
    );
    const matches = compileFilters(hook.filters, { ignoreCase: false });
    if (!matches.ok) throw new Error('a filter of the bench is broken');
    byPoint.set(point, [...(byPoint.get(point) ?? []), { hook, matches: matches.value }]);
  }
  return byPoint;
}

async function measure(count: number): Promise<number[]> {
  const hooks = registry(count);
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    await judgeToolCall(
      {
        snapshot: { version: 'reg-bench', atPoint: (point) => hooks.get(point) ?? [] },
        session: newEngineSession(),
        envelope: { runId: 'run_bench', sessionId: null, workspace: '/', depth: 0 },
        services: {
          runHandler: () =>
            Promise.resolve({ kind: 'decision', decision: { schema_version: 1, action: 'allow' }, exitStatus: 0 }),
          foldPaths: (paths) => Promise.resolve(paths),
          trace: () => undefined,
          warn: () => undefined,
          now: () => 0,
        },
      },
      {
        callId: 'c',
        toolName: 'shell',
        args: { command: 'ls' },
        protectedArgs: [],
        classify: () => ({
          operation: 'run_command',
          category: 'exec.command',
          reversible: false,
          writePaths: [],
          paths: [],
          command: 'ls',
        }),
      },
    );
    samples.push(performance.now() - started);
  }
  return samples.slice(ROUNDS / 4);
}

const small = summarise(await measure(100));
const large = summarise(await measure(1_000));
showTable('B2 the engine alone, ms (20 matching hooks run, all allow)', [
  { name: '100 hooks', ...small, ratio: small.median / large.median },
  { name: '1,000 hooks', ...large, ratio: 1 },
]);

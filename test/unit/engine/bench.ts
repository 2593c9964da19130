import type { Decision } from '../../../shared/contracts/decision.js';
import type { Classification, HookEvent } from '../../../shared/contracts/event.js';
import { hookSchema } from '../../../shared/contracts/hook.js';
import type { Point } from '../../../shared/contracts/points.js';
import type { Trace } from '../../../shared/contracts/trace.js';
import type { JsonObject } from '../../../shared/json.js';
import { compileFilters } from '../../../shared/policy/filters.js';
import { resolveHook } from '../../../shared/policy/resolve-hook.js';
import type { EngineInput, HandlerOutcome, PreparedHook, ToolCall } from '../../../electron/core/engine/ports.js';
import { newEngineSession } from '../../../electron/core/engine/session.js';

type Answer = HandlerOutcome | ((event: HookEvent) => HandlerOutcome);

/** A handler's decision, as the executor would hand it over. */
export function decides(action: Decision['action'], more: Partial<Decision> = {}): HandlerOutcome {
  return { kind: 'decision', decision: { schema_version: 1, action, ...more }, exitStatus: 0 };
}

export const FAILS: HandlerOutcome = {
  kind: 'failed',
  error: 'it broke',
  exitStatus: 1,
  timedOut: false,
  truncated: false,
};

/** A small engine: hooks whose handlers are functions of the test, everything else real. */
export function bench() {
  const hooks: PreparedHook[] = [];
  const answers = new Map<string, Answer>();
  const traces: Trace[] = [];
  const warnings: string[] = [];
  const ran: { id: string; event: HookEvent }[] = [];
  const input: EngineInput = {
    snapshot: { version: 'reg-test', atPoint: (point) => hooks.filter((one) => one.hook.point === point) },
    session: newEngineSession(),
    envelope: { runId: 'run_x', sessionId: 'session', workspace: '/workspace', depth: 0 },
    services: {
      runHandler: ({ hook, event }) => {
        ran.push({ id: hook.id, event });
        const answer = answers.get(hook.id);
        if (answer === undefined) throw new Error(`no answer for ${hook.id}`);
        return Promise.resolve(typeof answer === 'function' ? answer(event) : answer);
      },
      foldPaths: (paths) => Promise.resolve(paths),
      trace: (trace) => traces.push(trace),
      warn: (text) => warnings.push(text),
      now: () => 1_000,
    },
  };
  const add = (id: string, point: Point, answer: Answer, more: JsonObject = {}) => {
    const document = hookSchema.parse({
      schema_version: 1,
      id,
      name: id,
      point,
      scope: 'global',
      mode: 'blocking',
      needs: { decisions: ['allow', 'deny', 'modify', 'request_approval'] },
      handler: { kind: 'command', argv: ['guard'] },
      ...more,
    });
    const hook = resolveHook(document, null);
    const matches = compileFilters(hook.filters, { ignoreCase: false });
    if (!matches.ok) throw new Error(JSON.stringify(matches.error));
    hooks.push({ hook, matches: matches.value });
    answers.set(id, answer);
  };
  return { input, add, traces, warnings, ran };
}

/** A call of a tool whose arguments say themselves what they are. */
export function call(args: JsonObject, protectedArgs: readonly string[] = []): ToolCall {
  return { callId: 'call-1', toolName: 'Tool', args, protectedArgs, classify };
}

function classify(args: JsonObject): Classification {
  const path = typeof args['path'] === 'string' ? [args['path']] : [];
  const command = typeof args['command'] === 'string' ? args['command'] : null;
  return {
    operation: command !== null ? 'run_command' : path.length > 0 ? 'modify_file' : null,
    category: command !== null ? 'exec.command' : path.length > 0 ? 'fs.write' : 'other',
    reversible: false,
    writePaths: path,
    paths: path,
    command,
  };
}

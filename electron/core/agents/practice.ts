/**
 * The adapter of the built-in practice agent. It is held to the same contract as every other
 * agent; its facts rest on its own source, which stands in electron/practice.
 */
import type { Classification } from '../../../shared/contracts/event.js';
import { sameJson } from '../../../shared/canonical-json.js';
import { isJsonObject, type JsonObject } from '../../../shared/json.js';
import { shellWrites } from '../../../shared/policy/shell-writes.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import type {
  AgentAdapter,
  Answer,
  CompiledRun,
  CompileInput,
  NativeAnswer,
  NativeEvent,
  StreamEvent,
} from './contract.js';

const NO_EVENT = { gap: 'the practice agent has no such event' };
const OBSERVED = (event: string) => ({ events: [event], verdicts: [] });
const TOOL = { events: ['call.asked'], verdicts: ['allow', 'deny', 'modify', 'ask'] } as const;

export const practice: AgentAdapter = {
  name: 'practice',
  title: 'Practice agent',
  programNames: null,
  versionArgv: ['--version'],
  parseVersion: (stdout) => /^practice (\d+\.\d+\.\d+)$/m.exec(stdout)?.[1] ?? null,
  judgeVersion: (version) =>
    version === '1.0.0'
      ? { verdict: 'measured' }
      : { verdict: 'refused', reason: 'the practice agent is not the one that this Sallyport brings' },
  measuredVersions: ['1.0.0'],
  measuredPrograms: [],
  configDirEnv: null,
  defaultHome: null,
  passThrough: [],
  points: {
    'session.start': OBSERVED('session.begins'),
    'prompt.before': NO_EVENT,
    'tool.before': TOOL,
    'file.before_write': TOOL,
    'command.before': TOOL,
    'tool.after': OBSERVED('call.done'),
    'file.after_write': OBSERVED('call.done'),
    'command.after': OBSERVED('call.done'),
    'turn.stopping': { events: ['turn.ends'], verdicts: ['allow', 'block'] },
    'compact.before': NO_EVENT,
    'subagent.start': NO_EVENT,
    'subagent.stop': NO_EVENT,
    notification: NO_EVENT,
    'session.end': OBSERVED('session.ends'),
  },
  operations: ['run_command', 'read_file', 'modify_file'],
  signals: ['messages', 'tool_calls'],
  bypassArgv: { none: [], enable: null, activate: null, no_sandbox: null },
  protectedArgs: [],
  tamper: [],
  routeGaps: () => [],
  endSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  coverageSource: 'stream',
  classify,
  contentArgument: (toolName) => (toolName === 'write' ? 'content' : null),
  parseHookInput,
  formatHookOutput,
  // The practice agent reports exactly what it ran.
  executedArgsMatch: (_toolName, judged, executed) => sameJson(judged, executed),
  refuseAgentArgs: (args) => args.map((arg) => `the practice agent takes no further arguments ("${arg}")`),
  compileRun,
  readStreamLine,
  inspectForeign: () => [],
  // It keeps its sessions in the workspace, where its user finds and removes them.
  agentState: ({ workspace, sessionId }) => [
    {
      path: `${workspace}/.practice-agent/${sessionId}.jsonl`,
      within: null,
      missing: 'the practice agent wrote no session, so what was said was not looked at',
    },
  ],
};

function classify(toolName: string, args: JsonObject): Classification {
  const path = typeof args['path'] === 'string' ? [args['path']] : [];
  switch (toolName) {
    case 'shell': {
      const command = typeof args['command'] === 'string' ? args['command'] : '';
      const writePaths = shellWrites(command).targets;
      return {
        operation: 'run_command',
        category: 'exec.command',
        reversible: false,
        writePaths,
        paths: writePaths,
        command,
      };
    }
    case 'write':
      return {
        operation: 'modify_file',
        category: 'fs.write',
        reversible: false,
        writePaths: path,
        paths: path,
        command: null,
      };
    case 'read':
      return {
        operation: 'read_file',
        category: 'fs.read',
        reversible: true,
        writePaths: [],
        paths: path,
        command: null,
      };
    default:
      return { operation: null, category: 'other', reversible: false, writePaths: path, paths: path, command: null };
  }
}

function parseHookInput(event: string, payload: unknown): Result<NativeEvent, string> {
  if (!isJsonObject(payload)) return fail('the payload is not a JSON object');
  const base = {
    event,
    sessionId: typeof payload['session'] === 'string' ? payload['session'] : null,
    cwd: typeof payload['cwd'] === 'string' ? payload['cwd'] : null,
  };
  switch (event) {
    case 'call.asked':
    case 'call.done': {
      const call = payload['call'];
      if (!isJsonObject(call)) return fail('the payload has no "call"');
      const { id, tool, input } = call;
      if (typeof id !== 'string' || typeof tool !== 'string' || !isJsonObject(input ?? null)) {
        return fail('"call" must have an id, a tool and an input');
      }
      const named = { callId: id, toolName: tool, args: input as JsonObject };
      return event === 'call.asked'
        ? ok({ ...base, kind: 'tool.before', ...named, inCoverage: true })
        : ok({ ...base, kind: 'tool.after', ...named, ok: payload['ok'] === true, result: payload['result'] ?? null });
    }
    case 'turn.ends':
      return ok({
        ...base,
        kind: 'turn.stopping',
        lastMessage: typeof payload['last'] === 'string' ? payload['last'] : null,
        alreadyDenied: payload['returned'] === true,
      });
    case 'session.begins':
      return ok({ ...base, kind: 'session.start', source: 'startup', model: null });
    case 'session.ends':
      return ok({
        ...base,
        kind: 'session.end',
        reason: typeof payload['reason'] === 'string' ? payload['reason'] : null,
      });
    default:
      return ok({ ...base, kind: 'unknown' });
  }
}

function formatHookOutput(_event: string, answer: Answer): NativeAnswer {
  switch (answer.verdict) {
    case 'allow':
    case 'grant':
      return native({ answer: 'go' });
    case 'modify':
      return native({ answer: 'go', input: answer.args });
    case 'deny':
    case 'block':
      return native({ answer: 'refuse', why: answer.reason });
  }
}

function native(body: object): NativeAnswer {
  return { body: JSON.stringify(body), exit: 0, stderr: '' };
}

function compileRun(input: CompileInput): CompiledRun {
  const { gate } = input;
  const settings = { hook: [gate.launcher, ...gate.launcherArgs], timeout_seconds: input.nativeTimeoutSeconds };
  return {
    files: [{ name: 'practice.json', text: `${JSON.stringify(settings, null, 2)}\n` }],
    argv: [
      '--settings',
      `${input.configFolder}/practice.json`,
      '--session',
      input.sessionId,
      ...input.agentArgs,
      '--',
      input.prompt,
    ],
    env: {},
  };
}

function readStreamLine(line: string): readonly StreamEvent[] | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) return null;
  const { text, id: callId, session, version, tool, reason } = texts(value);
  switch (value['type']) {
    case 'begin':
      return [{ kind: 'init', sessionId: session, model: null, version }];
    case 'say':
      return [{ kind: 'message', text }];
    case 'call':
      return [
        {
          kind: 'tool.call',
          callId,
          toolName: tool,
          args: isJsonObject(value['input']) ? value['input'] : {},
        },
      ];
    case 'outcome':
      return [{ kind: 'tool.result', callId, ok: value['ok'] === true, executed: value['executed'] === true, text }];
    case 'end':
      return [{ kind: 'result', ok: value['ok'] === true, reason, text: '' }];
    default:
      return [];
  }
}

/** The texts of a stream line; what is absent or no text is empty. */
function texts(line: JsonObject): Record<'text' | 'id' | 'session' | 'version' | 'tool' | 'reason', string> {
  const text = (name: string) => (typeof line[name] === 'string' ? line[name] : '');
  return {
    text: text('text'),
    id: text('id'),
    session: text('session'),
    version: text('version'),
    tool: text('tool'),
    reason: text('reason'),
  };
}

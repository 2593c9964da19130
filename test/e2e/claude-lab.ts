/**
 * One run of the real Claude Code where only loopback exists: compiled by the adapter, against a
 * scripted model and a scripted gate, in folders of its own. Job: start it and hand back everything
 * that it left; the tests judge.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { claudeCode } from '../../electron/core/agents/claude-code.js';
import type { Answer, CompileInput, StreamEvent } from '../../electron/core/agents/contract.js';
import type { JsonObject } from '../../shared/json.js';
import { claudeCodeProgram } from '../support/agents.mjs';
import { onLoopback } from '../support/loopback.js';
import { removeFolder } from '../support/folders.js';

const SUPPORT = join(import.meta.dirname, '..', 'support');
/** Free in every fresh network namespace. */
const MODEL_PORT = 8787;
const GATE_PORT = 8790;
export const TOKEN = 'token-of-this-run';

export interface Call {
  readonly name: string;
  readonly input: JsonObject;
}
/** One assistant turn of the scripted model. */
export interface Step {
  readonly text?: string;
  readonly calls?: readonly Call[];
}
export interface Scenario {
  readonly steps: readonly Step[];
  readonly agents?: readonly { readonly match: string; readonly steps: readonly Step[] }[];
}

/** How the scripted gate answers; see scripted-gate.mjs. */
export interface Rule {
  readonly event?: string;
  readonly tool?: string;
  readonly nth?: number;
  readonly status?: number;
  readonly body?: string;
  readonly delayMs?: number;
  readonly destroy?: boolean;
  readonly die?: boolean;
}

export interface LabInput {
  readonly version: string;
  readonly scenario: Scenario;
  readonly rules?: readonly Rule[];
  /** Files of the workspace and of the user's configuration folder; `@WS@` and `@USER@` stand for the folders. */
  readonly files?: Readonly<Record<string, string>>;
  readonly userFiles?: Readonly<Record<string, string>>;
  readonly bypass?: CompileInput['bypass'];
  readonly prompt?: string;
  readonly launcher?: 'there' | 'missing';
  readonly nativeTimeoutSeconds?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Changes the compiled settings text before it is written; only to show what the real program does with a bad one. */
  readonly spoil?: (text: string) => string;
  /** Sent once the gate was asked about this event. */
  readonly signal?: { readonly after: string; readonly name: NodeJS.Signals };
}

export interface Dispatch {
  readonly event: string;
  readonly token: string | null;
  readonly payload: JsonObject;
}

export interface LabRun {
  readonly status: number | null;
  readonly stderr: string;
  /** Lines of the stream that the adapter could not read. */
  readonly unread: readonly string[];
  readonly stream: readonly StreamEvent[];
  readonly init: JsonObject;
  readonly dispatches: readonly Dispatch[];
  /** Bodies of the requests that the model got. */
  readonly requests: readonly JsonObject[];
  readonly workspace: string;
  has(file: string): boolean;
}

/** A step with one Bash call. */
export function bash(command: string): Step {
  return call('Bash', { command, description: 'scripted' });
}

/** A step with one call. */
export function call(name: string, input: JsonObject): Step {
  return { calls: [{ name, input }] };
}

/** A rule that answers as the adapter formats it. */
export function answers(event: string, answer: Answer, which: Pick<Rule, 'nth' | 'tool'> = {}): Rule {
  return { event, ...which, body: claudeCode.formatHookOutput(event, answer).body };
}

/** Removes what a run left; give it the workspaces of a test file at its end. */
export function removeLab(run: LabRun): void {
  removeFolder(dirname(run.workspace));
}

/** A launcher with the same promise as the product's: the answer on standard output, or exit 2. */
const LAUNCHER = `#!/bin/sh
answer=$(curl -q -sS --fail --max-time 20 -X POST -H 'x-sallyport-token: ${TOKEN}' -H 'content-type: application/json' --data-binary @- "$1/dispatch/$2") || exit 2
printf '%s' "$answer"
`;

export async function runClaude(input: LabInput): Promise<LabRun> {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-claude-'));
  const at = {
    workspace: join(base, 'ws'),
    user: join(base, 'home', '.claude'),
    // A quote and a space in the path: the compiled command must hold.
    config: join(base, "run's folder"),
    temp: join(base, 'tmp'),
  };
  for (const folder of Object.values(at)) mkdirSync(folder, { recursive: true });
  const fill = (text: string) =>
    text.replaceAll('@WS@', at.workspace).replaceAll('@USER@', at.user).replaceAll('@BASE@', base);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, fill(text), { mode: 0o755 });
  };
  for (const [name, text] of Object.entries(input.files ?? {})) put(join(at.workspace, name), text);
  for (const [name, text] of Object.entries(input.userFiles ?? {})) put(join(at.user, name), text);
  put(join(base, 'scenario.json'), JSON.stringify(input.scenario));
  put(join(base, 'rules.json'), JSON.stringify(input.rules ?? []));
  const launcher = join(at.config, 'launch it');
  if (input.launcher !== 'missing') put(launcher, LAUNCHER);

  const httpUrl = `http://127.0.0.1:${GATE_PORT}`;
  const compiled = claudeCode.compileRun({
    gate: { httpUrl, token: TOKEN, launcher, launcherArgs: [httpUrl] },
    version: input.version,
    bypass: input.bypass ?? 'activate',
    prompt: input.prompt ?? 'Please do the scripted work.',
    sessionId: randomUUID(),
    nativeTimeoutSeconds: input.nativeTimeoutSeconds ?? 30,
    configFolder: at.config,
    agentArgs: [],
    workspaceConfig: false,
    noProxy: '127.0.0.1,localhost',
    workspace: at.workspace,
    closeRoutes: false,
    learned: [],
  });
  for (const file of compiled.files) {
    writeFileSync(join(at.config, file.name), (input.spoil ?? ((text) => text))(file.text), { mode: 0o600 });
  }
  const command = onLoopback([
    ...[process.execPath, join(SUPPORT, 'scripted-anthropic.mjs'), '--port', String(MODEL_PORT)],
    ...['--scenario', join(base, 'scenario.json'), '--log', join(base, 'requests.jsonl'), '--'],
    ...[process.execPath, join(SUPPORT, 'scripted-gate.mjs'), '--port', String(GATE_PORT)],
    ...['--rules', join(base, 'rules.json'), '--log', join(base, 'gate.jsonl'), '--'],
    ...[claudeCodeProgram(input.version), ...compiled.argv],
  ]);
  const ended = await start(command, at.workspace, join(base, 'gate.jsonl'), input.signal, {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: join(base, 'home'),
    CLAUDE_CONFIG_DIR: at.user,
    TMPDIR: at.temp,
    ANTHROPIC_API_KEY: 'test-key-not-real',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
    ...input.env,
    ...compiled.env,
  });
  const lines = ended.stdout.split('\n').filter((line) => line !== '');
  const read = lines.map((line) => claudeCode.readStreamLine(line));
  const init = lines.map(parseLine).find((line) => line['type'] === 'system' && line['subtype'] === 'init') ?? {};
  return {
    status: ended.status,
    stderr: ended.stderr,
    unread: lines.filter((_line, index) => read[index] === null),
    stream: read.flatMap((events) => events ?? []),
    init,
    dispatches: jsonLines(join(base, 'gate.jsonl')) as unknown as readonly Dispatch[],
    requests: jsonLines(join(base, 'requests.jsonl')).map((entry) => entry['body'] as JsonObject),
    workspace: at.workspace,
    has: (file) => existsSync(join(at.workspace, file)),
  };
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(
  [program, ...args]: readonly [string, ...string[]],
  cwd: string,
  gateLog: string,
  signal: LabInput['signal'],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    const watch =
      signal === undefined
        ? undefined
        : setInterval(() => {
            if (!jsonLines(gateLog).some((entry) => entry['event'] === signal.after)) return;
            clearInterval(watch);
            child.kill(signal.name);
          }, 50);
    child.on('error', reject);
    child.on('close', (status) => {
      clearInterval(watch);
      resolve({ status, stdout, stderr });
    });
  });
}

function parseLine(line: string): JsonObject {
  try {
    return JSON.parse(line) as JsonObject;
  } catch {
    return {};
  }
}

function jsonLines(file: string): readonly JsonObject[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map(parseLine);
}

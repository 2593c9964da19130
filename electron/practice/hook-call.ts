import { spawn } from 'node:child_process';

/** The practice agent's settings: the hook program that it asks, and how long it waits. */
export interface HookSettings {
  /** Argv of the hook; the event's name is added at the end, the event comes on standard input. */
  readonly hook: readonly string[];
  readonly timeout_seconds: number;
}

export type HookAnswer =
  | { readonly answer: 'go'; readonly input?: Readonly<Record<string, unknown>> }
  | { readonly answer: 'refuse'; readonly why: string };

/** Asks the hook; whatever is not exactly one answer is a refusal. Without a hook everything goes. */
export async function askHook(settings: HookSettings | null, event: string, payload: object): Promise<HookAnswer> {
  if (settings === null) return { answer: 'go' };
  const { status, stdout, stderr } = await runHook(settings, event, `${JSON.stringify(payload)}\n`);
  if (status !== 0) return { answer: 'refuse', why: stderr.trim() || `the hook ended with ${String(status)}` };
  return parseAnswer(stdout);
}

function parseAnswer(text: string): HookAnswer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { answer: 'refuse', why: 'the hook gave no usable answer' };
  }
  if (typeof value !== 'object' || value === null) return { answer: 'refuse', why: 'the hook gave no usable answer' };
  const answer = value as Record<string, unknown>;
  if (answer['answer'] === 'refuse') return { answer: 'refuse', why: String(answer['why']) };
  if (answer['answer'] !== 'go') return { answer: 'refuse', why: 'the hook gave no usable answer' };
  const input = answer['input'];
  return typeof input === 'object' && input !== null
    ? { answer: 'go', input: input as Record<string, unknown> }
    : { answer: 'go' };
}

interface HookRun {
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function runHook(settings: HookSettings, event: string, stdin: string): Promise<HookRun> {
  const [program = '', ...args] = settings.hook;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, event], {
      timeout: settings.timeout_seconds * 1_000,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => {
      resolve({ status: error.message, stdout: '', stderr: error.message });
    });
    child.on('close', (code, signal) => {
      resolve({ status: code ?? signal ?? 'no status', stdout, stderr });
    });
    child.stdin.end(stdin);
  });
}

/**
 * The keychain, reached through one helper process that can be killed: a hanging call of the library
 * takes its whole process with it, and a timer in that process would not help. One call at a time,
 * each with a time-out. It must not log a value, nor put one into an argument, nor wait without a bound.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { EnvironmentSource } from '../spawn/environment.js';
import type { Seam } from '../spawn/seam.js';
import type { Running } from '../spawn/request.js';
import { keychainError, meaningOf, type KeychainError } from './keychain-states.js';

/** Values by name, where nothing but this user's session can read them. */
export interface Keychain {
  /** The value; null only where the keychain is open and has none. */
  readonly get: (name: string) => Promise<Result<string | null, KeychainError>>;
  readonly set: (name: string, value: string) => Promise<Result<void, KeychainError>>;
  readonly delete: (name: string) => Promise<Result<void, KeychainError>>;
  /** Ends what it holds open; a later call starts anew. */
  readonly close: () => Promise<void>;
}

export interface KeychainOptions {
  readonly seam: Pick<Seam, 'start'>;
  /** The helper: a program and its first arguments. */
  readonly program: { readonly program: string; readonly args: readonly string[] };
  /** The user's environment, for the way to the session bus. */
  readonly env: EnvironmentSource;
  readonly service: string;
  /** The id of the state folder, so that two installations do not overwrite one another. */
  readonly accountPrefix: string;
  /** Of the packaged helper, whose own files hang on it. */
  readonly stateDir?: string;
  /** Milliseconds for one call. */
  readonly timeoutMs?: number;
}

/** Milliseconds after which an answer of a keychain that asks nobody is no longer to be expected. */
const TIMEOUT_MS = 5_000;
/** Milliseconds without a call after which the helper is ended; a call takes single ones, a start about 60. */
const IDLE_MS = 2_000;

/** The way to the session bus and to a display for a question of the keyring; nothing else of the user's. */
const PASSED_ON = [
  ...['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME', 'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'USER'],
  ...['LOGNAME', 'PATH', 'SYSTEMROOT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

/** Makes the client; the helper is started at the first call, and ended when idle. */
export function createKeychain(options: KeychainOptions): Keychain {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const link = createLink(options);
  let last: Promise<unknown> = Promise.resolve();

  /** One at a time, in the order of asking. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
  const call = async (
    op: 'get' | 'set' | 'delete',
    name: string,
    value?: string,
  ): Promise<Result<string | null, KeychainError>> => {
    if (!hasBus(options.env)) return fail(keychainError('no-bus'));
    const account = `${options.accountPrefix}/${name}`;
    return link.ask({ op, service: options.service, account, ...(value === undefined ? {} : { value }) }, timeoutMs);
  };
  const done = (result: Result<unknown, KeychainError>) => (result.ok ? ok(undefined) : result);

  return {
    get: (name) =>
      inTurn(async () => {
        const found = await call('get', name);
        if (!found.ok || found.value !== null) return found;
        // A locked keyring answers "there is none" (measured), so that alone proves nothing: write something.
        const probe = `probe-${randomBytes(6).toString('hex')}`;
        const written = await call('set', probe, 'probe');
        if (!written.ok) return written;
        await call('delete', probe);
        // It may have been opened in between.
        return call('get', name);
      }),
    set: (name, value) => inTurn(async () => done(await call('set', name, value))),
    delete: (name) => inTurn(async () => done(await call('delete', name))),
    close: () => link.close(),
  };
}

/** Asking for a bus where there is none would let the library start one by itself where it finds a display. */
function hasBus(env: EnvironmentSource): boolean {
  if (process.platform !== 'linux') return true;
  if ((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== '') return true;
  const runtime = env['XDG_RUNTIME_DIR'] ?? '';
  return runtime !== '' && existsSync(join(runtime, 'bus'));
}

const answerSchema = z.union([
  z.strictObject({ id: z.int(), ok: z.literal(true), value: z.string().nullable() }),
  z.strictObject({ id: z.int(), ok: z.literal(false), error: z.string() }),
]);

/** The helper process while it lives; asked again after its end it is started anew. */
function createLink(options: KeychainOptions) {
  let running: Running | null = null;
  let waiting: { readonly id: number; readonly settle: (answer: Result<string | null, KeychainError>) => void } | null =
    null;
  let received = '';
  let idle: NodeJS.Timeout | undefined;
  let count = 0;
  let starts = 0;

  const take = (line: string) => {
    const answer = readAnswer(line);
    if (answer === null || waiting === null || answer.id !== waiting.id) return;
    waiting.settle(answer.ok ? ok(answer.value) : fail(meaningOf(answer.error)));
  };
  const close = async () => {
    clearTimeout(idle);
    const ending = running;
    running = null;
    waiting?.settle(fail(keychainError('refused', 'it is being closed')));
    await ending?.end();
  };
  const open = async (): Promise<Result<Running, KeychainError>> => {
    if (running !== null) return ok(running);
    received = '';
    starts += 1;
    const generation = starts;
    const started = await options.seam.start({
      purpose: 'helper',
      argv: [options.program.program, ...options.program.args],
      cwd: tmpdir(),
      env: helperEnvironment(options),
      stdin: 'open',
      timeoutMs: null,
      maxOutputBytes: 65_536,
      onStdout: (chunk) => {
        if (generation !== starts) return;
        received += chunk.toString('utf8');
        const lines = received.split('\n');
        received = lines.pop() ?? '';
        lines.forEach(take);
      },
    });
    if (!started.ok) return fail(keychainError('refused', started.error.text));
    const helper = started.value;
    running = helper;
    // It may be gone when it is written to; its end is what counts then.
    helper.input?.on('error', () => undefined);
    const gone = () => {
      if (running !== helper) return;
      running = null;
      waiting?.settle(fail(keychainError('refused', 'the helper process ended')));
    };
    helper.done.then(gone, gone);
    return started;
  };
  const ask = async (request: object, timeoutMs: number): Promise<Result<string | null, KeychainError>> => {
    clearTimeout(idle);
    const helper = await open();
    if (!helper.ok) return helper;
    count += 1;
    const id = count;
    let timer: NodeJS.Timeout | undefined;
    const result = await new Promise<Result<string | null, KeychainError>>((settle) => {
      waiting = { id, settle };
      timer = setTimeout(() => {
        settle(fail(keychainError('hanging', `${timeoutMs / 1_000} s`)));
        // Not waited for: ending a tree takes its time, and whoever asks has waited long enough.
        void close();
      }, timeoutMs);
      helper.value.input?.write(`${JSON.stringify({ id, ...request })}\n`);
    });
    clearTimeout(timer);
    waiting = null;
    idle = setTimeout(() => void close(), IDLE_MS);
    idle.unref();
    return result;
  };
  return { ask, close };
}

function readAnswer(line: string): z.infer<typeof answerSchema> | null {
  try {
    const parsed = answerSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function helperEnvironment({ env, stateDir }: KeychainOptions): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    // The errors are told apart by their texts, which are translated otherwise.
    LC_ALL: 'C.UTF-8',
    ...(stateDir === undefined ? {} : { SALLYPORT_HOME: stateDir }),
  };
}

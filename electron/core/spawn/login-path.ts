/**
 * The PATH of the user's login shell: an app that was started from a dock inherits almost none.
 * Bounded, cached, and honest about falling back. Starts the shell through the seam.
 */
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import path from 'node:path';
import type { EnvironmentSource } from './environment.js';
import type { Seam } from './seam.js';

/** Milliseconds that the user's start-up files may take. */
const LOOK_UP_MS = 2_000;
const MAX_OUTPUT = 262_144;

export interface LoginPath {
  readonly path: string;
  readonly source: 'login-shell' | 'process';
  /** Why the process's own PATH is used, or what was left out; null when there is nothing to say. */
  readonly note: string | null;
}

export interface LoginPathLookUp {
  /** The first call asks the shell (at most about 2 s); later ones repeat its answer, also a fall-back. */
  readonly get: () => Promise<LoginPath>;
  /** The next `get` asks again. */
  readonly forget: () => void;
}

/** Makes a look-up for one user environment; `cwd` is a folder of the user's own, never a workspace. */
export function createLoginPath(input: {
  readonly seam: Pick<Seam, 'run'>;
  readonly userEnv: EnvironmentSource;
  readonly cwd: string;
}): LoginPathLookUp {
  let cached: Promise<LoginPath> | null = null;
  return {
    get: () => (cached ??= lookUp(input)),
    forget: () => {
      cached = null;
    },
  };
}

type LookUpInput = Parameters<typeof createLoginPath>[0];

async function lookUp({ seam, userEnv, cwd }: LookUpInput): Promise<LoginPath> {
  const fallBack = (why: string) =>
    absoluteOnly(
      userEnv['PATH'] ?? '',
      'process',
      `the login shell's PATH is not known: ${why}; using the PATH that Sallyport was started with`,
    );
  if (process.platform === 'win32') return absoluteOnly(userEnv['PATH'] ?? userEnv['Path'] ?? '', 'process', null);
  const shell = userEnv['SHELL'] ?? loginShell();
  if (shell === null || !path.isAbsolute(shell)) return fallBack('no login shell is set');
  const fence = `sallyport-${randomBytes(12).toString('hex')}`;
  const answer = await seam.run({
    purpose: 'probe',
    // Interactive too: many set PATH in files that only interactive shells read.
    argv: [shell, '-i', '-l', '-c', `printf '%s' '${fence}'; printenv PATH; printf '%s' '${fence}'`],
    cwd,
    env: shellEnvironment(userEnv),
    stdin: 'none',
    timeoutMs: LOOK_UP_MS,
    maxOutputBytes: MAX_OUTPUT,
  });
  if (!answer.ok) return fallBack(answer.error.text);
  if (answer.value.timedOut)
    return fallBack(`${shell} did not answer within ${LOOK_UP_MS / 1_000} s (look at its start-up files)`);
  const found = answer.value.stdout.toString('utf8').split(fence)[1]?.replace(/\n$/, '');
  if (found === undefined || found === '') return fallBack(`${shell} gave none`);
  return absoluteOnly(found, 'login-shell', null);
}

function loginShell(): string | null {
  try {
    return userInfo().shell;
  } catch {
    return null;
  }
}

/** What start-up files may rely on, and what keeps them from starting updates and multiplexers. */
function shellEnvironment(userEnv: EnvironmentSource): Record<string, string> {
  const env: Record<string, string> = { TERM: 'dumb', DISABLE_AUTO_UPDATE: 'true', ZSH_TMUX_AUTOSTART: 'false' };
  for (const [name, value] of Object.entries(userEnv)) {
    const wanted = /^(?:PATH|HOME|LANG|LC_.*|TMPDIR|TZ|USER|LOGNAME|SHELL|XDG_.*)$/.test(name);
    if (wanted && value !== undefined) env[name] = value;
  }
  return env;
}

/** A relative entry would look for agents inside a workspace; it is left out, and that is said. */
function absoluteOnly(found: string, source: LoginPath['source'], note: string | null): LoginPath {
  const entries = found.split(path.delimiter);
  const kept = entries.filter((entry) => path.isAbsolute(entry));
  const dropped = entries.length - kept.length;
  const left =
    dropped === 0 ? null : `${dropped} relative or empty ${dropped === 1 ? 'entry' : 'entries'} of PATH left out`;
  const notes = [note, left].filter((text) => text !== null);
  return { path: kept.join(path.delimiter), source, note: notes.length === 0 ? null : notes.join('; ') };
}

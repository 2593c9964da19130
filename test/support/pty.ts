/**
 * Drives a program on a pseudo-terminal, as a person would: waits for text on the screen, types,
 * waits for the end. The terminal is util-linux's `script`. Must not interpret the screen: what the
 * program wrote is there byte for byte, escape sequences included.
 */
import { spawn } from 'node:child_process';

export interface Terminal {
  /** Waits until the output after the last match holds this text or matches; answers with the match. Throws, with the screen, when the program ends or `timeoutMs` pass first. */
  expect(wanted: string | RegExp, timeoutMs?: number): Promise<string>;
  /** Types text; a line ends in `\r`, as the return key sends it. */
  type(text: string): void;
  /** Everything written so far. */
  screen(): string;
  /** Waits for the end; the status is 128 + n after a signal. */
  end(): Promise<{ readonly status: number }>;
  /** Sends a signal to the terminal's own process; the program gets SIGHUP with it. */
  kill(signal: NodeJS.Signals): void;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Longest wait of `expect` unless told otherwise; a bound against hanging, not a measure. Milliseconds. */
const PATIENCE_MS = 60_000;

/** Starts a command on a terminal of its own. */
export function openTerminal(argv: readonly string[], { cwd, env }: TerminalOptions): Terminal {
  const line = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = spawn('script', ['-qfec', `exec ${line}`, '/dev/null'], {
    cwd,
    env: { TERM: 'dumb', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let screen = '';
  let seen = 0;
  let status: number | null = null;
  const changed = new Set<() => void>();
  const announce = () => {
    for (const listener of [...changed]) listener();
  };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
    announce();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
    announce();
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<{ status: number }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      status = code ?? 128;
      announce();
      resolve({ status });
    });
  });

  const find = (wanted: string | RegExp): { text: string; end: number } | null => {
    const rest = screen.slice(seen);
    if (typeof wanted === 'string') {
      const at = rest.indexOf(wanted);
      return at < 0 ? null : { text: wanted, end: seen + at + wanted.length };
    }
    const match = new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, '')).exec(rest);
    return match === null ? null : { text: match[0], end: seen + match.index + match[0].length };
  };

  return {
    expect: (wanted, timeoutMs = PATIENCE_MS) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          changed.delete(look);
        };
        const fail = (why: string) => {
          stop();
          reject(new Error(`${why} before ${String(wanted)} was seen; the screen:\n${screen}`));
        };
        const look = () => {
          const found = find(wanted);
          if (found !== null) {
            stop();
            seen = found.end;
            resolve(found.text);
          } else if (status !== null) fail(`the program ended with status ${status}`);
        };
        const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
        changed.add(look);
        look();
      }),
    type: (text) => {
      child.stdin.write(text);
    },
    screen: () => screen,
    end: () => ended,
    kill: (signal) => {
      child.kill(signal);
    },
  };
}

import { closeSync, openSync } from 'node:fs';
import { ReadStream, WriteStream } from 'node:tty';

/** A person's terminal: text out, one line at a time in. Not standard input and output: those may be piped. */
export interface Terminal {
  readonly write: (text: string) => void;
  /**
   * Waits for one line. What was typed before the call, and within its first `guardMs`, is thrown
   * away, so that nobody answers a question that was not on the screen yet. Null at the end of
   * input or when the signal comes.
   */
  readonly readLine: (options: { readonly guardMs: number; readonly withdrawn: AbortSignal }) => Promise<string | null>;
  readonly close: () => void;
}

/**
 * The controlling terminal, or null where there is none (a pipe, a service, an agent's shell: agents
 * are started in a session of their own, so nothing in a run can reach the user's terminal).
 */
export function openTerminal(): Terminal | null {
  let input: number;
  let output: number;
  try {
    input = openSync('/dev/tty', 'r');
  } catch {
    return null;
  }
  try {
    output = openSync('/dev/tty', 'w');
  } catch {
    closeSync(input);
    return null;
  }
  const reader = new ReadStream(input);
  const writer = new WriteStream(output);
  // A terminal that is closed answers with EIO at any time, not only while a line is awaited.
  let gone = false;
  const leave = () => {
    gone = true;
  };
  for (const stream of [reader, writer]) stream.on('error', leave);
  reader.pause();
  return {
    write: (text) => {
      if (!gone) writer.write(text);
    },
    readLine: (options) => (gone ? Promise.resolve(null) : readLine(reader, options)),
    close: () => {
      reader.destroy();
      writer.destroy();
    },
  };
}

function readLine(
  reader: ReadStream,
  { guardMs, withdrawn }: { guardMs: number; withdrawn: AbortSignal },
): Promise<string | null> {
  return new Promise((resolve) => {
    let typed = '';
    let listening = false;
    const guard = setTimeout(() => {
      listening = true;
    }, guardMs);
    const finish = (line: string | null) => {
      clearTimeout(guard);
      reader.off('data', onData);
      reader.off('end', onEnd);
      reader.off('error', onEnd);
      withdrawn.removeEventListener('abort', onEnd);
      reader.pause();
      resolve(line);
    };
    const onEnd = () => {
      finish(null);
    };
    const onData = (chunk: Buffer) => {
      if (!listening) return;
      typed += chunk.toString('utf8');
      const end = typed.indexOf('\n');
      if (end !== -1) finish(typed.slice(0, end).replace(/\r$/, ''));
      else if (typed.length > 65_536) finish(null);
    };
    if (withdrawn.aborted) {
      finish(null);
      return;
    }
    reader.on('data', onData);
    reader.on('end', onEnd);
    reader.on('error', onEnd);
    withdrawn.addEventListener('abort', onEnd);
    reader.resume();
  });
}

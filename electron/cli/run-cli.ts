/**
 * The `sallyport` command, without a process around it. Job: turn arguments into an exit code.
 * It must not read `process` itself: all it needs comes in by `io`.
 */
import type { Readable, Writable } from 'node:stream';
import packageJson from '../../package.json' with { type: 'json' };

/** What the command reads and writes. */
export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs one command. `argv` holds only the command's own arguments; the answer is the exit code. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const [command] = argv;
  if (command === '--version') {
    io.stdout.write(`${packageJson.version}\n`);
    return 0;
  }
  if (command === 'dispatch') {
    // Read to the end, or a writing agent dies of a broken pipe before it reads the denial.
    await io.stdin.resume().toArray();
    io.stderr.write('sallyport: this build cannot judge tool calls, so the call is denied.\n');
    return 2;
  }
  io.stderr.write(`sallyport: unknown command ${JSON.stringify(command ?? '')}.\n`);
  return 2;
}

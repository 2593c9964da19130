/**
 * Stands where the command is, so that the real main program, the real Electron and the real wrapper around it
 * can be watched with commands whose right result is known.
 */
import type { Readable, Writable } from 'node:stream';

interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

const STATUSES: Readonly<Record<string, number>> = { 'exit-3': 3, 'exit-9': 9, 'exit-2': 2 };

/** The first argument after `dispatch`, if that is the command, names what to do. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const act = argv[0] === 'dispatch' ? argv[1] : argv[0];
  switch (act) {
    case 'arguments':
      io.stdout.write(JSON.stringify(argv.slice(1)));
      return 0;
    case 'read-stdin': {
      const chunks = (await io.stdin.toArray()) as Buffer[];
      io.stdout.write(JSON.stringify({ bytes: Buffer.concat(chunks).length }));
      return 0;
    }
    case 'write-much':
      io.stdout.write(`{"text":"${'x'.repeat(8 * 1024 * 1024)}"}`);
      return 0;
    case 'throw':
      throw new Error('thrown on purpose');
    case 'throw-later':
      setTimeout(() => {
        throw new Error('thrown later on purpose');
      }, 10);
      return await new Promise<number>(() => undefined);
    case 'crash':
      process.kill(process.pid, 'SIGSEGV');
      return await new Promise<number>(() => undefined);
    case 'half-answer-then-crash':
      io.stdout.write('{"half":');
      setTimeout(() => process.kill(process.pid, 'SIGSEGV'), 200);
      return await new Promise<number>(() => undefined);
    case 'silent':
      return 0;
    case 'wait':
      io.stderr.write(`ready ${String(process.pid)}\n`);
      setInterval(() => undefined, 1000);
      return await new Promise<number>(() => undefined);
    case 'wait-and-count': {
      let count = 0;
      process.on('SIGINT', () => {
        count += 1;
        io.stderr.write(`interrupted ${String(count)}\n`);
      });
      io.stderr.write(`ready ${String(process.pid)}\n`);
      await io.stdin.toArray();
      return 30 + count;
    }
    default:
      return STATUSES[act ?? ''] ?? 70;
  }
}

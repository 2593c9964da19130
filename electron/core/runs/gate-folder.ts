import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledRun } from '../agents/contract.js';
import { TOKEN_HEADER } from '../gate/server.js';

/** Longest path of a Unix socket that every system takes, in bytes (Linux has 107, others less). */
const MAX_SOCKET_PATH = 100;

export interface GateFolder {
  /** Compiled configuration, mode 0700. */
  readonly folder: string;
  readonly socketPath: string;
  /** A curl header file with the run's token, mode 0600. */
  readonly headerFile: string;
  readonly headerText: string;
  /** Takes the token out of what stays on disk, and the socket away. */
  readonly retire: () => Promise<void>;
}

/** Prepares where a run's gate listens; a state folder that lies too deep for a socket gets one in the temporary folder. */
export async function prepareGateFolder(folder: string, token: string): Promise<GateFolder> {
  const near = join(folder, 's');
  const far = Buffer.byteLength(near) <= MAX_SOCKET_PATH ? null : await mkdtemp(join(tmpdir(), 'sallyport-'));
  const headerFile = join(folder, 'token');
  const headerText = `${TOKEN_HEADER}: ${token}\n`;
  await writeFile(headerFile, headerText, { mode: 0o600, flag: 'wx' });
  return {
    folder,
    socketPath: far === null ? near : join(far, 's'),
    headerFile,
    headerText,
    retire: async () => {
      await rm(headerFile, { force: true });
      await rm(far ?? near, { recursive: true, force: true });
    },
  };
}

/** Writes the compiled files for the agent to read (0600); the folder is fresh, so nothing is overwritten. */
export async function writeCompiled(folder: string, compiled: CompiledRun): Promise<void> {
  for (const file of compiled.files) {
    await writeFile(join(folder, file.name), file.text, { mode: 0o600, flag: 'wx' });
  }
}

/** When the run is over: the same files with the token masked, since it labels nothing any more. */
export async function maskCompiled(folder: string, compiled: CompiledRun, token: string): Promise<void> {
  for (const file of compiled.files) {
    if (!file.text.includes(token)) continue;
    await writeFile(join(folder, file.name), withoutToken(file.text, token), { mode: 0o600 });
  }
}

/** The form of a compiled file that stays. */
export function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '[REDACTED:run-token]');
}

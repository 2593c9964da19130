/** Real processes for tests: temp folders, seams with a chosen checker, and questions about what lives. */
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'vite';
import { onTestFinished } from 'vitest';
import { readProcess } from '../../electron/core/spawn/process-table.js';
import type { ApprovalProof, SpawnRequest } from '../../electron/core/spawn/request.js';
import { removeFolder } from './folders.js';

/** A folder that is gone after the test. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'sallyport-test-')));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Writes an executable file and returns its path. */
export function writeProgram(folder: string, name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode: 0o755 });
  return file;
}

export function isAlive(pid: number): boolean {
  const entry = readProcess(pid);
  return entry !== null && !entry.zombie;
}

/** Waits until a file holds a pid, and returns it. */
export async function pidFrom(file: string): Promise<number> {
  const text = await eventually(() => {
    try {
      return /^(\d+)\n/.exec(readFileSync(file, 'utf8'))?.[1] ?? null;
    } catch {
      return null;
    }
  });
  return Number(text);
}

/** Asks until there is an answer; the test's own time-out is the bound. */
export async function eventually<T>(ask: () => T | null): Promise<T> {
  for (;;) {
    const answer = ask();
    if (answer !== null) return answer;
    await sleep(10);
  }
}

/** Stands for a proof where the test's checker decides by other means. */
export const anyProof = Object.freeze({}) as unknown as ApprovalProof;

export const testEnv = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };

/** A hook-purpose request with plain bounds. */
export function hookRequest(argv: readonly string[], more: Partial<SpawnRequest> = {}): SpawnRequest {
  return {
    purpose: 'hook',
    argv,
    cwd: tmpdir(),
    env: testEnv,
    stdin: 'none',
    timeoutMs: 20_000,
    maxOutputBytes: 65_536,
    marker: { runId: 'run_test' },
    proof: anyProof,
    ...more,
  };
}

/** Bundles a program that imports the product's sources by absolute path, and returns the file. */
export async function bundleProgram(folder: string, code: string): Promise<string> {
  const entry = '\0program';
  await build({
    logLevel: 'silent',
    configFile: false,
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { input: 'program', output: { entryFileNames: 'program.mjs' } },
    },
    ssr: { noExternal: true },
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? entry : null),
        load: (id) => (id === entry ? code : null),
      },
    ],
  });
  return path.join(folder, 'program.mjs');
}

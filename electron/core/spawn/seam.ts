/**
 * The seam: the only code of the product that starts a process. It takes argument lists, never shell
 * lines; gives a process only the environment it was handed; starts no agent and no hook without a
 * proof of approval that the injected checker accepts; and ends whole trees.
 * It must not decide what is approved, and it must know no agent.
 */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fail, ok, type Result } from '../../../shared/result.js';
import { endTree, processTree } from './end-tree.js';
import { launch } from './launch.js';
import { resolveProgram, type ResolvedProgram } from './programs.js';
import {
  spawnError,
  type ApprovalProof,
  type EndSignal,
  type IntendedStart,
  type Running,
  type SpawnError,
  type SpawnRequest,
  type SpawnResult,
} from './request.js';
import { RUN_MARKER, runMark, START_MARKER } from './run-marker.js';
import { supervise } from './supervise.js';

export interface SeamOptions {
  /** Whether a proof covers exactly this start. Asked last, after which nothing is waited for. */
  readonly approvals: (proof: ApprovalProof, start: IntendedStart) => boolean;
}

export interface Seam {
  readonly start: (request: SpawnRequest) => Promise<Result<Running, SpawnError>>;
  /** `start`, then waits for the end. */
  readonly run: (request: SpawnRequest) => Promise<Result<SpawnResult, SpawnError>>;
  /** Ends every process that carries the run's marker, hooks included; settles with the pids that remained. */
  readonly endRun: (runId: string, graceMs?: number) => Promise<readonly number[]>;
  /** Ends everything that this seam started and that still runs. */
  readonly endAll: () => Promise<void>;
}

/** Makes a seam; processes of one seam share nothing but the checker. */
export function createSeam(options: SeamOptions): Seam {
  const live = new Set<Running>();

  const start: Seam['start'] = async (request) => {
    const fault = findFault(request);
    if (fault !== null) return fail(fault);
    const folder = await checkFolder(request.cwd);
    if (folder !== null) return fail(folder);
    const program = await findProgram(request);
    if (!program.ok) return program;
    if (!isCovered(options, request, program.value)) return fail(notApproved(request, program.value));
    const running = await begin(request, program.value);
    if (running.ok) {
      live.add(running.value);
      const forget = () => live.delete(running.value);
      running.value.done.then(forget, forget);
    }
    return running;
  };

  return {
    start,
    run: async (request) => {
      const running = await start(request);
      return running.ok ? ok(await running.value.done) : running;
    },
    endRun: (runId, graceMs = 5_000) => endTree(processTree(null, [runMark(runId)]), ['SIGTERM'], graceMs),
    endAll: async () => {
      await Promise.all([...live].map((running) => running.end()));
    },
  };
}

/** Faults of the request itself; each is a mistake of the caller or a hostile argument. */
function findFault(request: SpawnRequest): SpawnError | null {
  const refuse = (what: string) =>
    spawnError('invalid-request', what, 'Nothing was started', 'Correct what asked for this process');
  const [program] = request.argv;
  if (program === undefined || program === '') return refuse('The request names no program');
  const variables = Object.entries(request.env);
  if ([...request.argv, request.cwd, ...variables.flat()].some((text) => text.includes('\0'))) {
    return refuse('An argument, a variable or the folder holds a NUL character');
  }
  if (variables.some(([name]) => name === '' || name.includes('='))) {
    return refuse('A variable has an empty name or one with "="');
  }
  if (!path.isAbsolute(request.cwd)) return refuse('The working directory is not an absolute path');
  if (!needsProof(request)) return null;
  if (!/^[A-Za-z0-9_-]{1,80}$/.test(request.marker?.runId ?? '')) return refuse('The request names no run');
  if (request.purpose === 'agent' && (request.onStdout === undefined || request.onStderr === undefined)) {
    return refuse('An agent needs a reader for both of its outputs');
  }
  return null;
}

/** What a repository or a policy brings; a question to a program and a program of our own are neither. */
function needsProof({ purpose }: SpawnRequest): boolean {
  return purpose === 'agent' || purpose === 'hook';
}

async function checkFolder(cwd: string): Promise<SpawnError | null> {
  const isFolder = await stat(cwd).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  if (isFolder) return null;
  return spawnError(
    'cwd-missing',
    `The working directory ${JSON.stringify(cwd)} is not there or is no folder`,
    'Nothing was started',
    'Restore the folder or choose another workspace',
  );
}

async function findProgram(request: SpawnRequest): Promise<Result<ResolvedProgram, SpawnError>> {
  const name = request.argv[0] ?? '';
  const found = await resolveProgram(name, request.env['PATH'] ?? '', request.cwd);
  if (found.ok) return found;
  const [code, advice] =
    found.error.code === 'missing'
      ? (['program-missing', 'Install it, correct its name, or put its folder on PATH'] as const)
      : (['not-executable', 'Make it executable (chmod +x) or name another program'] as const);
  return fail(spawnError(code, capital(found.error.text), 'Nothing was started', advice));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isCovered(options: SeamOptions, request: SpawnRequest, program: ResolvedProgram): boolean {
  if (!needsProof(request)) return true;
  const { purpose, argv, cwd, env, proof } = request;
  if (proof === undefined || proof === null) return false;
  return options.approvals(proof, { purpose, argv, cwd, env, program });
}

function notApproved(request: SpawnRequest, program: ResolvedProgram): SpawnError {
  return spawnError(
    'not-approved',
    `No approval covers this start of ${JSON.stringify(program.real)} (${request.purpose})`,
    'Nothing was started',
    'Review and approve exactly what should run, then try again',
  );
}

async function begin(request: SpawnRequest, program: ResolvedProgram): Promise<Result<Running, SpawnError>> {
  const startId = randomUUID();
  const began = performance.now();
  const launched = launch({
    program,
    args: request.argv.slice(1),
    cwd: request.cwd,
    env: environmentOf(request, startId),
    input: request.stdin === 'none' ? 'ignore' : 'pipe',
  });
  if (!launched.ok) return fail(startFailure(await launched.error, program));
  const { child, pid } = launched.value;
  const running = supervise({
    ...{ child, pid, began, program, request },
    tree: processTree(pid, [`${START_MARKER}=${startId}`]),
    endSignals: request.endSignals ?? defaultSignals(request),
    graceMs: request.graceMs ?? { hook: 2_000, agent: 5_000, probe: 200, helper: 200 }[request.purpose],
  });
  return ok(running);
}

function defaultSignals(request: SpawnRequest): readonly EndSignal[] {
  return needsProof(request) ? ['SIGTERM'] : ['SIGKILL'];
}

function environmentOf(request: SpawnRequest, startId: string): Record<string, string> {
  const run = request.marker ?? null;
  return { ...request.env, ...(run === null ? {} : { [RUN_MARKER]: run.runId }), [START_MARKER]: startId };
}

function startFailure(code: string, program: ResolvedProgram): SpawnError {
  const name = JSON.stringify(program.real);
  const nothing = 'Nothing was started';
  switch (code) {
    case 'E2BIG':
      return spawnError(
        'too-big',
        `The arguments and variables for ${name} are larger than the system takes`,
        nothing,
        'Shorten them, or hand long text over in a file or on standard input',
      );
    case 'ENOENT':
      return spawnError(
        'program-missing',
        `${name} could not be started: it, or the interpreter in its first line, is not there`,
        nothing,
        'Install the interpreter or correct the first line of the script',
      );
    case 'EACCES':
    case 'EPERM':
      return spawnError(
        'not-executable',
        `The system refuses to run ${name} (${code})`,
        nothing,
        'Check its permissions and that its file system allows programs',
      );
    default:
      return spawnError(
        'start-failed',
        `${name} could not be started (${code})`,
        nothing,
        'Check that the file is a program for this machine and that the system has room for another process',
      );
  }
}

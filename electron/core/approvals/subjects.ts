/**
 * Builds what a person is asked about: the exact content that an approval is bound to, and what of
 * it must be shown. Approves nothing and starts nothing.
 */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ApprovalSubject, ApprovalSubjectKind } from '../../../shared/contracts/approval.js';
import type { JsonObject } from '../../../shared/json.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import { fail, ok, type Result } from '../../../shared/result.js';
import { hookPath, type EnvironmentSource } from '../spawn/environment.js';
import { resolveProgram } from '../spawn/programs.js';
import { canonicalDigest, sha256OfFile } from './digests.js';
import { interpreterOf, programFacts, type PinRule, type ProgramFacts } from './program-facts.js';

export type HookToApprove = Pick<ResolvedHook, 'key' | 'id' | 'name' | 'scope' | 'pinProgram' | 'handler'>;

export interface SubjectContext {
  /** The session's workspace, which is the handler's working directory; canonical and absolute. */
  readonly workspace: string;
  /** The user's environment; its PATH, cleaned, is where programs are found. */
  readonly userEnv: EnvironmentSource;
}

export interface SubjectError {
  /** broken: the program, its interpreter or a script is missing or cannot be read. */
  readonly code: 'broken' | 'no-program' | 'not-hashable';
  readonly text: string;
}

/** Bytes up to which a script file among the arguments is part of the digest. */
const MAX_SCRIPT = 1_048_576;
const SCRIPT_EXTENSION =
  /\.(?:sh|bash|zsh|fish|py|js|mjs|cjs|ts|mts|cts|tsx|jsx|rb|pl|pm|php|lua|ps1|psm1|bat|cmd|r|jl|awk|sed|jq|tcl|groovy|kts|exs?|clj|swift|sql)$/i;

interface ScriptFile {
  readonly argument: number;
  readonly path: string;
  readonly digest: string;
}

/**
 * The subject of a command hook: its argv and environment, the program and interpreter that they
 * mean in this workspace, and the bytes of the script files that the arguments name.
 */
export async function hookSubject(
  hook: HookToApprove,
  context: SubjectContext,
): Promise<Result<ApprovalSubject, SubjectError>> {
  const { handler } = hook;
  if (handler.kind !== 'command') return fail({ code: 'no-program', text: `hook ${hook.key} starts no program` });
  const { workspace, userEnv } = context;
  const env = handler.env ?? {};
  const searchPath = hookPath({ userEnv, declared: env, workspace }).path ?? '';
  const broken = (text: string) => fail<SubjectError>({ code: 'broken', text });

  const found = await resolveProgram(handler.argv[0] ?? '', searchPath, workspace);
  if (!found.ok) return broken(found.error.text);
  const rule: PinRule = { always: hook.pinProgram, workspace };
  const program = await programFacts(found.value, rule);
  if (!program.ok) return broken(program.error);
  const interpreter = await interpreterFacts(program.value, searchPath, workspace, rule);
  if (!interpreter.ok) return broken(interpreter.error);
  const scripts = await scriptFiles(handler.argv, workspace);
  if (!scripts.ok) return broken(scripts.error);

  const content: JsonObject = {
    hook: hook.key,
    handler: { kind: 'command', argv: handler.argv, env },
    program: { ...program.value },
    interpreter: interpreter.value === null ? null : { ...interpreter.value },
    files: scripts.value.files.map((file) => ({ ...file })),
  };
  return finishSubject('hook-argv', `hook-argv ${hook.key}`, content, {
    title: `Hook ${hook.scope}:${hook.id} (${hook.name})`,
    argv: handler.argv,
    program: program.value.real,
    envNames: Object.keys(env),
    cwd: workspace,
    files: shownFiles(program.value, interpreter.value, scripts.value.files),
    notCovered: [
      ...scripts.value.notCovered,
      'what these programs load or start on their own: imports, configuration, other programs on PATH',
    ],
  });
}

async function interpreterFacts(
  program: ProgramFacts,
  searchPath: string,
  workspace: string,
  rule: PinRule,
): Promise<Result<ProgramFacts | null, string>> {
  const interpreter = await interpreterOf(program.real, searchPath, workspace);
  if (!interpreter.ok || interpreter.value === null) return interpreter.ok ? ok(null) : interpreter;
  return programFacts(interpreter.value, rule);
}

interface Scripts {
  readonly files: readonly ScriptFile[];
  readonly notCovered: readonly string[];
}

/** Script files among the arguments after the program; `--option=file` counts by its file. */
async function scriptFiles(argv: readonly string[], cwd: string): Promise<Result<Scripts, string>> {
  const files: ScriptFile[] = [];
  const notCovered: string[] = [];
  for (const [argument, text] of argv.entries()) {
    if (argument === 0) continue;
    for (const name of namesIn(text)) {
      const file = path.resolve(cwd, name);
      const kind = await kindOf(file);
      if (kind === 'folder') notCovered.push(`the files of the folder ${JSON.stringify(file)}`);
      if (kind !== 'file') continue;
      const real = await realpath(file).catch(() => null);
      if (real === null) return fail(`${JSON.stringify(file)} is not there any more`);
      const digest = await sha256OfFile(real, { maxBytes: MAX_SCRIPT });
      if (digest.ok) files.push({ argument, path: real, digest: digest.value.digest });
      else if (digest.error.code === 'too-large') notCovered.push(`${JSON.stringify(file)}: larger than 1 MiB`);
      else return fail(digest.error.text);
    }
  }
  return ok({ files, notCovered });
}

function namesIn(argument: string): readonly string[] {
  const value = /^-[^=]*=(.+)$/s.exec(argument)?.[1];
  return [argument, ...(value === undefined ? [] : [value])].filter(
    (name) =>
      name.includes('/') || (process.platform === 'win32' && name.includes('\\')) || SCRIPT_EXTENSION.test(name),
  );
}

async function kindOf(file: string): Promise<'file' | 'folder' | 'other'> {
  try {
    const entry = await stat(file);
    return entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other';
  } catch {
    return 'other';
  }
}

function shownFiles(program: ProgramFacts, interpreter: ProgramFacts | null, scripts: readonly ScriptFile[]) {
  const pinned = [program, interpreter].flatMap((facts) =>
    facts === null || facts.digest === null ? [] : [{ path: facts.real, digest: facts.digest }],
  );
  return [...pinned, ...scripts.map(({ path: file, digest }) => ({ path: file, digest }))];
}

export interface AgentProgram {
  readonly agent: string;
  /** The person's word for it. */
  readonly title: string;
  /** Real path of the program that starts. */
  readonly program: string;
  readonly version: string | null;
  /** `sha256:` + hex of the program file. */
  readonly digest: string;
  /** Where an agent is a program and a script: the arguments with which every start must begin. */
  readonly argv?: readonly string[];
  /** Files of the agent beside the program that the digest covers. */
  readonly files?: readonly { readonly path: string; readonly digest: string }[];
  readonly cwd: string;
}

/** The subject of an agent's program: the file and its version, whatever arguments a run then gives it. */
export function agentProgramSubject(agent: AgentProgram): Result<ApprovalSubject, SubjectError> {
  const argv = agent.argv ?? [];
  const files = agent.files ?? [];
  const content: JsonObject = {
    agent: agent.agent,
    version: agent.version,
    program: { real: agent.program, digest: agent.digest },
    argv,
    files: files.map((file) => ({ ...file })),
  };
  return finishSubject('agent-program', `agent-program ${agent.agent}`, content, {
    title: `Agent ${agent.title}${agent.version === null ? '' : ` ${agent.version}`}`,
    argv: argv.length === 0 ? [agent.program] : argv,
    program: agent.program,
    envNames: [],
    cwd: agent.cwd,
    files: [{ path: agent.program, digest: agent.digest }, ...files],
    notCovered: ['what the agent loads or starts on its own', 'the arguments of each run'],
  });
}

/** Digest that a subject must have: over its kind, its key and its content. */
export function subjectDigest(subject: Pick<ApprovalSubject, 'kind' | 'key' | 'content'>): Result<string, string> {
  return canonicalDigest({ kind: subject.kind, key: subject.key, content: subject.content });
}

/** A subject of this content with its digest, and what a question about it shows. */
export function finishSubject(
  kind: ApprovalSubjectKind,
  key: string,
  content: JsonObject,
  shown: Omit<ApprovalSubject, 'kind' | 'key' | 'digest' | 'content'>,
): Result<ApprovalSubject, SubjectError> {
  const digest = subjectDigest({ kind, key, content });
  if (!digest.ok)
    return fail({ code: 'not-hashable', text: `what should be approved cannot be hashed: ${digest.error}` });
  return ok({ kind, key, digest: digest.value, content, ...shown });
}

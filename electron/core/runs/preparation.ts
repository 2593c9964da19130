import { once } from 'node:events';
import { fail, ok, type Result } from '../../../shared/result.js';
import type { AgentQuestion, CompileInput, ForeignFinding } from '../agents/contract.js';
import type { ApprovalProof } from '../spawn/request.js';
import type { AgentProgram } from './agent-program.js';
import { splitLines } from './lines.js';
import type { LaunchRequest, LaunchServices } from './request.js';

/** What an agent said of itself before the run. */
export interface Prepared {
  readonly learned: readonly string[];
  readonly findings: readonly ForeignFinding[];
}

/** Longest wait for one answer, in milliseconds (70 ms were measured), and most of it that is kept, in characters. */
const ANSWER_MS = 30_000;
const MAX_ANSWER = 16 * 1024 * 1024;
/** More questions than this are a mistake of the adapter. */
const MAX_QUESTIONS = 5;

/**
 * Asks the agent's own program what its adapter must know before it can compile a run. The program was approved; it is
 * started with the same proof, environment and folder as the run. Nothing is asked of agents whose adapter asks nothing.
 */
export async function prepareAgent(
  { adapter, workspace }: LaunchRequest,
  { seam }: Pick<LaunchServices, 'seam'>,
  start: { readonly runId: string; readonly agent: AgentProgram; readonly proof: ApprovalProof },
  input: Omit<CompileInput, 'learned'>,
): Promise<Result<Prepared, string>> {
  const learned: string[] = [];
  if (adapter.prepare === undefined) return ok({ learned, findings: [] });
  for (let asked = 0; asked <= MAX_QUESTIONS; asked += 1) {
    const next = adapter.prepare({ ...input, learned: [...learned] });
    if (next.step === 'refused') return fail(next.reason);
    if (next.step === 'ready') return ok({ learned, findings: next.findings });
    const answer = await ask(next.question);
    if (!answer.ok) return fail(`${adapter.title} was asked ${next.question.what}: ${answer.error}`);
    learned.push(answer.value);
  }
  throw new Error('an adapter asks its agent without end');

  async function ask(question: AgentQuestion): Promise<Result<string, string>> {
    const lines: string[] = [];
    let size = 0;
    let said = '';
    let complete: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (complete = resolve));
    const splitter = splitLines((line) => {
      size += line.length;
      if (size > MAX_ANSWER) complete();
      else lines.push(line);
      if (question.isComplete(lines)) complete();
    });
    const running = await seam.start({
      purpose: 'agent',
      argv: [start.agent.program, ...start.agent.prefix, ...question.argv],
      cwd: workspace,
      env: start.agent.env,
      stdin: 'open',
      timeoutMs: ANSWER_MS,
      maxOutputBytes: 0,
      endSignals: ['SIGTERM', 'SIGKILL'],
      graceMs: 1_000,
      marker: { runId: start.runId },
      proof: start.proof,
      onStdout: (chunk) => {
        splitter.push(chunk);
      },
      onStderr: (chunk) => {
        said = `${said}${chunk.toString('utf8')}`.slice(-500);
      },
    });
    if (!running.ok) return fail(running.error.text);
    const { input: stdin, done, end } = running.value;
    // It may end before it has read all; its answer, or the lack of one, tells.
    stdin?.on('error', () => undefined);
    stdin?.write(question.lines.map((line) => `${line}\n`).join(''));
    await Promise.race([answered, done]);
    stdin?.end();
    await Promise.race([done, once(AbortSignal.timeout(2_000), 'abort')]);
    await end();
    const result = await done;
    splitter.end();
    if (question.isComplete(lines)) return ok(lines.join('\n'));
    const how = result.timedOut ? `no answer within ${ANSWER_MS / 1_000} s` : 'it ended without an answer';
    return fail(said.trim() === '' ? how : `${how} (${said.trim()})`);
  }
}

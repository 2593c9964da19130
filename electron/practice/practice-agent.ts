/**
 * practice: the built-in scripted agent. It is a coding agent in miniature, a program of its own
 * that needs no account and no network: it plays a script of steps, asks its hook before each call
 * and tells it afterwards, and writes a machine-readable stream. It stands on the agent's side of
 * the gate, so it knows nothing of Sallyport but the hook program that its settings name.
 *
 * usage: practice-agent --settings FILE --session ID -- PROMPT
 */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { askHook, type HookSettings } from './hook-call.js';
import { scriptFor, type Step } from './script.js';
import { runTool } from './tools.js';

const PRACTICE_VERSION = '1.0.0';

interface Session {
  readonly hook: HookSettings | null;
  readonly id: string;
  readonly cwd: string;
  readonly say: (line: object) => void;
}

/** Each line of the stream is kept in the session's file too, as other agents keep what was said. */
function speaker(session: Pick<Session, 'id' | 'cwd'>): (line: object) => void {
  const folder = join(session.cwd, '.practice-agent');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${session.id.replace(/[^A-Za-z0-9-]/g, '')}.jsonl`);
  return (line) => {
    const text = `${JSON.stringify(line)}\n`;
    appendFileSync(file, text);
    process.stdout.write(text);
  };
}

async function playStep(session: Session, step: Step, index: number): Promise<void> {
  const { say } = session;
  if ('say' in step) {
    say({ type: 'say', text: step.say });
    return;
  }
  const id = `call-${index + 1}`;
  say({ type: 'call', id, tool: step.tool, input: step.input });
  const asked = await tell(session, 'call.asked', { call: { id, tool: step.tool, input: step.input } });
  if (asked.answer === 'refuse') {
    say({ type: 'outcome', id, ok: false, executed: false, text: asked.why });
    return;
  }
  const input = asked.input ?? step.input;
  const result = await runTool(step.tool, input, session.cwd);
  await tell(session, 'call.done', { call: { id, tool: step.tool, input }, ok: result.ok, result: result.text });
  say({ type: 'outcome', id, ok: result.ok, executed: true, text: result.text });
}

function tell(session: Session, event: string, more: object) {
  return askHook(session.hook, event, { event, session: session.id, cwd: session.cwd, ...more });
}

/** How often the agent goes back to work when the end of its turn is refused; then it gives up. */
const MAX_RETURNS = 8;

async function play(session: Session, prompt: string): Promise<{ ok: boolean; reason: string }> {
  const { say } = session;
  await tell(session, 'session.begins', { source: 'startup' });
  say({ type: 'begin', session: session.id, version: PRACTICE_VERSION });
  const script = scriptFor(prompt);
  if (script === null) return { ok: false, reason: 'the prompt looks like a script but is none' };
  for (const [index, step] of script.steps.entries()) await playStep(session, step, index);
  for (let returned = 0; returned <= MAX_RETURNS; returned += 1) {
    const asked = await tell(session, 'turn.ends', { last: script.last, returned: returned > 0 });
    if (asked.answer === 'go') return { ok: script.ok, reason: script.ok ? 'finished' : 'the script ends in an error' };
    say({ type: 'say', text: `Sent back to work: ${asked.why}` });
  }
  return { ok: false, reason: 'sent back to work too often' };
}

/** Runs the agent with its own arguments; the answer is its exit code. */
export async function runPracticeAgent(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { settings: { type: 'string' }, session: { type: 'string' }, version: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.version === true) {
    process.stdout.write(`practice ${PRACTICE_VERSION}\n`);
    return 0;
  }
  const hook =
    values.settings === undefined ? null : (JSON.parse(readFileSync(values.settings, 'utf8')) as HookSettings);
  const own = { id: values.session ?? 'practice', cwd: process.cwd() };
  const say = speaker(own);
  const session: Session = { hook, ...own, say };
  process.on('SIGINT', () => {
    say({ type: 'end', ok: false, reason: 'interrupted' });
    // As the real agents do: an interrupt ends with status 0, so nobody may read success from it.
    process.exit(0);
  });
  const end = await play(session, positionals.join(' '));
  await tell(session, 'session.ends', { reason: end.reason });
  say({ type: 'end', ...end });
  return end.ok ? 0 : 1;
}

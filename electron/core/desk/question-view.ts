import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PromptView } from '../../../shared/bridge/views.js';
import type { Json, JsonObject } from '../../../shared/json.js';
import { decodeUtf8 } from '../../../shared/utf8.js';
import { visibleText } from '../../../shared/visible-text.js';
import type { AgentAdapter } from '../agents/contract.js';
import { canonicalDigest } from '../approvals/digests.js';
import type { Question } from '../gate/ports.js';
import { changesOnly, diffLines } from './line-diff.js';
import { cutMiddle, showLines } from './shown-text.js';

export type QuestionView = Extract<PromptView, { kind: 'question' }>;
type ArgView = QuestionView['args'][number];

/** What the desk knows of the run that a question comes from. */
export interface AskingRun {
  readonly id: string;
  readonly adapter: AgentAdapter;
  readonly workspace: string;
}

/** Longest text of one argument that is shown whole, in characters, and most arguments. */
const MAX_ARG = 20_000;
const MAX_ARGS = 40;
/** Largest present file that new content is compared with, in bytes. */
const MAX_FILE = 65_536;

/**
 * A question as a window shows it. Known secrets are masked; the digest is that of the raw arguments.
 * Reads at most the one file that a call would write.
 */
export async function questionView(
  question: Question,
  run: AskingRun,
  redact: <T>(data: T) => T,
  times: { readonly openedAt: number; readonly deniedAt: number },
): Promise<QuestionView> {
  const digest = canonicalDigest(question.args);
  // The gate asks only about arguments that have a canonical form.
  if (!digest.ok) throw new Error(digest.error);
  return {
    kind: 'question',
    id: question.id,
    runId: run.id,
    ...times,
    agent: run.adapter.title,
    workspace: run.workspace,
    toolName: visibleText(question.toolName).text,
    args: await argViews(question, run, redact),
    digest: digest.value,
    askedBy: question.askedBy.map(({ who, reason }) => ({
      who: visibleText(who).text,
      reason: cutMiddle(showLines(redact(reason)).text, MAX_ARG),
    })),
  };
}

async function argViews({ toolName, args }: Question, run: AskingRun, redact: <T>(data: T) => T): Promise<ArgView[]> {
  const entries = Object.entries(args);
  const views: ArgView[] = [];
  for (const [name, value] of entries.slice(0, MAX_ARGS)) {
    const write = typeof value === 'string' ? await comparedWrite(toolName, args, run, name, value, redact) : null;
    views.push(write ?? argView(name, redact(value)));
  }
  const hidden = entries.length - views.length;
  if (hidden > 0) views.push({ name: '…', text: `${hidden} more argument(s) are NOT SHOWN here`, flags: [] });
  return views;
}

function argView(name: string, value: Json): ArgView {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const shownName = visibleText(name);
  const shown = showLines(cutMiddle(text, MAX_ARG));
  return { name: shownName.text, text: shown.text, flags: [...new Set([...shownName.flags, ...shown.flags])] };
}

/** The content of a file write beside the present file; null where the argument is no such content or cannot be compared. */
async function comparedWrite(
  toolName: string,
  args: JsonObject,
  run: AskingRun,
  name: string,
  content: string,
  redact: <T>(data: T) => T,
): Promise<ArgView | null> {
  if (run.adapter.contentArgument?.(toolName) !== name || content.length > MAX_FILE) return null;
  const [path, ...others] = run.adapter.classify(toolName, args).writePaths;
  if (path === undefined || others.length > 0) return null;
  const present = await readSmallText(resolve(run.workspace, path));
  if (typeof present === 'string') return { ...argView(name, redact(content)), name: `${name} (${present})` };
  const lines = diffLines(redact(present.text).split('\n'), redact(content).split('\n'));
  if (lines === null)
    return { ...argView(name, redact(content)), name: `${name} (replaces the present file nearly whole)` };
  const text = changesOnly(lines)
    .map((line) =>
      'unchanged' in line ? `  [${line.unchanged} unchanged line(s)]` : `${MARK[line.side]} ${line.text}`,
    )
    .join('\n');
  const what = lines.every((line) => line.side === 'same')
    ? 'the same as the present file, as far as it can be shown'
    : 'beside the present file: - goes, + comes';
  return { ...argView(name, text), name: `${name} (${what})` };
}

const MARK = { same: ' ', old: '-', new: '+' } as const;

/** The text of a small regular file, or in words why there is none to compare with. */
async function readSmallText(path: string): Promise<{ readonly text: string } | string> {
  try {
    // A pipe in the file's place must not hang us.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const entry = await file.stat();
      if (!entry.isFile()) return 'replaces what is no regular file';
      if (entry.size > MAX_FILE) return `replaces a file of ${entry.size} bytes, which is not shown`;
      const text = decodeUtf8(await file.readFile());
      return text.ok ? { text: text.value } : `replaces a file of ${entry.size} bytes that is no text`;
    } finally {
      await file.close();
    }
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return missing ? 'a new file' : 'the present file cannot be read';
  }
}

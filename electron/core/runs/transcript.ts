import { createReadStream } from 'node:fs';
import type { TranscriptSource } from '../agents/contract.js';
import { preflightReader, type AgentProgram } from './agent-program.js';
import { splitLines } from './lines.js';
import type { RunContext } from './run-context.js';

/**
 * Reads the calls of a run from the files that its agent left, where its adapter says so: into the timeline, whose calls
 * coverage is counted from. Hands back why they could not all be read; null when they could, or when the stream has them.
 */
export async function readTranscript(context: RunContext, agent: AgentProgram, from: number): Promise<string | null> {
  const { request, services, book } = context;
  const source = request.adapter.transcript;
  if (source === undefined) return null;
  const sessionId = book.timeline.sessionId();
  if (sessionId === null) return 'the agent never told its session, so its record cannot be found';
  const reader = preflightReader(request, agent.env);
  const files = source.files(reader, { sessionId, from, to: services.now() });
  context.notes.transcripts = files;
  if (files.length === 0) return 'the agent left no record of its calls';
  let fault: string | null = null;
  for (const file of files) fault ??= await readFile(context, source, file);
  return fault;
}

async function readFile({ book }: RunContext, source: TranscriptSource, file: string): Promise<string | null> {
  const read = source.newReader();
  let broken = 0;
  const lines = splitLines((line, whole) => {
    if (line === '') return;
    const events = whole ? read(line) : null;
    if (events === null) broken += 1;
    else for (const event of events) book.timeline.fromAgent(event);
  });
  try {
    for await (const chunk of createReadStream(file)) lines.push(chunk as Buffer);
  } catch (error) {
    return `the agent's record ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  lines.end();
  return broken === 0
    ? null
    : `${broken} line(s) of the agent's record ${file} could not be read, or a line before it is missing`;
}

/**
 * Compares what was approved with what is about to start. Pure.
 */
import type { ApprovalSubject } from '../../../shared/contracts/approval.js';
import { isJsonObject, type Json, type JsonObject } from '../../../shared/json.js';
import type { IntendedStart } from '../spawn/request.js';

/**
 * Whether a start is what the subject's content says. A hook must match in every argument, in the
 * program as found and as real file, in each declared variable and in its folder; an agent in its
 * program and in the arguments with which every start of it begins.
 */
export function matchesSubject(subject: ApprovalSubject, start: IntendedStart): boolean {
  switch (subject.kind) {
    case 'hook-argv':
      return matchesHook(subject, start);
    case 'agent-program':
      return matchesAgent(subject.content, start);
    case 'workspace-agent-config':
      // It lets an agent read files; no start rests on it.
      return false;
  }
}

function matchesHook({ content, cwd }: ApprovalSubject, start: IntendedStart): boolean {
  const handler = objectAt(content, 'handler');
  const program = objectAt(content, 'program');
  const argv = textsAt(handler, 'argv');
  return (
    start.purpose === 'hook' &&
    start.cwd === cwd &&
    argv.length === start.argv.length &&
    startsWith(start.argv, argv) &&
    program['found'] === start.program.found &&
    program['real'] === start.program.real &&
    Object.entries(objectAt(handler, 'env')).every(([name, value]) => isGiven(start, name, value))
  );
}

/** A declared PATH reaches the handler cleaned, so its text may differ; the program found on it may not. */
function isGiven(start: IntendedStart, name: string, value: Json): boolean {
  return name.toUpperCase() === 'PATH' || start.env[name] === value;
}

function matchesAgent(content: JsonObject, start: IntendedStart): boolean {
  return (
    start.purpose === 'agent' &&
    objectAt(content, 'program')['real'] === start.program.real &&
    startsWith(start.argv, textsAt(content, 'argv'))
  );
}

function startsWith(argv: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((text, index) => argv[index] === text);
}

function objectAt(content: JsonObject, name: string): JsonObject {
  const value = content[name];
  return isJsonObject(value) ? value : {};
}

/** Anything but a list of texts matches no start at all. */
function textsAt(content: JsonObject, name: string): readonly string[] {
  const value = content[name];
  if (!Array.isArray(value)) return ['\0'];
  return value.map((item: Json) => (typeof item === 'string' ? item : '\0'));
}

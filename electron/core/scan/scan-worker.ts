/**
 * The exit scan in its worker thread: it reads files and looks at them, one request at a time, so that a
 * slow file or rule never stalls the program and can be ended. It decides nothing about what it finds.
 */
import { basename, extname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { ALL_RULES } from '../redaction/rules/find.js';
import type { Rule, TextPlace } from '../redaction/rules/rule.js';
import { lookAt, MOST_FOUND, needlesOf } from './look.js';
import type { RawFinding, ScanAnswer, ScanRequest, ScanWorkerData } from './protocol.js';
import { readForScan } from './read-file.js';
import { listBefore, listTargets } from './walk.js';

const { pulse: shared, key, known } = workerData as ScanWorkerData;
const port = parentPort;
if (port === null) throw new Error('the exit scan runs in a worker');
const pulse = new Int32Array(shared);
const needles = needlesOf(known);
/** How much larger than itself a file may be once it is unpacked, before a run. */
const PACKED = 2;

function eachRule(skip: readonly number[]): (rule: Rule) => boolean {
  return (rule) => {
    const at = ALL_RULES.indexOf(rule);
    beat(at);
    return !skip.includes(at);
  };
}

function beat(rule: number): void {
  Atomics.store(pulse, 1, rule);
  Atomics.add(pulse, 0, 1);
}

function placeOf(path: string): TextPlace {
  const name = basename(path);
  return { name, ext: extname(name).toLowerCase() };
}

function look(path: string, maxBytes: number, skip: readonly number[]): Extract<ScanAnswer, { answer: 'look' }> {
  beat(-1);
  const read = readForScan(path, maxBytes);
  if (!read.ok) return { answer: 'look', found: [], bytes: 0, problems: [read.error] };
  const problems = read.value.problem === null ? [] : [read.value.problem];
  const found = new Map<string, RawFinding>();
  for (const piece of read.value.pieces) {
    beat(-1);
    for (const one of lookAt(piece, placeOf(path), key, needles, eachRule(skip)))
      if (!found.has(one.fingerprint)) found.set(one.fingerprint, one);
  }
  if (found.size >= MOST_FOUND) problems.push(`${path} holds ${MOST_FOUND} secrets or more; not all are named`);
  return { answer: 'look', found: [...found.values()], bytes: read.value.bytes, problems };
}

function secretsInText(text: string): readonly string[] {
  const piece = { bytes: Buffer.from(text, 'utf8'), text, lines: true, offset: 0 };
  return lookAt(piece, placeOf(''), key, needles, eachRule([])).map((one) => one.fingerprint);
}

function answer(request: ScanRequest): ScanAnswer {
  beat(-1);
  switch (request.ask) {
    case 'list':
      return { answer: 'list', ...listTargets(request.roots) };
    case 'before': {
      const secretsIn = (path: string, most: number) =>
        look(path, most * PACKED, []).found.map((one) => one.fingerprint);
      return { answer: 'before', listing: listBefore(request.roots, request.content, secretsIn) };
    }
    case 'prompt':
      return { answer: 'prompt', secrets: secretsInText(request.text) };
    case 'look':
      return look(request.target.path, request.maxBytes, request.skipRules);
  }
}

port.on('message', (request: ScanRequest) => {
  port.postMessage(answer(request));
});

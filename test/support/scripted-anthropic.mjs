#!/usr/bin/env node
/**
 * A scripted stand-in for the Messages API, the one stand-in of the end-to-end tests.
 *
 *   node scripted-anthropic.mjs --scenario FILE [--port N] [--log FILE] [-- COMMAND ARG…]
 *
 * Listens on 127.0.0.1 of the network namespace it is started in. With a COMMAND it starts that,
 * with ANTHROPIC_BASE_URL and SCRIPTED_MODEL_URL pointing at itself, passes standard input and output through,
 * and ends with its status (128 + n after a signal), so that model and agent share one namespace.
 * It keeps no state: the step that answers follows from how many assistant messages the request
 * already holds, so retries and resumed sessions get the same answer.
 *
 * Scenario (JSON): a list of steps for the main conversation, or an object
 *   { "steps": [step…],
 *     "agents": [{ "match": "TEXT", "steps": [step…] }],  conversations whose first user message holds TEXT (sub-agents)
 *     "last":   [{ "match": "TEXT", …step }],             requests whose last user message holds TEXT (compaction)
 *     "side":   [{ "match": "TEXT", …step }] }            requests without tools whose body holds TEXT
 * Step: { "text"?, "calls"?: [{ "name", "input", "id"? }], "error"?: { "status", "type", "message" },
 *         "delayMs"?, "hang"?: true, "usage"?, "stopReason"? }; when the steps run out: the text "done".
 * The log gets one JSON line per model request: { n, kind, turn, headers, body }.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { constants } from 'node:os';
import { parseArgs } from 'node:util';

/** Request bodies above this are refused. Bytes. */
const MAX_BODY = 64 * 1024 * 1024;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => (block?.type === 'text' ? block.text : '')).join('\n');
}

/** Chooses the step for a request, and a label for the ids of its calls that is unique per conversation. */
export function chooseStep(scenario, body) {
  const { steps = [], agents = [], last = [], side = [] } = Array.isArray(scenario) ? { steps: scenario } : scenario;
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const turn = messages.filter((message) => message.role === 'assistant').length;
  if (!Array.isArray(body.tools) || body.tools.length === 0) {
    const raw = JSON.stringify(body);
    return {
      kind: 'side',
      turn,
      step: side.find((rule) => raw.includes(rule.match)) ?? { text: '{"title":"scripted"}' },
    };
  }
  const users = messages.filter((message) => message.role === 'user').map((message) => textOf(message.content));
  const byLast = last.find((rule) => (users.at(-1) ?? '').includes(rule.match));
  if (byLast) return { kind: 'last', turn, step: byLast };
  const index = agents.findIndex((agent) => (users[0] ?? '').includes(agent.match));
  const own = index < 0 ? steps : agents[index].steps;
  return { kind: index < 0 ? 'main' : `agent${index}`, turn, step: own[turn] ?? { text: 'done' } };
}

function messageFor(body, chosen, n) {
  const { step, kind, turn } = chosen;
  const text = typeof step.text === 'string' ? [{ type: 'text', text: step.text }] : [];
  const calls = (step.calls ?? []).map((call, i) => ({
    type: 'tool_use',
    id: call.id ?? `toolu_${kind}_${turn}_${i}`,
    name: call.name,
    input: call.input ?? {},
  }));
  return {
    id: `msg_scripted_${n}`,
    type: 'message',
    role: 'assistant',
    model: body.model ?? 'scripted',
    content: [...text, ...calls],
    stop_reason: step.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      ...step.usage,
    },
  };
}

/** The server-sent events of one message, in the API's order. */
function eventsOf(message) {
  const { content, stop_reason, stop_sequence, usage, ...head } = message;
  const events = [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } },
  ];
  for (const [index, block] of content.entries()) {
    const text = block.type === 'text';
    const start = text ? { ...block, text: '' } : { ...block, input: {} };
    const delta = text
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    events.push({ type: 'content_block_start', index, content_block: start });
    events.push({ type: 'content_block_delta', index, delta });
    events.push({ type: 'content_block_stop', index });
  }
  events.push({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage });
  events.push({ type: 'message_stop' });
  return events;
}

function sendJson(response, status, value) {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

function sendError(response, status, type, message) {
  sendJson(response, status, { type: 'error', error: { type, message } });
}

async function readBody(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY) throw new Error('the request body is larger than 64 MiB');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Makes the server; the caller listens and closes. `log` gets every model request. */
export function createModelServer(scenario, log = () => {}) {
  let n = 0;
  const answer = async (request, response) => {
    const path = new URL(request.url, 'http://127.0.0.1').pathname;
    if (request.method !== 'POST') return sendJson(response, 200, { data: [], has_more: false });
    const raw = await readBody(request);
    if (path === '/v1/messages/count_tokens') return sendJson(response, 200, { input_tokens: raw.length >> 2 });
    if (path !== '/v1/messages') return sendJson(response, 200, {});
    const body = JSON.parse(raw);
    n += 1;
    const chosen = chooseStep(scenario, body);
    log({ n, kind: chosen.kind, turn: chosen.turn, headers: request.headers, body });
    const { step } = chosen;
    if (step.delayMs) await new Promise((done) => setTimeout(done, step.delayMs));
    if (step.hang) return undefined;
    if (step.error) {
      return sendError(
        response,
        step.error.status ?? 500,
        step.error.type ?? 'api_error',
        step.error.message ?? 'scripted',
      );
    }
    const message = messageFor(body, chosen, n);
    if (!body.stream) return sendJson(response, 200, message);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const event of eventsOf(message)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    return response.end();
  };
  return createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (response.headersSent) response.destroy();
      else sendError(response, 400, 'invalid_request_error', String(error));
    });
  });
}

function runCommand(command, url, done) {
  const child = spawn(command[0], command.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, ANTHROPIC_BASE_URL: url, SCRIPTED_MODEL_URL: url },
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`cannot start ${command[0]}: ${error.message}\n`);
    done(127);
  });
  child.on('exit', (code, signal) => done(code ?? 128 + constants.signals[signal]));
}

function main() {
  const separator = process.argv.indexOf('--');
  const own = process.argv.slice(2, separator < 0 ? undefined : separator);
  const command = separator < 0 ? [] : process.argv.slice(separator + 1);
  const { values } = parseArgs({
    args: own,
    options: { scenario: { type: 'string' }, port: { type: 'string' }, log: { type: 'string' } },
  });
  if (values.scenario === undefined) throw new Error('--scenario FILE is needed');
  const scenario = JSON.parse(readFileSync(values.scenario, 'utf8'));
  const log =
    values.log === undefined ? undefined : (entry) => appendFileSync(values.log, `${JSON.stringify(entry)}\n`);
  const server = createModelServer(scenario, log);
  server.listen(Number(values.port ?? 0), '127.0.0.1', () => {
    const url = `http://127.0.0.1:${server.address().port}`;
    if (command.length > 0) return runCommand(command, url, (status) => process.exit(status));
    process.stdout.write(`${url}\n`);
    for (const signal of SIGNALS) process.on(signal, () => process.exit(0));
    return undefined;
  });
}

if (process.argv[1] !== undefined && import.meta.filename === process.argv[1]) main();

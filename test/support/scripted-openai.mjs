#!/usr/bin/env node
/**
 * A scripted stand-in for the Responses API, for the end-to-end tests that start Codex.
 *
 *   node scripted-openai.mjs --scenario FILE [--port N] [--log FILE] [-- COMMAND ARG…]
 *
 * Listens on 127.0.0.1 of the network namespace it is started in. With a COMMAND it starts that, passes
 * standard input and output through, and ends with its status (128 + n after a signal).
 * It keeps no state: the step that answers follows from the turns that the request already holds.
 *
 * Scenario (JSON): a list of steps for the main conversation, or an object
 *   { "steps": [step…], "agents": [{ "match": "TEXT", "steps": [step…] }] }   conversations whose last plain user
 *                                                                             message holds TEXT (sub-agents)
 * Step: { "text"?, "calls"?: [call…], "error"?: { "status", "message" }, "hang"?: true }; then the text "done".
 * Call: { "name", "input", "namespace"? }. A text as input makes a freeform ("custom") call, an object a function call;
 *       { "hosted": true } makes it a hosted web search. "$SESSION" in an input becomes the last session number of a live shell.
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
const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

const isCall = (item) => ['function_call', 'custom_tool_call', 'web_search_call'].includes(item?.type);

function textOf(item) {
  const content = item?.content;
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? '').join('\n') : '';
}

/** How many turns of the assistant a request already holds: each step that was answered is one. */
function turnsOf(items) {
  const turns = new Set();
  items.forEach((item, index) => {
    if (isCall(item)) turns.add(/_(\d+)_\d+$/.exec(item.call_id ?? item.id ?? '')?.[1] ?? `item ${index}`);
    // A text before calls belongs to their step.
    else if (item?.role === 'assistant' && !isCall(items[index + 1])) turns.add(`text ${index}`);
  });
  return turns.size;
}

/** Chooses the step for a request. */
export function chooseStep(scenario, body) {
  const { steps = [], agents = [] } = Array.isArray(scenario) ? { steps: scenario } : scenario;
  const items = Array.isArray(body.input) ? body.input : [];
  const turn = turnsOf(items);
  const asked = items.filter((item) => item?.role === 'user').map(textOf);
  const index = agents.findIndex((agent) => asked.some((text) => text.includes(agent.match)));
  const own = index < 0 ? steps : agents[index].steps;
  return { kind: index < 0 ? 'main' : `agent${index}`, turn, step: own[turn] ?? { text: 'done' }, items };
}

function itemsOf({ step, kind, turn, items }) {
  const session = [...JSON.stringify(items).matchAll(/session ID (\d+)/g)].at(-1)?.[1] ?? '0';
  const fill = (value) => JSON.parse(JSON.stringify(value).replaceAll('"$SESSION"', session));
  const text =
    typeof step.text === 'string'
      ? [
          {
            type: 'message',
            id: `msg_${kind}_${turn}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: step.text, annotations: [] }],
          },
        ]
      : [];
  const calls = (step.calls ?? []).map((call, i) => {
    const id = `${kind}_${turn}_${i}`;
    if (call.hosted) {
      return {
        type: 'web_search_call',
        id: `ws_${id}`,
        status: 'completed',
        action: { type: 'search', query: call.input },
      };
    }
    const named = { call_id: `call_${id}`, name: call.name, status: 'completed' };
    const spaced = call.namespace === undefined ? named : { ...named, namespace: call.namespace };
    return typeof call.input === 'string'
      ? { type: 'custom_tool_call', id: `ctc_${id}`, ...spaced, input: call.input }
      : { type: 'function_call', id: `fc_${id}`, ...spaced, arguments: JSON.stringify(fill(call.input ?? {})) };
  });
  return [...text, ...calls];
}

/** The server-sent events of one response, in the API's order. */
function eventsOf(items, model, n) {
  const response = { id: `resp_scripted_${n}`, object: 'response', model };
  const events = [{ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }];
  items.forEach((item, output_index) => {
    events.push({ type: 'response.output_item.added', output_index, item });
    if (item.type === 'message') {
      const delta = item.content[0].text;
      events.push({ type: 'response.output_text.delta', item_id: item.id, output_index, content_index: 0, delta });
    }
    events.push({ type: 'response.output_item.done', output_index, item });
  });
  events.push({
    type: 'response.completed',
    response: { ...response, status: 'completed', output: items, usage: USAGE },
  });
  return events;
}

function sendJson(response, status, value) {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
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
    if (request.method === 'GET') return sendJson(response, 200, { object: 'list', data: [], models: [] });
    if (!path.endsWith('/responses')) return sendJson(response, 404, { error: { message: 'not scripted' } });
    const body = JSON.parse(await readBody(request));
    n += 1;
    const chosen = chooseStep(scenario, body);
    log({ n, kind: chosen.kind, turn: chosen.turn, headers: request.headers, body });
    const { step } = chosen;
    if (step.error) return sendJson(response, step.error.status ?? 500, { error: { message: step.error.message } });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    if (step.hang) return response.write(': hanging\n\n');
    for (const event of eventsOf(itemsOf(chosen), body.model ?? 'scripted', n)) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    return response.end();
  };
  return createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 400, { error: { message: String(error) } });
    });
  });
}

function runCommand(command, url, done) {
  const child = spawn(command[0], command.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, SCRIPTED_MODEL_URL: url },
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

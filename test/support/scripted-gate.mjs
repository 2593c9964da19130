#!/usr/bin/env node
/**
 * A small real HTTP server that stands where the gate stands, for the contract tests of an agent:
 * it answers each dispatch by rules and writes down what it was asked.
 *
 *   node scripted-gate.mjs --rules FILE --port N --log FILE -- COMMAND ARG…
 *
 * Rules (JSON list; the first that fits answers): { "event"?, "tool"?, "nth"? (1 = the first dispatch that fits event
 * and tool), "status"?, "body"?: text, "delayMs"?, "destroy"?: true (cut the connection), "die"?: true (cut it, and stop listening) }.
 * No rule: 200 and {}. The log gets one JSON line per dispatch: { event, token, payload }.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { constants } from 'node:os';
import { parseArgs } from 'node:util';

const separator = process.argv.indexOf('--');
const { values } = parseArgs({
  args: process.argv.slice(2, separator),
  options: { rules: { type: 'string' }, port: { type: 'string' }, log: { type: 'string' } },
});
const command = process.argv.slice(separator + 1);
const rules = JSON.parse(readFileSync(values.rules, 'utf8'));
const seen = rules.map(() => 0);

function chooseRule(event, tool) {
  const fitting = rules.filter((rule, index) => {
    if (rule.event !== undefined && rule.event !== event) return false;
    if (rule.tool !== undefined && rule.tool !== tool) return false;
    seen[index] += 1;
    return rule.nth === undefined || rule.nth === seen[index];
  });
  return fitting[0] ?? {};
}

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const event = new URL(request.url, 'http://127.0.0.1').pathname.split('/').at(-1);
  const payload = JSON.parse(Buffer.concat(parts).toString('utf8'));
  appendFileSync(
    values.log,
    `${JSON.stringify({ event, token: request.headers['x-sallyport-token'] ?? null, payload })}\n`,
  );
  const rule = chooseRule(event, payload.tool_name);
  if (rule.delayMs) await new Promise((done) => setTimeout(done, rule.delayMs));
  if (rule.die) server.close();
  if (rule.die || rule.destroy) return request.socket.destroy();
  const body = rule.body ?? '{}';
  response.writeHead(rule.status ?? 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  return response.end(body);
});

server.listen(Number(values.port), '127.0.0.1', () => {
  const child = spawn(command[0], command.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`cannot start ${command[0]}: ${error.message}\n`);
    process.exit(127);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});

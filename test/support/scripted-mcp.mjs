#!/usr/bin/env node
/**
 * A small MCP server on standard input and output, for tests of an agent's own MCP calls. It has one tool, `mark`,
 * which makes the file named by its argument `file` in the folder given as first argument.
 */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder] = process.argv.slice(2);
const TOOL = {
  name: 'mark',
  description: 'Makes a file.',
  inputSchema: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
};

function resultOf(method, params) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } };
  }
  if (method === 'tools/list') return { tools: [TOOL] };
  if (method !== 'tools/call') return {};
  writeFileSync(join(folder, basename(params.arguments.file)), '');
  return { content: [{ type: 'text', text: 'made' }] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })}\n`);
}

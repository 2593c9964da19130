/**
 * Golden tests on payloads and streams that the real program wrote (2.1.332): each folder of
 * test/fixtures/claude-code holds one `input.json` and what the adapter must make of it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../../electron/core/agents/claude-code.js';
import { isJsonObject, type JsonObject } from '../../../shared/json.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/claude-code');
const STREAMS = join(FIXTURES, 'streams');

function readJson(...path: readonly string[]): JsonObject {
  const value: unknown = JSON.parse(readFileSync(join(...path), 'utf8'));
  if (!isJsonObject(value)) throw new Error(`${path.join('/')} holds no object`);
  return value;
}

describe('recorded hook payloads', () => {
  const cases = readdirSync(FIXTURES).filter((name) => name !== 'streams');

  it('are all there', () => {
    expect(cases.length).toBeGreaterThan(40);
  });

  it.each(cases)('%s', (name) => {
    const payload = readJson(FIXTURES, name, 'input.json');
    const parsed = claudeCode.parseHookInput(String(payload['hook_event_name']), payload);
    if (!parsed.ok) throw new Error(parsed.error);
    const event = parsed.value;
    const classification = 'toolName' in event ? claudeCode.classify(event.toolName, event.args) : null;
    expect({ event, classification }).toEqual(readJson(FIXTURES, name, 'expected.json'));
  });
});

describe('recorded streams', () => {
  it.each(readdirSync(STREAMS))('%s', (name) => {
    const lines = readFileSync(join(STREAMS, name, 'input.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const events = lines.flatMap((line) => {
      const read = claudeCode.readStreamLine(line);
      if (read === null) throw new Error(`no event: ${line}`);
      return read;
    });
    expect({ events }).toEqual(readJson(STREAMS, name, 'expected.json'));
  });
});

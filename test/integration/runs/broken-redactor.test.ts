/** A redactor that does nothing is found out: the exit scan shares none of its workings. */
import { writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { bundledPracticeAgent, newDesk, script, shell } from '../../support/desk.js';

vi.mock('../../../electron/core/redaction/redactor.js', () => ({
  createRedactor: () => ({
    add: () => undefined,
    unmatched: () => [],
    redactText: (text: string) => text,
    redactBytes: (bytes: Uint8Array) => bytes,
    redactData: (data: unknown) => data,
    streamRedactor: () => ({ push: (chunk: Uint8Array) => Buffer.from(chunk), end: () => Buffer.alloc(0) }),
  }),
}));

const agent = bundledPracticeAgent();

it.each([
  ['a secret by its form', `printf 'practice_secret_%s' 0123456789abcdef0123456789abcdef`],
  ['a value that was handed to the run', 'printenv DEPLOY_TOKEN'],
])('%s in the stored output turns the run red', async (_name, command) => {
  const them = await newDesk(agent());
  const { profilesDir } = them.state;
  writeFileSync(
    `${profilesDir}/practice.json`,
    JSON.stringify({
      ...{ schema_version: 1, name: 'practice', agent: 'practice' },
      environment: { DEPLOY_TOKEN: 'value-of-the-token-77' },
    }),
  );
  const runId = await them.launch({ prompt: script(shell(command)) });
  const ended = await them.done(runId);
  expect(ended).toMatchObject({ colour: 'red', outcome: 'succeeded' });
  expect(ended.why.join()).toContain("Sallyport's own files");
  const shown = await them.ask('runs.show', { runId });
  expect(shown?.record.exitScan.state).toBe('redaction_failed');
  const failed = shown?.findings?.filter((one) => one.origin === 'redaction_failed') ?? [];
  expect(failed.map((one) => one.path.split('/').at(-1))).toEqual(
    expect.arrayContaining(['events.jsonl', 'stdout.log']),
  );
  expect(JSON.stringify(shown?.findings)).not.toMatch(/0123456789abcdef0123|value-of-the-token/);
});

/**
 * `sallyport run` on the real Codex, beside a scripted model: every right outcome. Marker files prove what ran and
 * what did not. The model is gpt-5.5, which is offered apply_patch, unless a test says otherwise.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CODEX_VERSIONS } from '../support/agents.mjs';
import { besideCodexModel, exec, newCodexUser, patch, patchText, trustWorkspace, userConfig } from './codex-user.js';
import { calls, FORBIDDEN, hooksFile, newestRun, prints, runApproving, shHook } from './command.js';

let user: ReturnType<typeof newCodexUser>;

/** Runs these calls under these hooks; what needs approval is approved by its digest. */
async function run(scenario: unknown, hooks: readonly object[], options: readonly string[] = []) {
  const file = hooksFile(user, ...hooks);
  const ended = await runApproving(user, (approve) =>
    besideCodexModel(user, scenario, ['--hook', file, ...options, ...approve, '--', 'Do the scripted work.']),
  );
  return { ...ended, record: newestRun(user) };
}

const touch = (name: string) => exec(`touch ${name}`);
const modelLog = () => readFileSync(join(user.home, 'model.jsonl'), 'utf8');

describe.each(CODEX_VERSIONS)('Codex %s', (version) => {
  beforeEach(() => {
    user = newCodexUser(version);
  });
  afterEach(() => {
    user.remove();
  });

  it('a harmless command runs, and the run is green', async () => {
    const { code, record, out, err } = await run(calls(touch('mark')), [FORBIDDEN]);
    expect(out).toContain('green');
    expect(user.has('mark')).toBe(true);
    expect(code).toBe(0);
    expect(record).toMatchObject({ outcome: 'succeeded', agentVersion: version, phase: 'done' });
    expect(record.facts).toMatchObject({
      toolCalls: 1,
      guarded: 1,
      unguarded: [],
      dispatchesWithoutCall: [],
      argsDiffer: [],
    });
  });

  it('writing .env is denied by patch, by shell and by a patch inside a shell command; the model is told why', async () => {
    const steps = calls(
      patch('*** Add File: .env', '+A=1'),
      exec('echo x > .env'),
      exec(`apply_patch <<'EOF'\n${patchText('*** Add File: .env', '+A=1')}\nEOF`),
      exec(`mkdir -p sub && cd sub && apply_patch <<'EOF'\n${patchText('*** Add File: ../.env', '+A=1')}\nEOF`),
      patch('*** Add File: fine.txt', '+fine'),
      exec(`apply_patch <<'EOF'\n${patchText('*** Add File: too.txt', '+fine')}\nEOF`),
    );
    const { record, out } = await run(steps, [FORBIDDEN]);
    expect(user.has('.env')).toBe(false);
    expect(user.read('fine.txt')).toBe('fine\n');
    expect(user.read('too.txt')).toBe('fine\n');
    expect(record.facts).toMatchObject({ toolCalls: 6, denials: 4, guarded: 6, unguarded: [], argsDiffer: [] });
    expect(out).toContain('DENIED');
    expect(modelLog()).toContain('Command blocked by PreToolUse hook: ');
  });
});

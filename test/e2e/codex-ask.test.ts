/** A person who is asked while the real Codex waits: yes, no, and no answer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CODEX_VERSIONS } from '../support/agents.mjs';
import { startKeyring, type Keyring } from '../support/keyring.js';
import { besideCodexModel, exec, newCodexUser, type CodexUser } from './codex-user.js';
import { calls, hooksFile, newestRun, onTerminal, prints, shHook, inSession } from './command.js';

let user: CodexUser;
let ring: Keyring;

beforeAll(async () => {
  ring = await startKeyring('open');
});
afterAll(async () => {
  await ring.end();
  ring.remove();
});

describe.each(CODEX_VERSIONS)('asking a person, Codex %s', (version) => {
  beforeEach(() => {
    user = inSession(newCodexUser(version), ring);
  });
  afterEach(() => {
    user.remove();
  });

  const asks = shHook('ask', 'command.before', prints({ action: 'request_approval', reason: 'sure?' }), {
    needs: { decisions: ['request_approval'] },
  });

  /** Approves what starts at the terminal, then answers the runtime question with this line (null: not at all). */
  async function ask(answer: string | null, profile: object = {}) {
    const file = hooksFile(user, asks);
    user.put(
      join(user.state, 'profiles/quick.json'),
      JSON.stringify({ schema_version: 1, name: 'quick', agent: 'codex', ...profile }),
      0o600,
    );
    const options = ['--profile', 'quick', '--hook', file, '--', 'Go.'];
    const terminal = onTerminal(user, besideCodexModel(user, calls(exec('touch mark')), options));
    for (let i = 0; i < 2; i += 1) {
      await terminal.expect('anything else leaves it inert: ');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      terminal.type('approve\r');
    }
    await terminal.expect('The agent waits for you');
    await terminal.expect('asked by session:ask: sure?');
    if (answer !== null) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      terminal.type(`${answer}\r`);
    }
    const { status } = await terminal.end();
    return { status, screen: terminal.screen(), record: newestRun(user) };
  }

  it('yes runs it', async () => {
    const { status, record, screen } = await ask('y');
    expect(screen).toContain('green');
    expect(user.has('mark')).toBe(true);
    expect(status).toBe(0);
    expect(record.facts).toMatchObject({ approvalsGranted: 1, approvalsDenied: 0 });
  });

  it('no does not, and the agent is told why', async () => {
    const { record } = await ask('n not today');
    expect(user.has('mark')).toBe(false);
    expect(record.facts.approvalsDenied).toBe(1);
    expect(readFileSync(join(user.home, 'model.jsonl'), 'utf8')).toContain('not today');
  });

  it('no answer does not', async () => {
    const { record } = await ask(null, { approval_timeout_seconds: 2 });
    expect(user.has('mark')).toBe(false);
    expect(record.facts.approvalsDenied).toBe(1);
  });
});

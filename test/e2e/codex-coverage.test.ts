/** What Codex did and what passed the gate, compared by its own rollout: on the real program. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CODEX_VERSIONS } from '../support/agents.mjs';
import { startKeyring, type Keyring } from '../support/keyring.js';
import { besideCodexModel, exec, newCodexUser, NO_SANDBOX, runAll, userConfig, type CodexUser } from './codex-user.js';
import { calls, FORBIDDEN, hooksFile, newestRun, onTerminal, prints, shHook, inSession } from './command.js';

const MCP = join(import.meta.dirname, '..', 'support', 'scripted-mcp.mjs');

let user: CodexUser;
let ring: Keyring;

beforeAll(async () => {
  ring = await startKeyring('open');
});
afterAll(async () => {
  await ring.end();
  ring.remove();
});

const run = (scenario: unknown, hooks: readonly object[] = [FORBIDDEN], options: readonly string[] = []) =>
  runAll(user, scenario, hooks, options);
const touch = (name: string) => exec(`touch ${name}`);
const call = (name: string, input: object, namespace?: string) => ({
  name,
  input,
  ...(namespace === undefined ? {} : { namespace }),
});
const SEARCH = { hosted: true, name: 'web_search', input: 'weather' };
const SEES_ALL = shHook('sees-all', 'tool.before', prints({ action: 'allow' }));

/** Names of the tools that the first request offered. */
function offered(): readonly string[] {
  const [first = '{}'] = readFileSync(join(user.home, 'model.jsonl'), 'utf8').split('\n');
  const { body } = JSON.parse(first) as { body: { tools: readonly { name?: string; type: string }[] } };
  return body.tools.map((tool) => tool.name ?? tool.type);
}

describe.each(CODEX_VERSIONS)('coverage of Codex %s', (version) => {
  beforeEach(() => {
    user = inSession(newCodexUser(version), ring);
  });
  afterEach(() => {
    user.remove();
  });

  it('calls that never reach a tool are not executed, and the run stays green', async () => {
    const scenario = calls(call('nosuchtool', { a: 1 }), call('exec_command', { wrong: 1 }), touch('mark'));
    const { out, record } = await run(scenario);
    expect(record.facts).toMatchObject({ toolCalls: 3, guarded: 1, notExecuted: 2, unguarded: [] });
    expect(out).toContain('green');
  });

  it('text typed into a live shell is listed as unguarded and turns the run amber; a mere look does not', async () => {
    const open = call('exec_command', { cmd: 'cat > typed', tty: true, yield_time_ms: 300 });
    const type = call('write_stdin', { session_id: '$SESSION', chars: 'hello\n\u0004' });
    const look = call('write_stdin', { session_id: '$SESSION', chars: '' });
    const looked = await run(calls(call('exec_command', { cmd: 'sleep 1', yield_time_ms: 300 }), look));
    expect(looked.record.facts).toMatchObject({ guarded: 1, expectedGap: 1, unguarded: [] });
    expect(looked.out).toContain('green');
    const typed = await run(calls(open, type));
    expect(user.read('typed')).toBe('hello\n');
    expect(typed.record.facts.unguarded).toEqual(['call_main_1_0 (write_stdin)']);
    expect(typed.out).toContain('amber');
    expect(typed.record.gaps.some((gap) => gap.kind === 'route' && gap.what.includes('typed into a shell'))).toBe(true);
  });

  it('hosted search is off where a hook at tool.before blocks; one that happens all the same turns the run amber', async () => {
    const { out, record } = await run(calls(SEARCH), [SEES_ALL]);
    expect(offered()).not.toContain('web_search');
    expect(record.facts.unguarded).toEqual(['ws_main_0_0 (web_search)']);
    expect(record.gaps.some((gap) => gap.what.includes('hosted web searches'))).toBe(false);
    expect(out).toContain('amber');
  });

  it.each([
    ['without such a hook', [FORBIDDEN], []],
    ['with the gap accepted', [SEES_ALL], ['--accept-gaps']],
  ] as const)('hosted search is an expected gap %s', async (_name, hooks, options) => {
    const { out, record } = await run(calls(SEARCH), hooks, options);
    expect(offered()).toContain('web_search');
    expect(record.facts).toMatchObject({ expectedGap: 1, unguarded: [] });
    expect(record.gaps.some((gap) => gap.what.includes('hosted web searches'))).toBe(true);
    expect(out).toContain('green');
  });

  it("a sub-agent's calls meet the same gate, and its own rollout is counted", async () => {
    user.remove();
    // This model is offered sub-agents.
    user = inSession(newCodexUser(version, 'gpt-5.4'), ring);
    const spawn = call('spawn_agent', { message: 'SUBWORK' }, 'multi_agent_v1');
    const scenario = {
      steps: calls(spawn, exec('while ! [ -e sub ]; do sleep 0.1; done; touch main')),
      agents: [{ match: 'SUBWORK', steps: calls(exec('echo x > .env'), touch('sub')) }],
    };
    const { record } = await run(scenario);
    expect(user.has('.env')).toBe(false);
    expect(user.has('sub') && user.has('main')).toBe(true);
    expect(record.facts).toMatchObject({
      ...{ toolCalls: 4, guarded: 4, denials: 1, unguarded: [] },
      ...{ dispatchesWithoutCall: [], argsDiffer: [] },
    });
  });

  it('in code mode each call of the script meets the gate', async () => {
    user.remove();
    user = inSession(newCodexUser(version, 'gpt-5.6-sol'), ring);
    const script = [
      "await tools.exec_command({cmd: 'touch mark'});",
      "try { await tools.exec_command({cmd: 'echo x > .env'}); } catch (error) { text(String(error)); }",
    ].join('\n');
    const { out, record } = await run([{ calls: [{ name: 'exec', input: script }] }, { text: 'done' }]);
    expect(user.has('.env')).toBe(false);
    expect(user.has('mark')).toBe(true);
    expect(record.facts).toMatchObject({ guarded: 1, expectedGap: 1, denials: 1, unguarded: [] });
    expect(out).toContain('green');
  });

  it('without its rollout it is not known whether every call passed the gate', async () => {
    const away = exec(`mv '${user.codexHome}/sessions' away`);
    const { out, record } = await run(calls(away), [FORBIDDEN], NO_SANDBOX);
    expect(record.facts.coverageUnknown).toBe('the agent left no record of its calls');
    expect(out).toContain('amber');
  });

  it('neither is it with a part of it', async () => {
    const cut = exec(`for file in '${user.codexHome}'/sessions/*/*/*/*; do : > "$file"; done`);
    const { out, record } = await run(calls(touch('mark'), cut), [FORBIDDEN], NO_SANDBOX);
    expect(record.facts.coverageUnknown).toContain('could not be read, or a line before it is missing');
    expect(out).toContain('amber');
  });

  it.each([
    ['y', true],
    ['n', false],
  ])('its own permission request for an MCP call is put to a person: %s', async (answer, runs) => {
    const server = `\n[mcp_servers.lab]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([MCP, user.workspace])}\n`;
    user.put(join(user.codexHome, 'config.toml'), `${userConfig('gpt-5.5')}${server}`);
    const asks = shHook('ask', 'tool.before', prints({ action: 'request_approval', reason: 'sure?' }), {
      needs: { decisions: ['request_approval'] },
    });
    const file = hooksFile(user, asks);
    const scenario = calls(call('mark', { file: 'made' }, 'mcp__lab'));
    const terminal = onTerminal(user, besideCodexModel(user, scenario, ['--hook', file, '--', 'Go.']));
    for (let i = 0; i < 2; i += 1) {
      await terminal.expect('anything else leaves it inert: ');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      terminal.type('approve\r');
    }
    await terminal.expect('The agent waits for you');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    terminal.type(`${answer}\r`);
    await terminal.end();
    // One prompt for the hook and for the agent's own request.
    expect(user.has('made')).toBe(runs);
    expect(newestRun(user).facts).toMatchObject({
      approvalsGranted: runs ? 1 : 0,
      approvalsDenied: runs ? 0 : 1,
      guarded: 1,
    });
  });
});

/** The main job by hand, with the real Claude Code: trust, denial, approval, no answer, stop, and what a repository brings. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { RunRecord } from '../../shared/contracts/run.js';
import { CLAUDE_CODE_VERSIONS } from '../support/agents.mjs';
import {
  claudeDesktop,
  launch,
  planRun,
  promptWith,
  startWithHooks,
  type AgentDesktop,
} from '../support/app-agents.js';
import { doneRun, press } from '../support/app-runs.js';
import { ask, keepPicture, type RunningApp } from '../support/electron-app.js';
import { isAlive } from '../support/processes.js';

const [VERSION = ''] = CLAUDE_CODE_VERSIONS;
const HELD = { timeout: 30_000 };

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command, description: 'scripted' } }] });

const FORBIDDEN = {
  ...{ schema_version: 1, id: 'no-secret-files', name: 'No secret files', point: 'file.before_write' },
  ...{ scope: 'global', mode: 'blocking', handler: { kind: 'builtin', builtin: 'forbidden-path' } },
};
const PUBLISHING = {
  ...{ schema_version: 1, id: 'publishing', name: 'Publishing needs a person', point: 'command.before' },
  ...{ scope: 'global', mode: 'blocking', needs: { decisions: ['allow', 'request_approval'] } },
  handler: {
    kind: 'command',
    argv: [
      'sh',
      '-c',
      `grep -q publish && printf '%s' '{"schema_version":1,"action":"request_approval","reason":"publishing needs a person"}' || printf '%s' '{"schema_version":1,"action":"allow"}'`,
    ],
  },
};
/** A repository's own hook, and a way to see that it ran. */
const PROJECT = (marker: string) =>
  JSON.stringify({
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: `touch ${marker}` }] }] },
  });

async function approve(started: RunningApp, text: string | RegExp): Promise<void> {
  const page = await promptWith(started, text);
  await press(page, 'Approve exactly this');
  await expect.poll(() => page.isClosed(), HELD).toBe(true);
}

async function newestDone(page: Page): Promise<RunRecord & { readonly colour: string }> {
  await expect.poll(async () => (await ask(page, 'runs.list', { limit: 1 })).length, HELD).toBe(1);
  const [run] = await ask(page, 'runs.list', { limit: 1 });
  const { colour } = await doneRun(page, run?.id ?? '');
  const detail = await ask(page, 'runs.show', { runId: run?.id ?? '' });
  if (detail === null) throw new Error('the run cannot be read');
  return { ...detail.record, colour };
}

it('asks for the agent, the hook and what the repository brings; denies, asks and ends as the record says', async () => {
  const desktop = await claudeDesktop(VERSION, [
    bash('echo A=1 > .env'),
    bash('touch publish-me'),
    bash('touch other'),
    { text: 'done' },
  ]);
  desktop.put('.claude/settings.json', PROJECT('project-hook-ran'));
  const { started, page } = await startWithHooks(desktop, [FORBIDDEN, PUBLISHING]);
  await planRun(page, 'Do the scripted work.', 'claude-code', 'Ask me');
  await page
    .getByText(/Configuration that .* brings for Claude Code/)
    .first()
    .waitFor();
  await keepPicture(page, 'claude-plan');
  await launch(page);

  await approve(started, `Agent Claude Code ${VERSION}`);
  await approve(started, 'Hook global:publishing');
  const brought = await promptWith(started, /Configuration that .* brings for Claude Code/);
  await brought.getByText('touch project-hook-ran').first().waitFor();
  await keepPicture(brought, 'workspace-config');
  expect(desktop.has('project-hook-ran')).toBe(false);
  await press(brought, 'Approve exactly this');

  const question = await promptWith(started, 'publishing needs a person');
  expect(desktop.has('publish-me')).toBe(false);
  await keepPicture(question, 'claude-question');
  await press(question, 'Approve once');
  // The agent's own permission request for a call that no hook asked about.
  const own = await promptWith(started, 'touch other');
  expect(desktop.has('publish-me')).toBe(true);
  await own.getByLabel(/message/i).fill('Not this file, please.');
  await press(own, 'Deny');

  const done = await newestDone(page);
  expect([desktop.has('.env'), desktop.has('other'), desktop.has('project-hook-ran')]).toEqual([false, false, true]);
  // One call, one prompt: the hook's question answered the agent's own for the same call.
  expect(done.facts).toMatchObject({
    toolCalls: 3,
    denials: 1,
    approvalsGranted: 1,
    approvalsDenied: 1,
    unguarded: [],
  });
  expect(done).toMatchObject({ outcome: 'succeeded', colour: 'green', agentVersion: VERSION });
  expect(done.gaps.map(({ kind }) => kind)).toContain('rewrite');
  expect(desktop.asked()).toContain('Not this file, please.');
  const kinds = (await ask(page, 'approvals.list', null)).map(({ kind }) => kind).sort();
  expect(kinds).toEqual(['agent-program', 'hook-argv', 'workspace-agent-config']);
  await keepPicture(page, 'claude-run');
}, 300_000);

it('asks again about what the repository changed, with the difference; a no leaves it out', async () => {
  const desktop = await claudeDesktop(VERSION, [bash('touch one'), { text: 'done' }]);
  desktop.put('.claude/settings.json', PROJECT('first-ran'));
  const { started, page } = await startWithHooks(desktop, []);
  await planRun(page, 'First.', 'claude-code', 'Ask me');
  await launch(page);
  await approve(started, `Agent Claude Code ${VERSION}`);
  await approve(started, /Configuration that .* brings for Claude Code/);
  await press(await promptWith(started, 'touch one'), 'Approve once');
  await newestDone(page);
  expect(desktop.has('first-ran')).toBe(true);

  desktop.put('.claude/settings.json', PROJECT('second-ran'));
  await planRun(page, 'Second.', 'claude-code', 'Ask me');
  await page.getByText('changed since it was approved').first().waitFor();
  await launch(page);
  const changed = await promptWith(started, 'What changed');
  await changed.getByText('touch second-ran').first().waitFor();
  await keepPicture(changed, 'workspace-config-changed');
  await press(changed, 'Deny, leave inert');
  await press(await promptWith(started, 'touch one'), 'Approve once');
  const done = await newestDone(page);
  expect(desktop.has('second-ran')).toBe(false);
  expect(done.notices.join('\n')).toContain('was not approved, so it is left out of this run');
}, 300_000);

it('starts no agent whose program was not approved', async () => {
  const desktop = await claudeDesktop(VERSION, [{ text: 'done' }]);
  const { started, page } = await startWithHooks(desktop, [FORBIDDEN]);
  await planRun(page, 'Anything.', 'claude-code');
  await launch(page);
  await press(await promptWith(started, `Agent Claude Code ${VERSION}`), 'Deny, leave inert');
  const done = await newestDone(page);
  expect(done).toMatchObject({ outcome: 'denied', colour: 'red', agentPid: null });
  expect(desktop.asked()).toBe('');
  expect(existsSync(join(desktop.home, '.claude'))).toBe(false);
}, 120_000);

/** A profile whose questions wait so many seconds. */
function quickProfile(desktop: AgentDesktop, seconds: number): void {
  const folder = join(desktop.state, 'profiles');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const profile = { schema_version: 1, name: 'quick', agent: 'claude-code', approval_timeout_seconds: seconds };
  writeFileSync(join(folder, 'quick.json'), JSON.stringify(profile));
}

it('denies a question that nobody answers, and takes its window away', async () => {
  const desktop = await claudeDesktop(VERSION, [bash('touch publish-me'), { text: 'done' }]);
  quickProfile(desktop, 6);
  const { started, page } = await startWithHooks(desktop, [PUBLISHING]);
  await planRun(page, 'Publish.', 'quick');
  await launch(page);
  await approve(started, `Agent Claude Code ${VERSION}`);
  await approve(started, 'Hook global:publishing');
  const question = await promptWith(started, 'publishing needs a person');
  const done = await newestDone(page);
  expect(question.isClosed()).toBe(true);
  expect(desktop.has('publish-me')).toBe(false);
  expect(done.facts).toMatchObject({ denials: 1, approvalsGranted: 0, approvalsDenied: 1 });
}, 120_000);

it('stops a run from its page, and leaves no process of it', async () => {
  const desktop = await claudeDesktop(VERSION, [bash('echo $$ > tool.pid; exec sleep 600'), { text: 'done' }]);
  const { started, page } = await startWithHooks(desktop, [FORBIDDEN]);
  await planRun(page, 'Wait.', 'claude-code', 'Activate');
  await launch(page);
  await approve(started, `Agent Claude Code ${VERSION}`);
  const pid = () => Number(readFileSync(join(desktop.workspace, 'tool.pid'), 'utf8'));
  await expect.poll(() => desktop.has('tool.pid') && pid() > 0, HELD).toBe(true);
  const tool = pid();
  await page.getByRole('button', { name: 'Stop' }).first().click();
  await page.getByRole('button', { name: /^Stop/ }).last().click();
  const done = await newestDone(page);
  expect(done).toMatchObject({ outcome: 'killed', colour: 'grey' });
  expect([isAlive(tool), isAlive(done.agentPid ?? 0)]).toEqual([false, false]);
}, 120_000);

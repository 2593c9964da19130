/** The main job by hand, with the real Codex: trust, denial, approval, a leak, and a receipt that verifies in the window. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { CODEX_VERSIONS } from '../support/agents.mjs';
import { codexDesktop, launch, planRun, promptWith, startWithHooks } from '../support/app-agents.js';
import { doneRun, press } from '../support/app-runs.js';
import { ask, keepPicture, type RunningApp } from '../support/electron-app.js';

const [VERSION = ''] = CODEX_VERSIONS;
const exec = (cmd: string) => ({ calls: [{ name: 'exec_command', input: { cmd } }] });

const HOOKS = [
  {
    ...{ schema_version: 1, id: 'no-secret-files', name: 'No secret files', point: 'file.before_write' },
    ...{ scope: 'global', mode: 'blocking', handler: { kind: 'builtin', builtin: 'forbidden-path' } },
  },
  {
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
  },
];

async function approve(started: RunningApp, text: string | RegExp): Promise<void> {
  const page = await promptWith(started, text);
  await press(page, 'Approve exactly this');
  await expect.poll(() => page.isClosed(), { timeout: 30_000 }).toBe(true);
}

it('asks, denies, finds the leak, and its receipt verifies', async () => {
  const secret = `ghp_${randomBytes(27).toString('hex').slice(0, 36)}`;
  const desktop = await codexDesktop(VERSION, [
    exec('echo A=1 > .env'),
    exec('touch publish-me'),
    exec('cat notes.txt'),
    { text: 'done' },
  ]);
  desktop.put('notes.txt', `the deploy token is ${secret}\n`);
  const { started, page } = await startWithHooks(desktop, HOOKS);
  await planRun(page, 'Do the scripted work.', 'codex');
  await launch(page);
  await approve(started, `Agent Codex ${VERSION}`);
  await approve(started, 'Hook global:publishing');
  const question = await promptWith(started, 'publishing needs a person');
  expect(desktop.has('publish-me')).toBe(false);
  await keepPicture(question, 'codex-question');
  await press(question, 'Approve once');

  const [run] = await ask(page, 'runs.list', { limit: 1 });
  const done = await doneRun(page, run?.id ?? '');
  expect([desktop.has('.env'), desktop.has('publish-me')]).toEqual([false, true]);
  expect(done).toMatchObject({ outcome: 'succeeded', colour: 'red' });
  expect(done.why.join()).toContain('leaked secret');
  const detail = await ask(page, 'runs.show', { runId: done.id });
  expect(detail?.record.facts).toMatchObject({ toolCalls: 3, denials: 1, approvalsGranted: 1, unguarded: [] });
  expect(JSON.stringify(detail)).not.toContain(secret);

  await page.getByRole('tab', { name: /Exit scan/ }).click();
  await page.getByText('github-token').first().waitFor();
  await keepPicture(page, 'codex-leak');
  await page.getByRole('tab', { name: 'Receipt' }).click();
  await page.getByRole('button', { name: 'Verify' }).click();
  await page
    .getByText(/artifacts as they were/)
    .first()
    .waitFor();
  await keepPicture(page, 'codex-receipt');
}, 180_000);

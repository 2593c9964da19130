/** Runs through the app's windows: launch, trust, approval, denial, no answer, crash and quit. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunRecord } from '../../shared/contracts/run.js';
import { approveAll, doneRun, launchPractice, press, script, shell } from '../support/app-runs.js';
import { ask, keepPicture, newDesktop, startApp, type DeskOfUser, type RunningApp } from '../support/electron-app.js';
import { isAlive } from '../support/processes.js';

const eventually: typeof expect.poll = (look) => expect.poll(look, { timeout: 30_000 });

const recordOf = (desktop: DeskOfUser, id: string): RunRecord =>
  JSON.parse(readFileSync(join(desktop.state, 'runs', id, 'run.json'), 'utf8')) as RunRecord;

/** Which window has the keyboard. */
const focused = (started: RunningApp): Promise<string> =>
  started.app.evaluate(({ BrowserWindow }) => String(BrowserWindow.getFocusedWindow()?.id ?? 'none'));

/** Answers the next question of a quit by this button, and says what was asked. */
const answerQuit = (started: RunningApp, response: number) =>
  started.app.evaluate(({ dialog }, button) => {
    const asked: string[] = [];
    (globalThis as { asked?: string[] }).asked = asked;
    dialog.showMessageBox = ((...given: { message?: string }[]) => {
      asked.push(given.at(-1)?.message ?? '');
      return Promise.resolve({ response: button, checkboxChecked: false });
    }) as never;
  }, response);

it('does the main job by hand: first start, plan, trust, a denial, an approval, a leak that turns the run red', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('button', { name: 'Install the starter policy' }).click();
  await page.getByText('Installed', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Prepare a practice run' }).click();
  await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('button', { name: 'Launch', exact: true }).waitFor();
  await keepPicture(page, 'plan');
  const before = await focused(started);
  await page.getByRole('button', { name: 'Launch', exact: true }).click();

  const trust = await started.prompt();
  await trust.getByRole('heading', { level: 1 }).waitFor();
  await trust.getByText('request_approval').first().waitFor();
  expect(await trust.getByRole('button', { name: 'Deny, leave inert' }).isVisible()).toBe(true);
  // Shown beside the page that the person is in, without taking the keyboard.
  expect(await focused(started)).toBe(before);
  await keepPicture(trust, 'trust');
  await approveAll(started, 1);

  const question = await started.prompt();
  await question.getByText('publishing needs a person').first().waitFor();
  await keepPicture(question, 'question');
  await press(question, 'Approve once');
  const [run] = await ask(page, 'runs.list', { limit: 1 });
  const done = await doneRun(page, run?.id ?? '');
  expect(done).toMatchObject({ colour: 'red', outcome: 'succeeded' });
  expect(recordOf(desktop, done.id).facts).toMatchObject({ toolCalls: 4, denials: 1, approvalsGranted: 1 });
  await page.getByText('Red').first().waitFor();
  await page.getByRole('tab', { name: 'Exit scan (1)' }).click();
  await page.getByText('practice-secret').first().waitFor();
  await keepPicture(page, 'leaked-run');
  expect(started.pages()).toHaveLength(1);
  // What was approved is kept: the next run does not ask about it again.
  const records = await ask(page, 'approvals.list', null);
  expect(records.map(({ kind, surface }) => [kind, surface])).toContainEqual(['hook-argv', 'dialog']);
});

it('takes a closed window and a page that broke for a no', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const publish = shell('echo published > published.txt');
  const runId = await launchPractice(page, script(publish, publish));
  await approveAll(started, 1);
  const question = await started.prompt();
  await question.close({ runBeforeUnload: true });
  await eventually(() => question.isClosed()).toBe(true);
  const second = await started.prompt();
  await second.getByRole('heading', { level: 1 }).waitFor();
  await started.app.evaluate(({ BrowserWindow }) => {
    const prompts = BrowserWindow.getAllWindows().filter((window) => window.getTitle().includes('asks'));
    for (const window of prompts) window.webContents.forcefullyCrashRenderer();
  });
  const done = await doneRun(page, runId);
  expect(done.outcome).toBe('succeeded');
  expect(recordOf(desktop, runId).facts).toMatchObject({ toolCalls: 2, denials: 2, approvalsGranted: 0 });
  expect(started.log()).toContain('no answer is a no');
});

it('lets the window of a prompt answer that prompt alone', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await launchPractice(page, script(shell('echo published > published.txt')));
  const trust = await started.prompt();
  await trust.getByRole('heading', { level: 1 }).waitFor();
  const refused = await trust.evaluate(async () => {
    const { sallyport } = globalThis as unknown as {
      sallyport: { ask: (name: string, request: unknown) => Promise<unknown> };
    };
    const tried = [
      ['runs.stop', { runId: 'x' }],
      ['workspaces.pick', null],
      ['prompts.answer', { id: 'ask_other', shownDigest: 'x', answer: { kind: 'approve' } }],
    ] as const;
    return Promise.all(
      tried.map(([name, request]) =>
        sallyport.ask(name, request).then(
          () => 'answered',
          (error: unknown) => (error as Error).message,
        ),
      ),
    );
  });
  expect(refused).toEqual(Array(3).fill('The window of a prompt may not ask this.'));
  // A yes to something else than what stands there is no yes.
  const [prompt] = await ask(trust, 'prompts.list', null);
  const wrong = { id: prompt?.id ?? '', shownDigest: 'sha256:0', answer: { kind: 'approve' } } as const;
  expect(await ask(trust, 'prompts.answer', wrong)).toMatchObject({ ok: false });
  await press(trust, 'Deny, leave inert');
});

/** Launches a run that goes on by itself, and waits until its agent's tool lives; answers the pids. */
async function liveRun(desktop: DeskOfUser, started: RunningApp): Promise<{ id: string; agent: number; tool: number }> {
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const id = await launchPractice(page, script(shell('echo $$ > tool.pid; exec sleep 600')));
  await approveAll(started, 1);
  const file = () => join(recordOf(desktop, id).workspace, 'tool.pid');
  await eventually(() => existsSync(file()) && readFileSync(file(), 'utf8').endsWith('\n')).toBe(true);
  return { id, agent: recordOf(desktop, id).agentPid ?? 0, tool: Number(readFileSync(file(), 'utf8')) };
}

it('leaves nothing alive at the start after it was killed in a run, and records the run as interrupted', async () => {
  const desktop = await newDesktop();
  const first = await startApp(desktop);
  const { id, agent, tool } = await liveRun(desktop, first);
  expect([isAlive(agent), isAlive(tool)]).toEqual([true, true]);
  process.kill(first.pid, 'SIGKILL');
  await first.ended;
  expect(isAlive(tool)).toBe(true);

  const second = await startApp(desktop);
  const page = await second.main();
  await eventually(() => recordOf(desktop, id).outcome).toBe('interrupted');
  await eventually(() => [isAlive(agent), isAlive(tool)]).toEqual([false, false]);
  await eventually(() => ask(page, 'runs.list', { limit: 5 }).then(([run]) => [run?.outcome, run?.colour])).toEqual([
    'interrupted',
    'grey',
  ]);
});

it('asks before it quits with a live run, and ends the run when the answer is yes', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop);
  const { id, agent, tool } = await liveRun(desktop, started);
  await answerQuit(started, 0);
  await desktop.tray?.click('Quit');
  await eventually(() => started.app.evaluate(() => (globalThis as { asked?: string[] }).asked)).toEqual([
    'A run is live.',
  ]);
  expect(isAlive(tool)).toBe(true);
  expect((await desktop.tray?.state())?.menu[0]).toBe('1 run live');
  await answerQuit(started, 1);
  await desktop.tray?.click('Quit');
  expect(await started.ended).toBe(0);
  expect([isAlive(agent), isAlive(tool)]).toEqual([false, false]);
  expect(recordOf(desktop, id)).toMatchObject({ phase: 'done', outcome: 'killed', reason: 'Sallyport is quitting' });
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'ends its runs and itself on %s, with nobody to ask',
  async (signal) => {
    const desktop = await newDesktop({ tray: false });
    const started = await startApp(desktop);
    const { id, tool } = await liveRun(desktop, started);
    process.kill(started.pid, signal);
    expect(await started.ended).toBe(0);
    expect(isAlive(tool)).toBe(false);
    expect(recordOf(desktop, id)).toMatchObject({ phase: 'done', outcome: 'killed' });
    expect(readdirSync(join(desktop.state, 'app'))).toContain('window.json');
  },
);

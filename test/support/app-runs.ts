/** Runs of the practice agent through the app's own pages. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { RunSummary } from '../../shared/bridge/views.js';
import { ask, type RunningApp } from './electron-app.js';

/** A practice prompt that plays these steps. */
export const script = (...steps: readonly object[]) => JSON.stringify({ steps });
export const shell = (command: string) => ({ tool: 'shell', input: { command } });

/** Launches the practice agent in a practice folder, as the page would; answers the run's id. */
export async function launchPractice(page: Page, prompt: string): Promise<string> {
  const workspace = await ask(page, 'workspaces.practice', null);
  const input = {
    profile: 'practice',
    workspaceId: workspace.id,
    prompt,
    bypass: 'none',
    acceptGaps: true,
    workspaceConfig: 'exclude',
  } as const;
  const launched = await ask(page, 'runs.launch', input);
  if (!launched.ok) throw new Error(launched.text);
  return launched.runId;
}

/** Presses a button of a prompt as soon as it can be pressed. */
export async function press(page: Page, name: string): Promise<void> {
  // The window closes with its answer, at times before the click is known to be over.
  await page
    .getByRole('button', { name, exact: true })
    .click({ noWaitAfter: true })
    .catch((error: unknown) => {
      if (!page.isClosed()) throw error;
    });
}

/** Approves what wants to run, each in a window of its own, until something else waits or nothing does. */
export async function approveAll(started: RunningApp, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const page = await started.prompt();
    await press(page, 'Approve exactly this');
    await expect.poll(() => page.isClosed(), { timeout: 10_000 }).toBe(true);
  }
}

/** Waits until a run is done. */
export async function doneRun(page: Page, runId: string): Promise<RunSummary> {
  const find = async () => (await ask(page, 'runs.list', { limit: 100 })).find((run) => run.id === runId);
  await expect.poll(async () => (await find())?.phase, { timeout: 60_000 }).toBe('done');
  const found = await find();
  if (found === undefined) throw new Error('the run is gone');
  return found;
}

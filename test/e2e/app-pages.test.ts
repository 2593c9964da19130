/** Every page of the real app with real content, in both themes; and what the app is without a keychain that answers. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { approveAll, doneRun, launchPractice, press, script, shell } from '../support/app-runs.js';
import { axeFindings } from '../support/pages.js';
import { ask, keepPicture, newDesktop, startApp } from '../support/electron-app.js';

const PAGES = ['New run', 'Runs', 'Approvals', 'Registry', 'Doctor', 'Settings'] as const;

const go = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('navigation').getByRole('button', { name }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
};

it('is whole on every page, in the light and in the dark', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Install the starter policy' }).click();
  await page.getByText('Installed', { exact: true }).waitFor();
  const runId = await launchPractice(
    page,
    script({ say: 'I tidy up.' }, shell('echo SECRET=1 > .env'), shell('echo published > published.txt')),
  );
  await approveAll(started, 1);
  await press(await started.prompt(), 'Approve once');
  await doneRun(page, runId);
  const settings = await ask(page, 'settings.get', null);
  for (const theme of ['light', 'dark'] as const) {
    await ask(page, 'settings.set', { ...settings, theme });
    for (const name of PAGES) {
      await go(page, name);
      // Lists are read when their page opens.
      await page.waitForLoadState('networkidle');
      await keepPicture(page, `page-${name.toLowerCase().replace(' ', '-')}-${theme}`);
      expect(await axeFindings(page), `${name}, ${theme}`).toEqual([]);
    }
    await go(page, 'Runs');
    await page.getByText('I tidy up.').or(page.getByText('steps')).first().click();
    await page.getByText('Green').first().waitFor();
    await keepPicture(page, `page-run-${theme}`);
    expect(await axeFindings(page), `a run, ${theme}`).toEqual([]);
  }
});

it('asks and answers while the keychain hangs, and says what that means', async () => {
  const desktop = await newDesktop({ keyring: 'locked' });
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const runId = await launchPractice(page, script(shell('echo published > published.txt')));
  await approveAll(started, 1);
  await press(await started.prompt(), 'Approve once');
  const done = await doneRun(page, runId);
  expect(done.outcome).toBe('succeeded');
  await expect
    .poll(async () => (await ask(page, 'app.info', null)).keychain.state, { timeout: 60_000 })
    .toMatch(/^(?:locked|hanging)$/);
  await go(page, 'Doctor');
  await page
    .getByText(/keychain/i)
    .first()
    .waitFor();
  await keepPicture(page, 'doctor-keychain-locked');
  // What was approved counts until the app ends, and no key is put anywhere else.
  expect(existsSync(join(desktop.state, 'approvals.json'))).toBe(false);
});

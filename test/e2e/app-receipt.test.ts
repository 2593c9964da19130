/** A run's receipt through the app's window, on a real keyring and without one: shown, verified, and seen to be broken. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunSummary } from '../../shared/bridge/views.js';
import { approveAll, doneRun, launchPractice, script, shell } from '../support/app-runs.js';
import { ask, keepPicture, newDesktop, startApp, type RunningApp } from '../support/electron-app.js';

/** Plays a practice run; its example hook is approved where it is not yet. */
async function practiceRun(started: RunningApp, command: string, asks: boolean): Promise<RunSummary> {
  const page = await started.main();
  const runId = await launchPractice(page, script(shell(command)));
  if (asks) await approveAll(started, 1);
  return doneRun(page, runId);
}

it('is signed, verifies, and does not when a file of the run was changed', async () => {
  const desktop = await newDesktop({ tray: false });
  const started = await startApp(desktop);
  const page = await started.main();
  const run = await practiceRun(started, 'echo hello', true);
  expect(run.colour).toBe('green');
  expect((await ask(page, 'runs.show', { runId: run.id }))?.record.receipt).toMatchObject({
    state: 'signed',
    sequence: 1,
  });

  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  await page.getByRole('row', { name: /steps/ }).click();
  await page.getByRole('tab', { name: 'Receipt' }).click();
  await page.getByText("1 of this installation's chain").waitFor();
  const verify = page.getByRole('button', { name: 'Verify', exact: true });
  await verify.click();
  await page.getByText('Verified.', { exact: true }).waitFor();
  await keepPicture(page, 'receipt');

  appendFileSync(join(desktop.state, 'runs', run.id, 'stdout.log'), 'x');
  await verify.click();
  await page.getByText('Not verified.', { exact: true }).waitFor();
  await page.getByText('artifact stdout.log differs').waitFor();
});

it('says at the next start that receipts are missing', async () => {
  const desktop = await newDesktop({ tray: false });
  const first = await startApp(desktop);
  await practiceRun(first, 'true', true);
  await practiceRun(first, 'true', false);
  process.kill(first.pid, 'SIGTERM');
  await first.ended;
  const chain = join(desktop.state, 'receipts.jsonl');
  const text = readFileSync(chain, 'utf8');
  writeFileSync(chain, text.slice(0, text.indexOf('\n') + 1));
  const again = await (await startApp(desktop)).main();
  await again.getByText('Receipts: 1 receipt missing: 2 of 2').waitFor();
  await keepPicture(again, 'receipts-missing');
});

it('is not signed without a keychain, and says so where the run is shown', async () => {
  const desktop = await newDesktop({ keyring: 'no-service', tray: false });
  const started = await startApp(desktop);
  const run = await practiceRun(started, 'true', true);
  expect(run.colour).toBe('amber');
  expect(run.why.join()).toContain('the receipt is not signed');
});

/** The real app where things are not as they should be: damaged files, many questions at once, a desktop that goes away. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ask, newDesktop, startApp } from '../support/electron-app.js';
import { approveAll, doneRun, launchPractice, press, script, shell } from '../support/app-runs.js';

const eventually: typeof expect.poll = (look) => expect.poll(look, { timeout: 30_000 });
const PUBLISH = script(shell('echo published > published.txt'));

it('starts over damaged files, says which and loses none of them', async () => {
  const desktop = await newDesktop();
  mkdirSync(join(desktop.state, 'app'), { recursive: true, mode: 0o700 });
  chmodSync(desktop.state, 0o700);
  const damaged = {
    'settings.json': '{"theme": "pink"',
    'desk.json': '\u0000\u0001',
    'app/window.json': '[]',
    'approvals.json': 'garbage',
    'receipts.jsonl': '{"half',
    'index.sqlite': 'not a database',
  };
  for (const [name, text] of Object.entries(damaged)) writeFileSync(join(desktop.state, name), text);
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const said = (await ask(page, 'doctor.run', null)).map(({ section, text }) => `${section}: ${text}`).join('\n');
  for (const words of ['settings.json cannot be read', 'desk.json cannot be read', 'the index was damaged'])
    expect(said).toContain(words);
  await eventually(async () => (await ask(page, 'app.info', null)).keychain.text).toContain('approvals.json');
  const run = await doneRun(
    page,
    await launchPractice(page, script({ say: 'a' })).then(async (id) => {
      await approveAll(started, 1);
      return id;
    }),
  );
  // Nothing vouches for a receipt beside a chain that cannot be checked.
  expect(run).toMatchObject({ outcome: 'succeeded', colour: 'amber' });
  const names = readdirSync(desktop.state);
  for (const name of ['approvals.json', 'receipts.jsonl']) expect(names).toContain(name);
  for (const name of ['settings.json', 'desk.json', 'index.sqlite'])
    expect(names.some((one) => one.startsWith(`${name}.damaged-`))).toBe(true);
});

it('asks for eight runs at once in four windows, and a run that is stopped takes its question away', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const ids: string[] = [];
  for (let index = 0; index < 8; index += 1) ids.push(await launchPractice(page, PUBLISH));
  const waiting = async () => (await ask(page, 'prompts.list', null)).map(({ kind }) => kind);
  await eventually(waiting).toEqual(Array(8).fill('trust'));
  await eventually(() => started.pages().length).toBe(5);
  await eventually(async () => (await desktop.tray?.state())?.menu[0]).toBe('8 waiting for you, 8 runs live');
  // It is the same hook for all of them: one yes answers every run that waits for exactly it.
  for (let times = 0; times < 8 && (await waiting()).includes('trust'); times += 1) {
    const trust = await started.prompt();
    await press(trust, 'Approve exactly this');
    await eventually(() => trust.isClosed()).toBe(true);
  }
  await eventually(waiting).toEqual(Array(8).fill('question'));
  for (const id of ids.slice(0, 4)) await ask(page, 'runs.stop', { runId: id });
  await eventually(waiting).toEqual(Array(4).fill('question'));
  await eventually(() => started.pages().length).toBe(5);
  for (const id of ids.slice(4)) await ask(page, 'runs.stop', { runId: id });
  for (const id of ids) expect((await doneRun(page, id)).outcome).toBe('killed');
  await eventually(() => started.pages().length).toBe(1);
  expect(started.log()).toBe('');
});

it('keeps its window to itself when the panel dies, and ends when that is closed', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop);
  await (await started.main()).getByRole('heading', { level: 1 }).waitFor();
  await eventually(() => desktop.tray?.items()).toBe(1);
  await desktop.tray?.end();
  // An app without window and tray could not be found again.
  await started.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  expect(await started.ended).toBe(0);
});

it('opens a page that broke anew, and its run goes on', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const id = await launchPractice(page, script(shell('sleep 3; echo done > done.txt')));
  await approveAll(started, 1);
  await started.app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer();
  });
  await eventually(() => page.isClosed()).toBe(true);
  const again = await started.main();
  await again.getByRole('heading', { level: 1 }).waitFor();
  expect((await doneRun(again, id)).outcome).toBe('succeeded');
  expect(started.log()).toContain('the window is opened anew');
  expect(existsSync(join(desktop.state, 'runs', id, 'receipt.json'))).toBe(true);
});

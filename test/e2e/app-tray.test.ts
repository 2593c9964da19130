/** Tray and notifications, on a real session bus with a desktop's half of both. */
import { expect, it } from 'vitest';
import { drawIcon, type TrayState } from '../../electron/main/icon-shapes.js';
import type { TrayHost } from '../support/tray-host.js';
import { ask, keepPicture, newDesktop, startApp } from '../support/electron-app.js';
import { approveAll, launchPractice, script, shell } from '../support/app-runs.js';

/** The icon as the desktop got it, as one of ours. */
function stateOf([width, , hex]: readonly [number, number, string]): TrayState | null {
  const argb = Buffer.from(hex, 'hex');
  const states = ['idle', 'running', 'waiting', 'red'] as const;
  return (
    states.find((state) => {
      const drawn = drawIcon(state, width);
      // The middle of the left edge is tile, whatever the sign; corners may have been blended by the toolkit.
      const at = (Math.floor(width / 2) * width + 2) * 4;
      return [1, 2, 3].every((index) => Math.abs((argb[at + index] ?? 0) - (drawn[at + 3 - index] ?? 0)) < 4);
    }) ?? null
  );
}

const eventually: typeof expect.poll = (look) => expect.poll(look, { timeout: 15_000 });

/** Waits for a notification. */
async function noteAt(tray: TrayHost, wanted: string): Promise<number> {
  await expect.poll(() => tray.notes.map(({ title }) => title), { timeout: 10_000 }).toContain(wanted);
  return tray.notes.findIndex(({ title }) => title === wanted);
}

it('is a menu with everything that is live, and its clicks lead there', async () => {
  const desktop = await newDesktop();
  const tray = desktop.tray!;
  const started = await startApp(desktop, '--in-tray');
  await eventually(tray.items).toBe(1);
  expect(started.pages()).toHaveLength(0);
  await eventually(async () => (await tray.state()).menu[0]).toBe('Nothing is running');
  const idle = await tray.state();
  expect(idle.tooltip).toBe('Sallyport');
  expect(idle.menu).toEqual(['Nothing is running', 'New run…', 'Open Sallyport', 'Doctor', 'Quit']);
  expect(stateOf(idle.icon)).toBe('idle');

  await tray.click('Doctor');
  const page = await started.main();
  await page.getByRole('heading', { level: 1, name: 'Doctor' }).waitFor();
  await tray.click('New run');
  await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor();

  const runId = await launchPractice(page, script({ say: 'a' }, shell('echo published > published.txt')));
  const trust = await started.prompt();
  await trust.getByRole('heading').first().waitFor();
  await eventually(async () => stateOf((await tray.state()).icon)).toBe('waiting');
  const waiting = await tray.state();
  expect(waiting.menu[0]).toBe('1 waiting for you, 1 run live');
  expect(waiting.menu.some((label) => label.startsWith('May this run?'))).toBe(true);
  await approveAll(started, 1);
  await eventually(async () =>
    (await tray.state()).menu.some((label) => label.startsWith('Practice agent asks: shell in')),
  ).toBe(true);

  // Closing the window leaves the app in the tray, with its run.
  await page.close({ runBeforeUnload: true });
  await eventually(() => started.pages().length).toBe(1);
  expect((await tray.state()).menu.some((label) => label.endsWith('> Stop'))).toBe(true);
  await tray.click('practice:', 'Stop');
  await eventually(async () => (await tray.state()).menu[0]).toBe('Nothing is running');
  expect(started.pages()).toHaveLength(0);
  await noteAt(tray, 'A run has ended grey');

  await tray.click('Last runs', 'grey');
  const again = await started.main();
  await again.getByText('killed').first().waitFor();
  expect(await ask(again, 'runs.show', { runId })).toMatchObject({ record: { outcome: 'killed' } });
  await tray.click('Quit');
  expect(await started.ended).toBe(0);
});

it('turns red for a red run until somebody looks at it, and a notification leads to it', async () => {
  const desktop = await newDesktop();
  const tray = desktop.tray!;
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const failing = JSON.stringify({ steps: [{ say: 'a' }], ok: false });
  await launchPractice(page, failing);
  await page.close({ runBeforeUnload: true });
  await approveAll(started, 1);
  await eventually(async () => stateOf((await tray.state()).icon)).toBe('red');
  expect((await tray.state()).menu[0]).toBe('1 red run');
  const at = await noteAt(tray, 'A run has ended red');
  expect(tray.notes[at]?.body).toContain('practice in ');
  await tray.clickNote(at);
  const again = await started.main();
  await again.getByText('failed').first().waitFor();
  await keepPicture(again, 'red-run');
  await eventually(async () => stateOf((await tray.state()).icon)).toBe('idle');
});

it('tells of a prompt without what the agent wrote, and a click brings the prompt', async () => {
  const desktop = await newDesktop();
  const tray = desktop.tray!;
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await launchPractice(page, script(shell('echo published > published.txt')));
  await page.close({ runBeforeUnload: true });
  await approveAll(started, 1);
  const at = await noteAt(tray, 'An agent asks you');
  expect(tray.notes[at]?.body).toMatch(/^Practice agent in \S+ wants to use \w+\.$/);
  await tray.clickNote(at);
  await eventually(() => started.app.evaluate(({ BrowserWindow }) => BrowserWindow.getFocusedWindow() !== null)).toBe(
    true,
  );
});

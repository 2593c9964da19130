/** The app's windows and their bridge, in the real Electron. */
import { expect, it } from 'vitest';
import { ask, keepPicture, newDesktop, startApp } from '../support/electron-app.js';

it('opens on its own scheme, with the first start', async () => {
  const desktop = await newDesktop();
  const started = await startApp(desktop);
  const page = await started.main();
  expect(page.url()).toBe('app://sallyport/index.html');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  const info = await ask(page, 'app.info', null);
  expect(info).toMatchObject({ noTray: null, firstStart: true, stateDir: desktop.state });
  await keepPicture(page, 'first-start');
  console.log(await desktop.tray?.state().then((s) => [s.tooltip, s.menu, s.icon.slice(0, 2)]), info, started.stderr());
});

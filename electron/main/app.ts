/**
 * The app with its tray and windows, to be read as a list. Job: bring the parts together in the right
 * order: one instance, lockdown, places, then what needs Electron to be ready. It must not hold a rule
 * of the product.
 */
import { app } from 'electron';
import { claimFolder } from './folder.js';
import { lockDownApp, lockDownSession, refusedSwitch } from './lockdown.js';
import { watchFaults } from './faults.js';
import { declareScheme, serveScheme } from './scheme.js';
import { busAddress } from './session-bus.js';
import { createTray } from './tray.js';

/** Begins the app. Called before Electron is ready, and does not wait for that. */
export function startApp(): void {
  const refused = refusedSwitch();
  if (refused !== null) {
    process.stderr.write(
      `sallyport: --${refused} would let other programs press Approve; nothing was started. Start it without.\n`,
    );
    process.exit(2);
  }
  const folder = claimFolder();
  if (folder === null) return;
  const faults = watchFaults(folder);
  lockDownApp();
  declareScheme();
  const tray = import('./tray-host.js').then(({ findTrayHost }) => findTrayHost());
  // Both are read while Electron gets ready.
  const shell = import('./shell.js');
  const services = import('./services.js').then(({ openServices }) => openServices({ folder, tray, faults }));
  for (const early of [shell, services]) early.catch(() => undefined);
  const begin = async () => {
    await app.whenReady();
    lockDownSession();
    serveScheme();
    // Before all that is larger: a start is seen at once. It is taken away where no desktop shows it.
    const icon = process.platform !== 'linux' || busAddress(process.env) !== null ? createTray() : null;
    const { openShell } = await shell;
    await openShell({ folder, tray, icon, faults, services });
  };
  begin().catch((error: unknown) => faults.fatal(error));
}

/**
 * The tray. Job: show the state and the menu, and pass clicks on. It must not decide what a click does.
 */
import { Menu, Tray, type MenuItemConstructorOptions } from 'electron';
import { trayIcon } from './icons.js';
import { trayEntries, trayState, type TrayAct, type TrayEntry, type TrayFacts } from './tray-menu.js';

export interface AppTray {
  readonly show: (facts: TrayFacts) => void;
  readonly remove: () => void;
}

/** Puts the icon up. */
export function createTray(facts: TrayFacts, act: (act: TrayAct) => void): AppTray {
  const tray = new Tray(trayIcon(trayState(facts)));
  let told = '';
  tray.setToolTip('Sallyport');
  tray.on('click', () => {
    act({ act: 'open', to: null });
  });
  const toMenu = (entries: readonly TrayEntry[]): MenuItemConstructorOptions[] =>
    entries.map((entry) => {
      switch (entry.kind) {
        case 'line':
          return { type: 'separator' };
        case 'words':
          return { label: entry.label, enabled: false };
        case 'menu':
          return { label: entry.label, submenu: toMenu(entry.entries) };
        case 'item':
          return {
            label: entry.label,
            click: () => {
              act(entry.act);
            },
          };
      }
    });
  const show = (now: TrayFacts) => {
    const entries = trayEntries(now);
    const text = JSON.stringify([trayState(now), entries]);
    // A menu that is open is closed by a new one, so nothing is set that is there already.
    if (text === told) return;
    told = text;
    tray.setImage(trayIcon(trayState(now)));
    tray.setContextMenu(Menu.buildFromTemplate(toMenu(entries)));
  };
  show(facts);
  return {
    show,
    remove: () => {
      tray.destroy();
    },
  };
}

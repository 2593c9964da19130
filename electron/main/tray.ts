/**
 * The tray. Job: show the state and the menu, and pass clicks on. It must not decide what a click does.
 */
import { Menu, Tray, type MenuItemConstructorOptions } from 'electron';
import { trayIcon } from './icons.js';
import { startingEntries, trayEntries, trayState, type TrayAct, type TrayEntry, type TrayFacts } from './tray-menu.js';
import type { TrayState } from './icon-shapes.js';

export interface AppTray {
  /** What a click leads to, from now on; the last one that came before happens now. */
  readonly onAct: (act: (act: TrayAct) => void) => void;
  readonly show: (facts: TrayFacts) => void;
  readonly remove: () => void;
}

/** Puts the icon up, which says that the app is starting until it is shown how things stand. */
export function createTray(): AppTray {
  const tray = new Tray(trayIcon('idle'));
  let told = '';
  let early: TrayAct | null = null;
  let act = (what: TrayAct) => {
    early = what;
  };
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
  const set = (state: TrayState, entries: readonly TrayEntry[]) => {
    const text = JSON.stringify([state, entries]);
    // A menu that is open is closed by a new one, so nothing is set that is there already.
    if (text === told) return;
    told = text;
    tray.setImage(trayIcon(state));
    tray.setContextMenu(Menu.buildFromTemplate(toMenu(entries)));
  };
  set('idle', startingEntries());
  return {
    onAct: (now) => {
      act = now;
      if (early !== null) now(early);
      early = null;
    },
    show: (facts) => {
      set(trayState(facts), trayEntries(facts));
    },
    remove: () => {
      tray.destroy();
    },
  };
}

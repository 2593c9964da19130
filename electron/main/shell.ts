/**
 * What a person sees of the app: windows, tray, notifications, and the bridge between them and the desk. Job:
 * carry what happens from one to the other. It must not decide anything about a run or an approval.
 */
import { app, clipboard, dialog, Menu, nativeTheme } from 'electron';
import { REQUESTS, type AnswerOf, type EventOf } from '../../shared/bridge/channels.js';
import type { RunSummary, Settings } from '../../shared/bridge/views.js';
import type { Result } from '../../shared/result.js';
import type { Desk } from '../core/desk/ports.js';
import { serveBridge, type Handlers } from './bridge.js';
import type { Faults } from './faults.js';
import type { AppFolder } from './folder.js';
import { createNotices } from './notices.js';
import { createQuit } from './quit.js';
import type { Services } from './services.js';
import type { AppTray } from './tray.js';
import { findTrayHost } from './tray-host.js';
import type { TrayAct, TrayFacts } from './tray-menu.js';
import { createWindows, type Windows } from './windows.js';

export interface ShellInput {
  readonly folder: AppFolder;
  readonly faults: Faults;
  /** Null where there is a tray, else why not. */
  readonly tray: Promise<string | null>;
  /** The icon, where it may be seen; what is clicked waits until all is open. */
  readonly icon: AppTray | null;
  readonly services: Promise<Result<Services, string>>;
}

/** Starts without the window, where a tray exists; for a start at login. */
const IN_TRAY = 'in-tray';
/** Exit code for a state folder that cannot be used. */
const ENVIRONMENT = 4;
/** How long changes are collected before the tray is drawn anew, in milliseconds. */
const TRAY_MS = 100;
const MOST_LAST = 5;

/** Opens the window or the tray, as it fits. Called once, when Electron is ready. */
export async function openShell({ folder, faults, tray, icon: early, services }: ShellInput): Promise<void> {
  setMenu();
  const started = services.then((opened) => (opened.ok ? opened.value : refuse(opened.error, faults)));
  const desk = started.then((value) => value.desk);
  desk.catch(() => undefined);
  let quit: { readonly byPerson: () => Promise<boolean> } | null = null;
  const windows = createWindows({
    ...{ folder, faults },
    dismissed: (id) => void desk.then((value) => value.dismissPrompt(id)),
    mayClose: async () => {
      const [settings, gone] = await Promise.all([
        desk.then((value) => value.handlers['settings.get'](null)),
        // A panel may have ended since; an app without window and tray could not be found again.
        tray.then((before) => before ?? findTrayHost()),
      ]);
      if (settings.closeToTray && gone === null) return true;
      await quit?.byPerson();
      return false;
    },
  });
  const looks: Looks = { seen: new Set(), changed: () => undefined };
  const looked = (id: string) => {
    looks.seen.add(id);
    looks.changed();
  };
  serveBridge({
    handlers: handlersOf(desk, windows, looked),
    placeOf: windows.placeOf,
    isGone: windows.isGone,
    faults,
  });
  app.on('second-instance', () => void windows.showMain());
  app.on('activate', () => void windows.showMain());

  const noTray = await tray;
  if (noTray !== null) early?.remove();
  const icon = noTray === null ? early : null;
  const wantsWindow = noTray !== null || !app.commandLine.hasSwitch(IN_TRAY);
  // It is filled while the core opens; its questions wait.
  if (wantsWindow) await windows.showMain();
  const { close } = await started;
  const open = await desk;
  const end = async () => {
    await close();
    await windows.letGo();
  };
  quit = createQuit({ live: open.live, end, parent: windows.visibleMain, faults });
  const act = await connect({ desk: open, windows, quit, faults, icon, looks });
  icon?.onAct(act);
}

interface Parts {
  readonly desk: Desk;
  readonly windows: Windows;
  readonly quit: { readonly byPerson: () => Promise<boolean> };
  readonly faults: Faults;
  /** Null where there is no tray. */
  readonly icon: AppTray | null;
  readonly looks: Looks;
}

/** Runs that a person has looked at, and who wants to know of it. */
interface Looks {
  readonly seen: Set<string>;
  changed: () => void;
}

/** Carries what the desk tells to windows, tray and notifications; answers what a click in the tray does. */
async function connect({ desk, windows, quit, faults, icon, looks }: Parts): Promise<(what: TrayAct) => void> {
  let settings = await desk.handlers['settings.get'](null);
  applyTheme(settings);
  const toRun = (id: string) => void windows.showMain({ to: 'run', id });
  const notices = createNotices({ toPrompt: windows.focusPrompt, toRun });
  const red = new Set<string>();
  const done = new Set<string>();
  let last: readonly RunSummary[] = [];
  const facts = (): TrayFacts => ({
    ...{ live: desk.live(), prompts: desk.prompts(), last },
    red: new Set([...red].filter((id) => !looks.seen.has(id))),
  });
  const act = (what: TrayAct) => {
    if (what.act === 'open') void windows.showMain(what.to ?? undefined);
    else if (what.act === 'prompt') windows.focusPrompt(what.id);
    else if (what.act === 'stop') void desk.handlers['runs.stop']({ runId: what.id });
    else void quit.byPerson();
  };
  const redraw = async () => {
    const runs = await desk.handlers['runs.list']({ limit: MOST_LAST + desk.live().length });
    last = runs.filter((run) => run.phase === 'done').slice(0, MOST_LAST);
    icon?.show(facts());
  };
  let timer: NodeJS.Timeout | null = null;
  const draw = () => {
    timer ??= setTimeout(() => {
      timer = null;
      redraw().catch((error: unknown) => {
        faults.note(`the tray could not be drawn: ${String(error)}`);
      });
    }, TRAY_MS);
  };

  looks.changed = draw;

  const waiting = new Set<string>();
  const showPrompts = (prompts: EventOf<'prompts.changed'>) => {
    windows.showPrompts(prompts.map((prompt) => prompt.id));
    app.setBadgeCount(prompts.length);
    for (const id of [...waiting]) {
      if (prompts.some((prompt) => prompt.id === id)) continue;
      waiting.delete(id);
      notices.promptGone(id);
    }
    for (const prompt of prompts) {
      if (waiting.has(prompt.id)) continue;
      waiting.add(prompt.id);
      if (settings.notifications && !windows.hasFocus()) notices.prompt(prompt);
    }
    draw();
  };
  desk.on('prompts.changed', (prompts) => {
    windows.tell('prompts.changed', prompts);
    showPrompts(prompts);
  });
  desk.on('runs.changed', (run) => {
    windows.tell('runs.changed', run);
    draw();
    if (run.phase !== 'done' || done.has(run.id) || !run.own) return;
    done.add(run.id);
    if (run.colour === 'red') red.add(run.id);
    if (settings.notifications && !windows.hasFocus()) notices.ended(run);
  });
  desk.on('runs.events', (event) => {
    windows.tell('runs.events', event);
  });
  desk.on('settings.changed', (changed) => {
    settings = changed;
    applyTheme(changed);
    windows.tell('settings.changed', changed);
  });
  showPrompts([...desk.prompts()]);
  icon?.show(facts());
  void desk.started.then(draw);
  return act;
}

/** The desk's handlers, which wait until it is open, and those that only Electron can answer. */
function handlersOf(desk: Promise<Desk>, windows: Windows, looked: (runId: string) => void): Handlers {
  const pick = async (): Promise<AnswerOf<'workspaces.pick'>> => {
    const options = {
      title: 'Choose the workspace',
      buttonLabel: 'Use this folder',
      properties: ['openDirectory' as const, 'createDirectory' as const],
    };
    const parent = windows.visibleMain();
    const chosen = await (parent === null ? dialog.showOpenDialog(options) : dialog.showOpenDialog(parent, options));
    const [path] = chosen.filePaths;
    return chosen.canceled || path === undefined ? null : (await desk).offerWorkspace(path);
  };
  const own: Partial<Handlers> = {
    'workspaces.pick': pick,
    'clipboard.write': async ({ text }) => {
      // Newer versions of Electron answer when it is done.
      await clipboard.writeText(text);
      return { ok: true };
    },
    'runs.show': async (request) => {
      looked(request.runId);
      return (await desk).handlers['runs.show'](request);
    },
  };
  const viaDesk = (name: keyof Desk['handlers']) => async (request: never) => (await desk).handlers[name](request);
  const names = Object.keys(REQUESTS) as (keyof Desk['handlers'])[];
  return Object.fromEntries(names.map((name) => [name, own[name] ?? viaDesk(name)])) as unknown as Handlers;
}

function applyTheme({ theme }: Settings): void {
  nativeTheme.themeSource = theme;
}

/** Only macOS needs a menu, for the keys that edit text; nowhere one that reloads a page or opens tools. */
function setMenu(): void {
  if (process.platform !== 'darwin') {
    Menu.setApplicationMenu(null);
    return;
  }
  Menu.setApplicationMenu(Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }]));
}

/** A state folder that cannot be used: said where it can be read, and nothing was started. */
function refuse(text: string, faults: Faults): never {
  faults.note(text);
  dialog.showErrorBox('Sallyport cannot start', text);
  app.exit(ENVIRONMENT);
  throw new Error(text);
}

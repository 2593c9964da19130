/**
 * The windows: one main window, and a small one for each thing that waits. Job: open, show and close them, and
 * know which page is whose. A prompt never takes the keyboard away; a prompt's window that is closed or breaks
 * is a no. It must not know what a prompt is about.
 */
import { fileURLToPath } from 'node:url';
import { app, BrowserWindow, nativeTheme, screen, type WebContents } from 'electron';
import type { EventName, EventOf } from '../../shared/bridge/channels.js';
import { placeArgument } from '../../shared/bridge/wire.js';
import { tellPage, type Place } from './bridge.js';
import type { Faults } from './faults.js';
import type { AppFolder } from './folder.js';
import { appIcon } from './icons.js';
import { PAGE } from './scheme.js';
import { openWindowPlaces } from './window-place.js';

export interface WindowsInput {
  readonly folder: AppFolder;
  readonly faults: Faults;
  /** The window of this prompt was closed without an answer, or broke. */
  readonly dismissed: (promptId: string) => void;
  /** A person closes the main window. True lets it go. */
  readonly mayClose: () => Promise<boolean>;
}

export interface Windows {
  readonly placeOf: (contents: WebContents) => Place | null;
  /** Whether it belonged to a window of ours that was closed. */
  readonly isGone: (contents: WebContents) => boolean;
  /** Opens the main window, or brings it to the front. */
  readonly showMain: (to?: EventOf<'navigate'>) => Promise<void>;
  /** The main window, where there is one that can be seen. */
  readonly visibleMain: () => BrowserWindow | null;
  /** Whether a person has a window of ours before them. */
  readonly hasFocus: () => boolean;
  /** These prompts wait, oldest first: windows for the first few, none for any other. */
  readonly showPrompts: (ids: readonly string[]) => void;
  /** Brings a prompt's window to the front; where it has none, its place in the main window. */
  readonly focusPrompt: (id: string) => void;
  /** The app ends: windows close without a question. Settles when their place was kept. */
  readonly letGo: () => Promise<void>;
  readonly tell: <N extends EventName>(name: N, event: EventOf<N>) => void;
}

/** Most prompt windows at once; the others wait in the tray and on the page of approvals. */
const MOST_PROMPTS = 4;
const PROMPT_SIZE = { width: 620, height: 640 };
/** Milliseconds within which a second break of the page is no accident. */
const BROKE_AGAIN_MS = 10_000;
/** Pixels by which each further prompt is put aside, so that none hides another. */
const STEP = 36;

export function createWindows({ folder, faults, dismissed, mayClose }: WindowsInput): Windows {
  const places = openWindowPlaces(folder.appDir, faults);
  const known = new Map<WebContents, Place>();
  const gone = new WeakSet<WebContents>();
  const prompts = new Map<string, BrowserWindow>();
  let main: BrowserWindow | null = null;
  let opening: Promise<BrowserWindow> | null = null;
  let ending = false;
  let brokeAt = 0;

  const know = (window: BrowserWindow, place: Place) => {
    const { webContents } = window;
    known.set(webContents, place);
    window.on('closed', () => {
      known.delete(webContents);
      gone.add(webContents);
    });
  };
  const load = (window: BrowserWindow): Promise<void> =>
    window.loadURL(PAGE).catch((error: unknown) => {
      // A window that was closed while it was loading has nothing to say.
      if (!window.isDestroyed()) faults.note(`a window could not be filled: ${String(error)}`);
    });

  const openMain = async (): Promise<BrowserWindow> => {
    const { maximized, x, y, width, height } = await places.get();
    const window = new BrowserWindow({
      ...look({ window: 'main' }),
      ...(x === null || y === null ? {} : { x, y }),
      ...{ width, height, minWidth: 640, minHeight: 420 },
    });
    main = window;
    know(window, { window: 'main' });
    if (maximized) window.maximize();
    let letGo = false;
    window.on('close', (event) => {
      if (ending) return;
      void places.keep(window);
      if (letGo) return;
      event.preventDefault();
      mayClose().then(
        (may) => {
          letGo = may;
          if (may) window.close();
        },
        (error: unknown) => faults.note(`the window could not be closed: ${String(error)}`),
      );
    });
    window.on('closed', () => {
      main = null;
    });
    window.webContents.on('render-process-gone', (_, { reason }) => {
      if (ending) return;
      faults.note(`the page of the main window ended (${reason}); runs go on, and the window is opened anew`);
      letGo = true;
      window.destroy();
      // An app that nobody can find would keep agents running unseen; one that breaks at once is left closed.
      const again = Date.now() - brokeAt > BROKE_AGAIN_MS;
      brokeAt = Date.now();
      if (again) void showMain();
    });
    await load(window);
    return window;
  };

  const openPrompt = (id: string) => {
    const place = { window: 'prompt', promptId: id } as const;
    const window = new BrowserWindow({
      ...look(place),
      ...promptBounds(prompts.size),
      ...{ minWidth: 420, minHeight: 320, maximizable: false, fullscreenable: false },
    });
    prompts.set(id, window);
    know(window, place);
    const gone = () => {
      // Removed before when it was closed because nothing waits any more.
      if (prompts.get(id) !== window) return;
      prompts.delete(id);
      dismissed(id);
    };
    window.on('closed', gone);
    window.webContents.on('render-process-gone', (_, { reason }) => {
      faults.note(`the page of a prompt ended (${reason}); no answer is a no`);
      window.destroy();
    });
    // Shown beside what the person is doing, never in the way of what is being typed.
    window.once('ready-to-show', () => {
      window.showInactive();
      window.flashFrame(true);
    });
    void load(window);
  };

  const showMain: Windows['showMain'] = async (to) => {
    opening ??= main === null ? openMain() : Promise.resolve(main);
    const window = await opening.finally(() => (opening = null));
    if (window.isDestroyed()) return;
    toFront(window);
    if (to !== undefined) tellPage(window.webContents, 'navigate', to, faults);
  };

  return {
    placeOf: (contents) => known.get(contents) ?? null,
    isGone: (contents) => gone.has(contents),
    showMain,
    visibleMain: () => (main !== null && main.isVisible() ? main : null),
    hasFocus: () => BrowserWindow.getFocusedWindow() !== null,
    showPrompts: (ids) => {
      const wanted = new Set(ids.slice(0, MOST_PROMPTS));
      for (const [id, window] of [...prompts]) {
        if (ids.includes(id)) continue;
        prompts.delete(id);
        window.destroy();
      }
      for (const id of wanted) if (!prompts.has(id) && prompts.size < MOST_PROMPTS) openPrompt(id);
    },
    focusPrompt: (id) => {
      const window = prompts.get(id);
      if (window === undefined) void showMain({ to: 'approvals', id });
      else toFront(window);
    },
    letGo: async () => {
      ending = true;
      if (main !== null && !main.isDestroyed()) await places.keep(main);
    },
    tell: (name, event) => {
      for (const [contents, place] of known) {
        // What belongs to a page that a prompt does not have would only cost its time.
        if (place.window === 'main' || name !== 'runs.events') tellPage(contents, name, event, faults);
      }
    },
  };
}

function toFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** What every window is: sandboxed, apart from Node, without a menu, and told only its place. */
function look(place: Place): Electron.BrowserWindowConstructorOptions {
  return {
    title: 'Sallyport',
    show: false,
    icon: appIcon(),
    autoHideMenuBar: true,
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#1e1e1e' : '#ffffff',
    webPreferences: {
      preload: fileURLToPath(new URL('../preload/preload.cjs', import.meta.url)),
      additionalArguments: [placeArgument(place)],
      ...{ sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false },
      ...{ spellcheck: false, navigateOnDragDrop: false, devTools: !app.isPackaged },
    },
  };
}

/** At the right edge of the screen on which the person is, each a step below the last. */
function promptBounds(open: number): Electron.Rectangle {
  const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint());
  const width = Math.min(PROMPT_SIZE.width, workArea.width);
  const height = Math.min(PROMPT_SIZE.height, workArea.height);
  const aside = STEP * open;
  return {
    x: Math.max(workArea.x, workArea.x + workArea.width - width - STEP - aside),
    y: Math.min(workArea.y + STEP + aside, workArea.y + workArea.height - height),
    ...{ width, height },
  };
}

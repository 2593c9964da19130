/**
 * What no page may do, whatever it holds. Job: deny navigation, new windows, permissions, downloads and the
 * network, for every page of the app. It must not make exceptions but the app's own scheme.
 */
import { app, session } from 'electron';
import { isOwnUrl } from './scheme.js';

/** Switches by which another program could look into pages, and press Approve in them. */
const DEBUGGING = ['remote-debugging-port', 'remote-debugging-pipe'];

/** A switch that the packaged app refuses to start with; null when there is none. */
export function refusedSwitch(): string | null {
  if (!app.isPackaged) return null;
  return DEBUGGING.find((name) => app.commandLine.hasSwitch(name)) ?? null;
}

/** Before Electron is ready. */
export function lockDownApp(): void {
  // As root Chromium only starts without its sandbox, and then this call would leave its services with half of one.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  // Chromium itself has nobody to talk to: no page is loaded from a network, and nothing is updated by it.
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND');
  app.commandLine.appendSwitch('disable-background-networking');
  app.commandLine.appendSwitch('disable-component-update');
  app.on('web-contents-created', (_, contents) => {
    const prevent = (event: { readonly preventDefault: () => void }) => {
      event.preventDefault();
    };
    contents.on('will-navigate', prevent);
    contents.on('will-frame-navigate', prevent);
    contents.on('will-redirect', prevent);
    contents.on('will-attach-webview', prevent);
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    // The one way out that requests of the session do not see.
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
  });
}

/** After Electron is ready, before the first page. */
export function lockDownSession(): void {
  const { defaultSession } = session;
  // Electron grants what nobody denies.
  defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => {
    answer(false);
  });
  defaultSession.setPermissionCheckHandler(() => false);
  defaultSession.setDevicePermissionHandler(() => false);
  defaultSession.webRequest.onBeforeRequest((request, answer) => {
    answer({ cancel: !isOwnUrl(request.url) });
  });
  defaultSession.on('will-download', (event) => {
    event.preventDefault();
  });
  defaultSession.setSpellCheckerEnabled(false);
}

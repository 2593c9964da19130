/** Where a window's page begins. Job: see which window this is, draw it, and say so when that breaks. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './app/base.css';
import { App } from './app/app.js';
import { Broken } from './app/broken.js';
import { useTheme } from './app/theme.js';
import { place } from './bridge.js';
import { PromptWindow } from './pages/prompt/prompt-window.js';
import { startWindow } from './state/actions.js';

function Window() {
  useTheme();
  if (place === null) return <Broken text="This page was not opened by Sallyport, so it has nothing to show." />;
  return place.window === 'main' ? <App /> : <PromptWindow promptId={place.promptId} />;
}

/** A page that broke must not look like one that has nothing to say. */
function showBroken(error: unknown): void {
  reportError(error);
  const said = error instanceof Error ? error.message : String(error);
  const room = document.createElement('div');
  document.body.replaceChildren(room);
  createRoot(room).render(
    <Broken
      text={`This window broke (${said}). Runs and the gate go on without it; what waits for you is denied when its time is over. Close the window and open it again.`}
    />,
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
if (place !== null) startWindow();
createRoot(root, { onUncaughtError: showBroken }).render(
  <StrictMode>
    <Window />
  </StrictMode>,
);

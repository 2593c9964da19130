/**
 * Notifications of the desktop. Job: say that something waits or has ended, and lead to it. It must not show what
 * an agent wrote: a notification may be read by anybody before the screen.
 */
import { basename } from 'node:path';
import { Notification } from 'electron';
import type { PromptView, RunSummary } from '../../shared/bridge/views.js';
import { visibleText } from '../../shared/visible-text.js';

export interface Notices {
  readonly prompt: (prompt: PromptView) => void;
  /** It was answered or withdrawn. */
  readonly promptGone: (id: string) => void;
  readonly ended: (run: RunSummary) => void;
}

export interface NoticesInput {
  readonly toPrompt: (id: string) => void;
  readonly toRun: (id: string) => void;
}

export function createNotices({ toPrompt, toRun }: NoticesInput): Notices {
  // Kept while they are shown: one that is collected hears no click.
  const shown = new Map<string, Notification>();
  const show = (id: string, title: string, body: string, clicked: () => void) => {
    if (!Notification.isSupported()) return;
    const notice = new Notification({ title, body: plain(body), silent: true });
    shown.set(id, notice);
    notice.on('click', clicked);
    notice.on('close', () => shown.delete(id));
    notice.show();
  };
  return {
    prompt: (prompt) => {
      const clicked = () => {
        toPrompt(prompt.id);
      };
      if (prompt.kind === 'trust') {
        show(prompt.id, 'May this run?', `${prompt.subject.title} waits for your approval.`, clicked);
      } else {
        const where = basename(prompt.workspace);
        show(prompt.id, 'An agent asks you', `${prompt.agent} in ${where} wants to use ${prompt.toolName}.`, clicked);
      }
    },
    promptGone: (id) => {
      shown.get(id)?.close();
      shown.delete(id);
    },
    ended: (run) => {
      const body = `${run.agent} in ${basename(run.workspace)}: ${(run.outcome ?? run.phase).replaceAll('_', ' ')}.`;
      show(run.id, `A run has ended ${run.colour}`, body, () => {
        toRun(run.id);
      });
    },
  };
}

/** Desktops read marks of HTML in a notification's text. */
function plain(text: string): string {
  return visibleText(text)
    .text.slice(0, 200)
    .replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;' })[sign] ?? '&gt;');
}

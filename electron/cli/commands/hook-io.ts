/** What the hook commands have in common: where they write, and how they name faults. They decide nothing. */
import type { DocumentFault } from '../../core/registry/document.js';
import type { ResolvedHook } from '../../../shared/policy/resolve-hook.js';
import { visibleText } from '../../../shared/visible-text.js';

export interface HookCommandIo {
  /** Absolute path of the state folder. */
  readonly stateDir: string;
  /** Null: the global hooks only. */
  readonly profile: string | null;
  /** One JSON object instead of lines for people. */
  readonly json: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Exit codes of 07: 0 fine, 1 the answer is no, 2 usage, 4 environment. */
export const EXIT = { fine: 0, no: 1, usage: 2, environment: 4 } as const;

/** `file:line:column: path: message`, as editors and terminals link it. */
export function formatFault(fault: DocumentFault): string {
  const place = `${visibleText(fault.file).text}:${fault.line}:${fault.column}`;
  const path = fault.path === '' ? '' : `${visibleText(fault.path).text}: `;
  return `${place}: ${path}${fault.message}\n`;
}

/** What a hook runs, one token after the other; a token that a shell would split is quoted. */
export function summariseHandler(hook: ResolvedHook): string {
  const { handler } = hook;
  if (handler.kind === 'builtin') return `builtin ${handler.builtin}`;
  return `command ${handler.argv.map(showToken).join(' ')}`;
}

function showToken(token: string): string {
  const { text, flags } = visibleText(token);
  const shown = /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text).replaceAll('\\\\u{', '\\u{');
  return flags.includes('look-alike') ? `${shown} (look-alike letters!)` : shown;
}

import type { AppInfo } from '../../../shared/bridge/views.js';
import type { ReceiptChecks } from '../receipts/checks.js';

/** How the chain of receipts stood when it was last looked at. */
export interface FollowedChain {
  readonly look: ReceiptChecks['chain'];
  readonly view: () => AppInfo['receipts'];
}

/** Looks at the chain when it is told to, and remembers what it saw, so that nothing waits for a keychain to show it. */
export function followChain(checks: Pick<ReceiptChecks, 'chain'>, onFault: (text: string) => void): FollowedChain {
  let view: AppInfo['receipts'] = { state: 'checking', text: '' };
  return {
    view: () => view,
    look: async () => {
      try {
        const seen = await checks.chain();
        view = viewOf(seen);
        return seen;
      } catch (error) {
        const text = `the receipts could not be checked: ${error instanceof Error ? error.message : String(error)}`;
        view = { state: 'unchecked', text };
        onFault(text);
        return { ok: false, error: text };
      }
    },
  };
}

function viewOf(seen: Awaited<ReturnType<ReceiptChecks['chain']>>): AppInfo['receipts'] {
  if (seen === null) return { state: 'whole', text: '' };
  if (!seen.ok) return { state: 'unchecked', text: seen.error };
  const bad = seen.value.lines.filter((line) => line.state === 'bad').map((line) => line.text);
  return bad.length === 0 ? { state: 'whole', text: '' } : { state: 'faulty', text: bad.join('; ') };
}

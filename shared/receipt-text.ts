import type { RunReceipt } from './contracts/receipt.js';

/** How a run's receipt stands, in words; the same in command and window. */
export function receiptText({ state, why, sequence, digest }: RunReceipt): string {
  switch (state) {
    case 'signed':
      return `signed receipt, number ${sequence ?? '?'}, ${digest ?? ''}`;
    case 'unsigned':
      return `the receipt is not signed, so nothing vouches for it: ${why ?? 'no reason was kept'}`;
    case 'failed':
      return `the receipt could not be made: ${why ?? 'no reason was kept'}`;
    case 'none':
      return 'there is no receipt';
  }
}

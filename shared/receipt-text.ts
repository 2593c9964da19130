import type { RunReceipt } from './contracts/receipt.js';

/** How a run's receipt stands, in words; the same in command and window. */
export function receiptText({ state, why, sequence, digest }: RunReceipt): string {
  // It becomes a part of sentences.
  const because = why?.replace(/\.$/, '') ?? 'no reason was kept';
  switch (state) {
    case 'signed':
      return `signed receipt, number ${sequence ?? '?'}, ${digest ?? ''}${why === null ? '' : `, but ${because}`}`;
    case 'unsigned':
      return `the receipt is not signed, so nothing vouches for it: ${because}`;
    case 'failed':
      return `the receipt could not be made: ${because}`;
    case 'none':
      return 'there is no receipt';
  }
}

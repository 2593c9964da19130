import { InvalidArgumentError, type Command } from 'commander';
import { parseHead, type ChainHead } from '../../core/receipts/receipt-keys.js';
import type { Act } from '../context.js';
import { receiptExportKey } from './receipt-key.js';
import { receiptList, receiptShow } from './receipt-show.js';
import { receiptVerify, type VerifyOptions } from './receipt-verify.js';

const VERIFY_HELP = `
Without a run or file it checks the whole chain. It needs no network; with --key it needs no keychain either, but
then whether receipts are missing at the end is checked only against --head (sallyport receipt list names it).`;

/** `sallyport receipt …` */
export function addReceiptCommands(program: Command, act: Act): void {
  const receipt = program.command('receipt').description('what was signed when a run had ended');
  receipt
    .command('list')
    .description('the chain of receipts, newest first')
    .option('--limit <n>', 'how many', '20')
    .option('--json', 'one JSON document instead of text')
    .action(async (options: { limit: string }, command: Command) => {
      await act(command, (context) => receiptList(context, options));
    });
  receipt
    .command('show <run>')
    .description("what a run's receipt says; the beginning of its id is enough")
    .option('--json', 'one JSON document instead of text')
    .action(async (run: string, _options: object, command: Command) => {
      await act(command, (context) => receiptShow(context, run));
    });
  receipt
    .command('verify [run-or-file]')
    .description("signature, chain and the artifacts' digests; exit code 0 or 1, 4 where there is no key to check with")
    .option('--chain', 'the whole chain')
    .option('--key <pem>', 'a public key in PEM form, instead of the keychain')
    .option('--head <n:digest>', 'how many receipts there are and the digest of the last one', readHeadOption)
    .option('--json', 'one JSON document instead of text')
    .addHelpText('after', VERIFY_HELP)
    .action(async (what: string | undefined, options: VerifyOptions, command: Command) => {
      await act(command, (context) => receiptVerify(context, what ?? null, options));
    });
  receipt
    .command('export-key')
    .description('the public key of the receipts, in PEM form')
    .option('--json', 'one JSON document instead of text')
    .action(async (_options: object, command: Command) => {
      await act(command, receiptExportKey);
    });
}

function readHeadOption(text: string): ChainHead {
  const head = parseHead(text);
  if (head === null) throw new InvalidArgumentError('It is N:sha256:HEX, as sallyport receipt list shows it.');
  return head;
}

import { join } from 'node:path';
import { CHAIN_END_PREDICATE } from '../../../shared/contracts/receipt-statement.js';
import { visibleText } from '../../../shared/visible-text.js';
import { CHAIN_FILE, readChainLines, readEntry, type ChainEntry } from '../../core/receipts/chain-file.js';
import { envelopeDigest, readEnvelope } from '../../core/receipts/dsse.js';
import { readPlainFile } from '../../core/receipts/plain-file.js';
import { RECEIPT_FILE } from '../../core/receipts/receipts.js';
import { runFolder } from '../../core/store/run-folder.js';
import { EXIT, stateOf, type CommandContext } from '../context.js';
import { findRunId, readLimit } from './runs-find.js';
import { safeLines, tableText } from './runs-text.js';

/** `sallyport receipt list`: the chain, newest first. Nothing is checked. Exit code 0, 2 for a wrong limit, 4 without a state folder. */
export async function receiptList(context: CommandContext, options: { readonly limit: string }): Promise<number> {
  const limit = readLimit(options.limit);
  if (!limit.ok) {
    context.err(`sallyport: ${limit.error}.\n`);
    return EXIT.usage;
  }
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const lines = await readChainLines(join(state.value.dir, CHAIN_FILE));
  const entries = lines.map(readEntry);
  const damaged = entries.filter((entry) => entry === null).length;
  const newest = entries.flatMap((entry) => (entry === null ? [] : [rowOf(entry)])).toReversed();
  const shown = newest.slice(0, limit.value);
  const head = newest[0] === undefined ? null : `${newest[0].sequence}:${newest[0].digest}`;
  if (context.json) {
    context.out(`${JSON.stringify({ schema_version: 1, head, damaged_lines: damaged, receipts: shown }, null, 2)}\n`);
    return EXIT.fine;
  }
  if (shown.length === 0) context.out('no signed receipt yet\n');
  else {
    const rows = shown.map(({ sequence, run, outcome, ended, digest }) => [
      ...[String(sequence), run ?? 'end of the chain', outcome ?? '', ended ?? '', digest],
    ]);
    context.out(tableText([['NUMBER', 'RUN', 'OUTCOME', 'ENDED', 'DIGEST'], ...rows]));
    context.out(`head  ${head ?? ''}\n`);
  }
  if (damaged > 0) context.err(`note     ${damaged} line(s) are no receipts; see: sallyport receipt verify --chain\n`);
  return EXIT.fine;
}

interface Row {
  readonly sequence: number;
  readonly run: string | null;
  readonly outcome: string | null;
  readonly ended: string | null;
  readonly digest: string;
}

function rowOf({ sequence, digest, statement }: ChainEntry): Row {
  if (statement.predicateType === CHAIN_END_PREDICATE)
    return { sequence, run: null, outcome: statement.predicate.reason, ended: statement.predicate.at, digest };
  const { runId, outcome, times } = statement.predicate;
  return { sequence, run: visibleText(runId).text, outcome, ended: visibleText(times.ended ?? '').text, digest };
}

/** `sallyport receipt show RUN`: what it says; nothing is checked. Exit code 0, 1 where there is none. */
export async function receiptShow(context: CommandContext, typed: string): Promise<number> {
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const no = (text: string) => {
    context.err(`sallyport: ${visibleText(text).text}\n`);
    return EXIT.no;
  };
  const id = await findRunId(state.value, typed);
  if (!id.ok) return no(id.error);
  const file = join(runFolder(state.value, id.value), RECEIPT_FILE);
  const text = await readPlainFile(file).catch(() => null);
  if (text === null) {
    return no(`run ${id.value} has no receipt (${file}); sallyport receipt verify ${id.value} says more`);
  }
  const read = readEnvelope(text);
  if (!read.ok) return no(`${file}: ${read.error}`);
  const { envelope, statement } = read.value;
  const digest = envelopeDigest(Buffer.from(text, 'utf8'));
  const keys = envelope.signatures.map((one) => one.keyid);
  if (context.json) {
    context.out(`${JSON.stringify({ schema_version: 1, file, digest, signed_by: keys, statement }, null, 2)}\n`);
    return EXIT.fine;
  }
  const signed = keys.length === 0 ? 'NOT SIGNED: nothing vouches for it' : `signed by key ${keys.join(', ')}`;
  context.out(`${visibleText(signed).text}\n${digest}\n${file}\n`);
  for (const line of safeLines(JSON.stringify(statement, null, 2))) context.out(`${line}\n`);
  context.out(`Shown, not checked. To check it: sallyport receipt verify ${id.value}\n`);
  return EXIT.fine;
}

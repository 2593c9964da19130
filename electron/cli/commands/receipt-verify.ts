import { readFileSync, statSync } from 'node:fs';
import { fail, ok, type Result } from '../../../shared/result.js';
import { visibleText } from '../../../shared/visible-text.js';
import { publicKeyFromPem, type ChainHead } from '../../core/receipts/receipt-keys.js';
import {
  keyFromKeychain,
  verifyChain,
  verifyFile,
  verifyRun,
  type CheckKey,
  type Verdict,
} from '../../core/receipts/verify.js';
import type { StateFolder } from '../../core/store/layout.js';
import { openKeychain } from '../approval-store.js';
import { EXIT, stateOf, type CommandContext } from '../context.js';
import { findRunId } from './runs-find.js';

export interface VerifyOptions {
  readonly chain?: boolean;
  readonly key?: string;
  readonly head?: ChainHead;
}

interface Refused {
  readonly exit: number;
  readonly text: string;
}

/** `sallyport receipt verify`: exit code 0 when all holds, 1 when not, 2 for wrong arguments, 4 where there is no key to check with. */
export async function receiptVerify(
  context: CommandContext,
  what: string | null,
  options: VerifyOptions,
): Promise<number> {
  const refused = ({ exit, text }: Refused) => {
    context.err(`sallyport: ${text}\n`);
    return exit;
  };
  if (what !== null && options.chain === true)
    return refused({ exit: EXIT.usage, text: 'give a run, a file or --chain, not both' });
  // A file is checked with a key alone; no state folder is opened for that.
  const file = what !== null && isFile(what) ? what : null;
  if (file !== null && options.key !== undefined) {
    const key = keyFromFile(options.key, options.head ?? null);
    if (!key.ok) return refused(key.error);
    return showFile(context, file, await verifyFile(file, key.value));
  }
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const key = await keyFor(context, state.value, options);
  if (file !== null) {
    const seen = await verifyFile(file, key.ok ? key.value : null);
    return !key.ok && seen.ok && seen.value.keyMissing ? refused(key.error) : showFile(context, file, seen);
  }
  if (what === null) {
    if (!key.ok) return refused(key.error);
    return show(context, 'chain', await verifyChain(state.value, key.value));
  }
  const id = await findRunId(state.value, what);
  if (!id.ok) return refused({ exit: EXIT.no, text: id.error });
  const seen = await verifyRun(state.value, id.value, key.ok ? key.value : null);
  // What is wrong without any key is said; that there is no key is another answer than "it does not hold".
  if (!key.ok && seen.keyMissing) return refused(key.error);
  return show(context, id.value, seen);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function keyFromFile(path: string, head: ChainHead | null): Result<CheckKey, Refused> {
  const name = visibleText(path).text;
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    const text = `the key ${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return fail({ exit: EXIT.environment, text });
  }
  const key = publicKeyFromPem(pem);
  if (!key.ok) return fail({ exit: EXIT.environment, text: `${name}: ${key.error}` });
  return ok({ publicKey: key.value, head });
}

async function keyFor(
  context: CommandContext,
  state: StateFolder,
  options: VerifyOptions,
): Promise<Result<CheckKey, Refused>> {
  if (options.key !== undefined) return keyFromFile(options.key, options.head ?? null);
  const keychain = openKeychain(context, state);
  try {
    const key = await keyFromKeychain(keychain);
    if (key.ok) return ok(options.head === undefined ? key.value : { ...key.value, head: options.head });
    const text = `there is no key to check with. ${key.error} With a key that was exported before: --key PEM`;
    return fail({ exit: EXIT.environment, text });
  } finally {
    await keychain.close();
  }
}

function showFile(context: CommandContext, file: string, seen: Result<Verdict, string>): number {
  if (seen.ok) return show(context, file, seen.value);
  context.err(`sallyport: ${visibleText(file).text} cannot be read: ${seen.error}\n`);
  return EXIT.environment;
}

const MARK = { good: 'ok', bad: 'BAD', note: 'note' } as const;

function show({ json, out }: CommandContext, what: string, { ok: holds, lines }: Verdict): number {
  const name = visibleText(what).text;
  if (json) out(`${JSON.stringify({ schema_version: 1, what, verified: holds, checks: lines }, null, 2)}\n`);
  else {
    for (const { state, text } of lines) out(`${MARK[state].padEnd(5)} ${visibleText(text).text}\n`);
    out(holds ? `${name}: verified\n` : `${name}: NOT verified\n`);
  }
  return holds ? EXIT.fine : EXIT.no;
}

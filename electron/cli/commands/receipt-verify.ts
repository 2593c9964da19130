import { readFileSync, statSync } from 'node:fs';
import { fail, ok, type Result } from '../../../shared/result.js';
import { visibleText } from '../../../shared/visible-text.js';
import { publicKeyFromPem, type ChainHead } from '../../core/receipts/receipt-keys.js';
import {
  keyFromKeychain,
  lookSteadily,
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
  const id = what === null || file !== null ? null : await findRunId(state.value, what);
  if (id?.ok === false) return refused({ exit: EXIT.no, text: id.error });
  const keys = keySource(context, state.value, options);
  try {
    let missing: Refused | null = null;
    const key = async () => {
      const found = await keys.get();
      missing = found.ok ? null : found.error;
      return found.ok ? found.value : null;
    };
    if (file !== null) {
      const seen = await verifyFile(file, await key());
      return seen.ok && seen.value.keyMissing && missing !== null ? refused(missing) : showFile(context, file, seen);
    }
    const runId = id === null ? null : id.value;
    const seen = await lookSteadily(state.value.dir, async () =>
      runId === null ? verifyChain(state.value, await key()) : verifyRun(state.value, runId, await key()),
    );
    // That there is no key is another answer than "it does not hold".
    return seen.keyMissing && missing !== null ? refused(missing) : show(context, runId ?? 'chain', seen);
  } finally {
    await keys.close();
  }
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

interface KeySource {
  /** Asked for each look: receipts may be made meanwhile. */
  readonly get: () => Promise<Result<CheckKey, Refused>>;
  readonly close: () => Promise<void>;
}

function keySource(context: CommandContext, state: StateFolder, options: VerifyOptions): KeySource {
  const { key: path, head } = options;
  if (path !== undefined) return { get: async () => keyFromFile(path, head ?? null), close: async () => undefined };
  const keychain = openKeychain(context, state);
  return {
    get: async () => {
      const key = await keyFromKeychain(keychain);
      if (key.ok) return ok(head === undefined ? key.value : { ...key.value, head });
      const text = `there is no key to check with. ${key.error} With a key that was exported before: --key PEM`;
      return fail({ exit: EXIT.environment, text });
    },
    close: () => keychain.close(),
  };
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

import { publicKeyPem } from '../../core/receipts/receipt-keys.js';
import { keyId } from '../../core/receipts/dsse.js';
import { keyFromKeychain } from '../../core/receipts/verify.js';
import { openKeychain } from '../approval-store.js';
import { EXIT, stateOf, type CommandContext } from '../context.js';

/** `sallyport receipt export-key`: the public key in PEM form. Exit code 0, 4 where the keychain gives none. */
export async function receiptExportKey(context: CommandContext): Promise<number> {
  const state = await stateOf(context);
  if (!state.ok) return state.error;
  const keychain = openKeychain(context, state.value);
  const key = await keyFromKeychain(keychain);
  await keychain.close();
  if (!key.ok) {
    context.err(`sallyport: there is no key to export. ${key.error}\n`);
    return EXIT.environment;
  }
  const { publicKey } = key.value;
  const pem = publicKeyPem(publicKey);
  context.out(
    context.json ? `${JSON.stringify({ schema_version: 1, pem, key_id: keyId(publicKey) }, null, 2)}\n` : pem,
  );
  return EXIT.fine;
}

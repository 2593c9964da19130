/**
 * Ids of ours: a prefix and 128 random bits in lower-case RFC 4648 base32 (26 characters).
 * Pure: the random bytes come from the caller's platform through Web Crypto, which Node,
 * Electron and the renderer all have.
 */
/** Web Crypto, the one platform object that Node, Electron and the renderer share; declared here because shared/ knows no platform's types. */
declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

export type IdPrefix = 'run' | 'hookevt' | 'trace' | 'exec' | 'ask' | 'state';

/** A fresh id such as `run_ab…`; never repeats in practice (128 random bits). */
export function newId(prefix: IdPrefix): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}_${base32(bytes)}`;
}

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((value >>> bits) & 31);
    }
  }
  if (bits > 0) text += ALPHABET.charAt((value << (5 - bits)) & 31);
  return text;
}

/** True for an id that `newId(prefix)` could have made; guards paths built from ids. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[a-z2-7]{26}$/.test(text.slice(prefix.length + 1));
}

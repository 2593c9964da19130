/**
 * Bytes to text, strictly. A byte order mark is refused rather than dropped, so that the bytes that
 * were hashed and the text that was parsed can never differ in meaning.
 */
import { fail, ok, type Result } from './result.js';

/** The one decoder that Node, Electron and the renderer share; declared here because shared/ knows no platform's types. */
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

/** The text of UTF-8 bytes; the error says in words what they are instead. */
export function decodeUtf8(bytes: Uint8Array): Result<string, string> {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return fail('begins with a byte order mark (BOM); save it as UTF-8 without BOM');
  }
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return fail('begins with a UTF-16 byte order mark; save it as UTF-8 without BOM');
  }
  try {
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) return fail('is not UTF-8; save it as UTF-8 without BOM');
    throw error;
  }
}

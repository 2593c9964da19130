/** The forms in which a value travels: as it is, and in the encodings that tools put around it. Pure; it searches nothing. */

/** Every form of a value that is looked for, as bytes, each once. */
export function formsOf(value: string): readonly Buffer[] {
  const forms = new Map<string, Buffer>();
  const add = (form: Buffer) => forms.set(form.toString('latin1'), form);
  // A value that was read from a file often has a line end that its users cut off.
  for (const text of new Set([value, value.trim()])) {
    if (text === '') continue;
    const bytes = Buffer.from(text, 'utf8');
    add(bytes);
    for (const form of textForms(text, bytes)) add(Buffer.from(form, 'utf8'));
  }
  return [...forms.values()];
}

function textForms(text: string, bytes: Buffer): string[] {
  return [...base64Forms(bytes), ...hexForms(bytes), ...percentForms(bytes), ...jsonForms(text)];
}

/**
 * A value inside a longer base64 text starts at one of three alignments. Only the characters that the
 * value alone decides are looked for; those at the ends also carry bits of its neighbours.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const first = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const own = encoded.slice(first, end);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function hexForms(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  return [hex, hex.toUpperCase()];
}

/** What may stay unescaped differs: all but the unreserved (RFC 3986), all but what `encodeURIComponent` leaves, `+` for a space, everything escaped. */
function percentForms(bytes: Buffer): string[] {
  const unreserved = percentEncode(bytes, /[A-Za-z0-9_.~-]/);
  const component = percentEncode(bytes, /[A-Za-z0-9_.~!*'()-]/);
  const form = percentEncode(bytes, /[A-Za-z0-9_.*-]/).replaceAll('%20', '+');
  const upper = [unreserved, component, form, percentEncode(bytes, /[^\s\S]/)];
  return [...upper, ...upper.map(lowerEscapes)];
}

function percentEncode(bytes: Buffer, plain: RegExp): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

function lowerEscapes(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

/** Escaped once and twice, by each of the writers that are common: as few escapes as allowed, `\/`, HTML-safe, and ASCII only. */
function jsonForms(text: string): string[] {
  const writers = [
    escapeJson,
    (once: string) => escapeJson(once).replaceAll('/', '\\/'),
    (once: string) => escapeJson(once).replaceAll(/[<>&\u2028\u2029]/g, unicodeEscape),
    (once: string) => escapeJson(once).replaceAll(/[^ -~]/g, unicodeEscape),
  ];
  return writers.flatMap((write) => [write(text), write(write(text))]);
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

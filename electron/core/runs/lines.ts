import { StringDecoder } from 'node:string_decoder';

/** Longest line that is taken as an event, in bytes; a longer one is handed on in pieces as unparsed. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

export interface LineSplitter {
  readonly push: (chunk: Uint8Array) => void;
  /** Hands on what is left without a line end. */
  readonly end: () => void;
}

/**
 * Cuts a byte stream into lines at LF only (U+2028 and its like are text), decoding UTF-8 across any
 * chunk border. `onLine` gets a line without its LF or CR LF; `whole` is false for pieces of a
 * line over the limit. Nothing is lost.
 */
export function splitLines(onLine: (line: string, whole: boolean) => void): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let size = 0;
  let overlong = false;

  const flush = (whole: boolean) => {
    const line = parts.join('');
    parts = [];
    size = 0;
    onLine(line.endsWith('\r') ? line.slice(0, -1) : line, whole && !overlong);
  };
  const take = (text: string) => {
    let start = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
      parts.push(text.slice(start, at));
      flush(true);
      overlong = false;
      start = at + 1;
    }
    if (start === text.length) return;
    const rest = text.slice(start);
    parts.push(rest);
    size += rest.length;
    if (size > MAX_LINE_BYTES) {
      overlong = true;
      flush(false);
    }
  };
  return {
    push: (chunk) => {
      take(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
    },
    end: () => {
      take(decoder.end());
      if (parts.length > 0) flush(true);
    },
  };
}

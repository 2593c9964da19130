/** Finds many byte strings in a stream in one pass and replaces them. It knows nothing of what they mean. */

/** The byte strings that are looked for. Growing is allowed while scanners are at work. */
export interface Needles {
  /** A byte string (2 bytes at least) and what stands in its place; the first replacement of equal strings counts. */
  readonly add: (bytes: Buffer, replacement: string) => void;
  /** Length of the longest, in bytes; 0 when there is none. */
  readonly longest: () => number;
  /** True when some needle begins with these two bytes. */
  readonly beginsWithPair: (first: number, second: number) => boolean;
  readonly beginsWith: (first: number) => boolean;
  /** Those that begin with these two bytes, longest first. */
  readonly candidates: (first: number, second: number) => readonly Needle[];
}

export interface Needle {
  readonly bytes: Buffer;
  readonly replacement: string;
}

/** An empty set. */
export function newNeedles(): Needles {
  const byPair = new Map<number, Needle[]>();
  // One look-up per byte of the stream has to be cheap; nearly all of them end here.
  const pairs = new Uint8Array(65_536);
  const firsts = new Uint8Array(256);
  let longest = 0;
  return {
    add: (bytes, replacement) => {
      const [first, second] = bytes;
      if (first === undefined || second === undefined) throw new Error('a needle has two bytes at least');
      const pair = first * 256 + second;
      const list = byPair.get(pair) ?? [];
      if (list.some((needle) => needle.bytes.equals(bytes))) return;
      byPair.set(
        pair,
        [...list, { bytes, replacement }].sort((a, b) => b.bytes.length - a.bytes.length),
      );
      pairs[pair] = 1;
      firsts[first] = 1;
      longest = Math.max(longest, bytes.length);
    },
    longest: () => longest,
    beginsWithPair: (first, second) => pairs[first * 256 + second] === 1,
    beginsWith: (first) => firsts[first] === 1,
    candidates: (first, second) => byPair.get(first * 256 + second) ?? [],
  };
}

export interface Scanner {
  readonly push: (chunk: Uint8Array) => Buffer;
  readonly end: () => Buffer;
  /** True once something was replaced. */
  readonly found: () => boolean;
}

/** Needs more bytes before it can be said. */
const UNDECIDED = Symbol('undecided');

/**
 * A scanner over one stream. Each place is decided by itself: the longest needle that begins there, as
 * soon as every longer one is ruled out. So the result never depends on how the stream was cut. Needles
 * that overlap are covered together: no rest of the second one stays behind the first.
 */
export function createScanner(needles: Needles): Scanner {
  let held = Buffer.alloc(0);
  /** How many of the held bytes a replacement already stands for, and which. */
  let covered = 0;
  let current = '';
  let found = false;

  const scan = (bytes: Buffer, last: boolean): Buffer => {
    const out: Buffer[] = [];
    let at = 0;
    let plainFrom = covered;
    for (; at < bytes.length; at += 1) {
      const match = matchAt(needles, bytes, at, last);
      if (match === UNDECIDED) break;
      if (match === null) continue;
      const end = at + match.bytes.length;
      if (end <= covered) continue;
      if (at >= covered || match.replacement !== current) {
        if (at > plainFrom) out.push(bytes.subarray(plainFrom, at));
        out.push(Buffer.from(match.replacement, 'utf8'));
        current = match.replacement;
        found = true;
      }
      covered = end;
      plainFrom = end;
    }
    if (at > plainFrom) out.push(bytes.subarray(plainFrom, at));
    // A copy: the caller may use the memory of its chunk again.
    held = Buffer.from(bytes.subarray(at));
    covered = Math.max(0, covered - at);
    return Buffer.concat(out);
  };
  return {
    push: (chunk) =>
      scan(
        held.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([held, chunk]),
        false,
      ),
    end: () => scan(held, true),
    found: () => found,
  };
}

function matchAt(needles: Needles, bytes: Buffer, at: number, last: boolean): Needle | typeof UNDECIDED | null {
  const [first, second] = [bytes[at], bytes[at + 1]];
  if (first === undefined) return null;
  if (second === undefined) return !last && needles.beginsWith(first) ? UNDECIDED : null;
  if (!needles.beginsWithPair(first, second)) return null;
  for (const needle of needles.candidates(first, second)) {
    const length = Math.min(needle.bytes.length, bytes.length - at);
    if (needle.bytes.compare(bytes, at, at + length, 0, length) !== 0) continue;
    if (length === needle.bytes.length) return needle;
    if (!last) return UNDECIDED;
  }
  return null;
}

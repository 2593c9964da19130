/**
 * Keeps descriptors from a child that this process itself inherited: Node marks its own as not to be
 * passed on, but a shell's or an editor's high ones (measured: 251 behind a gap) would reach every child.
 */
import { openSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;
/** Beyond this number none is looked for; a table that long would cost more than it protects. */
const HIGHEST = 4_096;

let nothing: number | null = null;

/**
 * What a child gets from descriptor 3 on: the null device wherever it would otherwise inherit one of
 * ours, and nothing else. Empty in the usual case. (Linux; elsewhere nothing is known and it is empty.)
 */
export function coveredDescriptors(): readonly (number | 'ignore')[] {
  const leaking = inheritable();
  if (leaking.length === 0) return [];
  const device = (nothing ??= openSync('/dev/null', 'r+'));
  const covers: (number | 'ignore')[] = Array.from({ length: Math.max(...leaking) - 2 }, () => 'ignore');
  for (const descriptor of leaking) covers[descriptor - 3] = device;
  return covers;
}

function inheritable(): readonly number[] {
  try {
    return readdirSync('/proc/self/fdinfo')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && descriptor <= HIGHEST && isPassedOn(descriptor));
  } catch {
    return [];
  }
}

function isPassedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed meanwhile (the folder's own descriptor always is).
    return false;
  }
}

import type { Writable } from 'node:stream';

/** A standard stream that may lose its reader, or its disk, without ending what is under way. */
export interface Outlet {
  /** Does nothing once the stream is lost. */
  readonly write: (text: string) => void;
  /** The system's code of what the stream was lost by (`EPIPE`, `ENOSPC`, `EIO`, …); null while it works. */
  readonly lost: () => string | null;
}

/** Puts a lasting listener on the stream's errors: what is printed matters less than the run that prints it. */
export function openOutlet(stream: Writable, onLost: (code: string) => void = () => undefined): Outlet {
  let lost: string | null = null;
  const lose = (error: unknown) => {
    if (lost !== null) return;
    lost = error instanceof Error && 'code' in error ? String(error.code) : 'an error';
    onLost(lost);
  };
  stream.on('error', lose);
  return {
    write: (text) => {
      if (lost !== null) return;
      try {
        stream.write(text);
      } catch (error) {
        // Files are written at once, and some versions throw what went wrong there.
        lose(error);
      }
    },
    lost: () => lost,
  };
}

/** True for a reader that went away (a pipe's end, a terminal that was closed): nobody is left who would want to be told. */
export function readerLeft(code: string): boolean {
  return code === 'EPIPE' || code === 'EIO';
}

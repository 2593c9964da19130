import { closeSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Remembers which standard streams are terminals; the answer puts the null device in the place of those
 * whose terminal was closed since. Node sets terminals back when it ends and aborts where that fails
 * with EIO (measured: Node 20.20), which would turn a recorded end into a crash; other files it leaves alone.
 */
export function rememberTerminals(): () => void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  return () => {
    for (const fd of terminals) {
      if (isatty(fd)) continue;
      closeSync(fd);
      // The lowest free number is the one that was just closed.
      openSync('/dev/null', 'r+');
    }
  };
}

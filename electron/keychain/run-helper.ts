/** Starts the helper on this process's own input and output. Job: load the library late, and end with the one who asks. */
import { serveKeychain, type KeychainLibrary } from './helper.js';

/** Milliseconds for a call that is being made when the input ends. */
const LAST_CALL_MS = 1_000;

/** Runs the helper to the end of its input, and then ends the process, a hanging call of the library included. */
export async function runKeychainHelper(): Promise<never> {
  process.stdin.once('end', () => {
    // A call that hangs holds a thread of the process, for which an orderly end would wait for ever.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_CALL_MS);
  });
  await serveKeychain(process.stdin, process.stdout, loadLibrary);
  process.exit(0);
}

async function loadLibrary(): Promise<KeychainLibrary> {
  const library = await import('keytar');
  // A CommonJS package: its functions are on the default export alone.
  return (library as unknown as { default: KeychainLibrary }).default;
}

import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { LAUNCHER_NAME, launcherScript } from '../gate/launcher.js';
import { resolveProgram } from '../spawn/programs.js';
import { writeAtomic } from '../store/atomic.js';
import type { Refusal } from './preflight.js';
import type { LaunchServices } from './request.js';

/** Puts the launcher at its fixed place; without curl no command hook could reach the gate. */
export async function installLauncher({
  state,
  loginPath,
}: Pick<LaunchServices, 'state' | 'loginPath'>): Promise<{ path: string; text: string } | Refusal> {
  const curl = await resolveProgram('curl', `/usr/bin:/bin:/usr/local/bin:${(await loginPath.get()).path}`, state.dir);
  if (!curl.ok)
    return {
      outcome: 'failed',
      reason: 'curl was not found; the hook launcher needs it (Debian: apt-get install curl)',
    };
  const path = join(state.binDir, LAUNCHER_NAME);
  const text = launcherScript(curl.value.real);
  await writeAtomic(path, text, { mode: 0o755 });
  await chmod(path, 0o755);
  return { path, text };
}

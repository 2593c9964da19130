/** Where the session bus is, by which a desktop shows tray icons. It asks nobody. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Null where there is none. */
export function busAddress(env: NodeJS.ProcessEnv): string | null {
  const named = env['DBUS_SESSION_BUS_ADDRESS'] ?? '';
  if (named !== '') return named;
  const socket = join(env['XDG_RUNTIME_DIR'] ?? '', 'bus');
  return (env['XDG_RUNTIME_DIR'] ?? '') !== '' && existsSync(socket) ? `unix:path=${socket}` : null;
}

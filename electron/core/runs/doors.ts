import { lstatSync, readFileSync } from 'node:fs';

/** What an agent's command hooks go through to the gate; each of it can be reached by a process with the user's rights. */
export interface Doors {
  readonly launcher: string;
  readonly launcherText: string;
  readonly socketPath: string;
  readonly headerFile: string;
  readonly headerText: string;
}

/** What is no longer as it was at the launch, in words; empty when the doors stand as they were made. */
export function brokenDoors(doors: Doors): readonly string[] {
  const broken: string[] = [];
  if (readText(doors.launcher) !== doors.launcherText) broken.push('the hook launcher was changed or removed');
  if (!isSocket(doors.socketPath)) broken.push("the gate's socket was removed or replaced");
  if (readText(doors.headerFile) !== doors.headerText) broken.push("the run's token file was changed or removed");
  return broken.map((what) => `${what} while the run lived`);
}

function readText(path: string): string | null {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}

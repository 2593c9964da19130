import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { StateFolder } from './layout.js';
import { runFolder } from './run-folder.js';

/** The lines of a run's `events.jsonl`, one at a time, however long the file is; none when there is no such file. Throws what the system says. */
export async function* readEventLines(state: Pick<StateFolder, 'runsDir'>, id: string): AsyncGenerator<string> {
  const file = await openPlain(join(runFolder(state, id), 'events.jsonl'));
  if (file === null) return;
  try {
    for await (const line of file.readLines({ encoding: 'utf8' })) if (line !== '') yield line;
  } finally {
    await file.close();
  }
}

/** A link in its place leads somewhere else, and a pipe would hold us for ever. */
async function openPlain(path: string) {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new Error(`${path} is not a plain file`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

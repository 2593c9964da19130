import { join } from 'node:path';
import { z } from 'zod';
import type { StateFolder } from '../store/layout.js';
import { openJsonFile, type JsonFile } from './json-file.js';

const deskMemorySchema = z.strictObject({
  schema_version: z.literal(1),
  firstStartDone: z.boolean(),
  /** Folders that a person chose, newest first. */
  workspaces: z.array(z.string()).max(100),
});
export type DeskMemory = z.infer<typeof deskMemorySchema>;

/** What the app remembers beside its settings (`desk.json` in the state folder). */
export function openDeskMemory(state: StateFolder): JsonFile<DeskMemory> {
  return openJsonFile(join(state.dir, 'desk.json'), deskMemorySchema, {
    schema_version: 1,
    firstStartDone: false,
    workspaces: [],
  });
}

import { join } from 'node:path';
import { settingsSchema, type Settings } from '../../../shared/bridge/views.js';
import { DEFAULT_AGENT } from '../agents/known-agents.js';
import type { StateFolder } from '../store/layout.js';
import { openJsonFile, type JsonFile } from './json-file.js';

const DEFAULTS: Settings = {
  theme: 'system',
  closeToTray: true,
  notifications: true,
  defaultProfile: DEFAULT_AGENT,
};

/** The app's settings (`settings.json` in the state folder). */
export function openSettings(state: StateFolder): JsonFile<Settings> {
  return openJsonFile(join(state.dir, 'settings.json'), settingsSchema, DEFAULTS);
}

/** Where the main window stood. Job: keep that and give it back where it still can be seen. */
import { join } from 'node:path';
import { screen, type BrowserWindow, type Rectangle } from 'electron';
import { z } from 'zod';
import { openJsonFile } from '../core/desk/json-file.js';
import type { Faults } from './faults.js';

const placeSchema = z.strictObject({
  x: z.int().nullable(),
  y: z.int().nullable(),
  width: z.int().min(480).max(20_000),
  height: z.int().min(360).max(20_000),
  maximized: z.boolean(),
});
export type WindowPlace = z.infer<typeof placeSchema>;

const FIRST: WindowPlace = { x: null, y: null, width: 1_060, height: 720, maximized: false };

export interface WindowPlaces {
  readonly get: () => Promise<WindowPlace>;
  /** Settles when it is on disk, or that failed and was noted. */
  readonly keep: (window: BrowserWindow) => Promise<void>;
}

/** The place kept in the app's folder (`window.json`). */
export function openWindowPlaces(appDir: string, faults: Faults): WindowPlaces {
  const file = openJsonFile(join(appDir, 'window.json'), placeSchema, FIRST);
  return {
    get: async () => {
      const place = await file.get();
      return isSeen(place) ? place : { ...place, x: null, y: null };
    },
    keep: async (window) => {
      const { x, y, width, height } = window.getNormalBounds();
      const now = { x, y, width, height, maximized: window.isMaximized() };
      if (!placeSchema.safeParse(now).success) return;
      await file
        .set(() => now)
        .catch((error: unknown) => {
          faults.note(
            `the window's place could not be kept: ${error instanceof Error ? error.message : String(error)}`,
          );
        });
    },
  };
}

/** A screen may be gone since; a window's title has to be within reach. */
function isSeen({ x, y, width }: WindowPlace): boolean {
  if (x === null || y === null) return false;
  const title: Rectangle = { x, y, width, height: 40 };
  return screen.getAllDisplays().some(({ workArea }) => overlap(workArea, title) >= 100);
}

/** Width of what two rectangles share; 0 when they do not meet. */
function overlap(a: Rectangle, b: Rectangle): number {
  if (Math.min(a.y + a.height, b.y + b.height) <= Math.max(a.y, b.y)) return 0;
  return Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x));
}

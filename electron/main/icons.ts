/** The drawn pictures as Electron wants them. */
import { nativeImage, type NativeImage } from 'electron';
import { drawIcon, type TrayState } from './icon-shapes.js';

const made = new Map<TrayState, NativeImage>();

/** The tray's picture of a state, for plain and for dense screens. */
export function trayIcon(state: TrayState): NativeImage {
  const before = made.get(state);
  if (before !== undefined) return before;
  const image = nativeImage.createEmpty();
  for (const scaleFactor of [1, 2]) {
    // Panels show 16 to 24 pixels, and make larger ones smaller more cleanly than the other way round.
    const size = (process.platform === 'linux' ? 24 : 16) * scaleFactor;
    const bitmap = nativeImage.createFromBitmap(drawIcon(state, size), { width: size, height: size });
    image.addRepresentation({ scaleFactor, width: size, height: size, buffer: bitmap.toPNG() });
  }
  made.set(state, image);
  return image;
}

/** The picture of the app itself. */
export function appIcon(): NativeImage {
  const size = 64;
  return nativeImage.createFromBitmap(drawIcon('idle', size), { width: size, height: size });
}

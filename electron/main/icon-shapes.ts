/**
 * The pictures of the tray, drawn. Job: pixels for one state and size. Pure: no Electron, no files. Each state
 * has a sign of its own, so that none is told by colour alone; the tile behind it makes it legible on a light
 * and on a dark panel.
 */

/** What the tray says at a glance. */
export type TrayState = 'idle' | 'running' | 'waiting' | 'red';

type Colour = readonly [red: number, green: number, blue: number];
/** Whether a point of the unit square belongs to the sign. */
type Sign = (x: number, y: number) => boolean;

const TILES: Readonly<Record<TrayState, Colour>> = {
  idle: [0x5f, 0x6b, 0x7a],
  running: [0x1a, 0x6f, 0xd4],
  waiting: [0xb4, 0x5f, 0x06],
  red: [0xc6, 0x28, 0x28],
};
const WHITE: Colour = [0xff, 0xff, 0xff];

/** Length of a tile's corner, in the unit square. */
const CORNER = 0.22;
/** Points that are looked at in a pixel, in each direction. */
const SAMPLES = 4;

/** A gate: an arch, in which one of two doors stands open. */
const gate: Sign = (x, y) => {
  const inArch = (width: number, top: number) =>
    Math.abs(x - 0.5) <= width && (y >= top + width || Math.hypot(x - 0.5, y - (top + width)) <= width);
  if (y > 0.84 || !inArch(0.3, 0.16)) return false;
  return !inArch(0.17, 0.31) || (x < 0.47 && x > 0.33);
};
const play: Sign = (x, y) => x >= 0.32 && x <= 0.8 && Math.abs(y - 0.5) <= (0.8 - x) * 0.64;
const exclamation: Sign = (x, y) => Math.abs(x - 0.5) <= 0.095 && ((y >= 0.16 && y <= 0.6) || (y >= 0.69 && y <= 0.86));
const cross: Sign = (x, y) => {
  const [a, b] = [x - 0.5, y - 0.5];
  return Math.max(Math.abs(a), Math.abs(b)) <= 0.31 && Math.min(Math.abs(a - b), Math.abs(a + b)) <= 0.13;
};

const SIGNS: Readonly<Record<TrayState, Sign>> = { idle: gate, running: play, waiting: exclamation, red: cross };

const onTile: Sign = (x, y) => {
  const [dx, dy] = [Math.max(CORNER - x, x - (1 - CORNER), 0), Math.max(CORNER - y, y - (1 - CORNER), 0)];
  return Math.hypot(dx, dy) <= CORNER;
};

/** Pixels of a square picture, row by row, four bytes each: blue, green, red, alpha (multiplied in). */
export function drawIcon(state: TrayState, size: number): Buffer {
  const pixels = Buffer.alloc(size * size * 4);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const { sign, tile } = coverage(SIGNS[state], column, row, size);
      const mix = (index: 0 | 1 | 2) => Math.round(WHITE[index] * sign + TILES[state][index] * (tile - sign));
      pixels.set([mix(2), mix(1), mix(0), Math.round(255 * tile)], (row * size + column) * 4);
    }
  }
  return pixels;
}

/** Shares of a pixel that the sign and the tile (the sign with it) cover, 0 to 1. */
function coverage(shape: Sign, column: number, row: number, size: number): { sign: number; tile: number } {
  let [sign, tile] = [0, 0];
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
    const x = (column + ((sample % SAMPLES) + 0.5) / SAMPLES) / size;
    const y = (row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / size;
    if (!onTile(x, y)) continue;
    tile += 1;
    if (shape(x, y)) sign += 1;
  }
  return { sign: sign / SAMPLES ** 2, tile: tile / SAMPLES ** 2 };
}

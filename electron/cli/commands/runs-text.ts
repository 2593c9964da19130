/** How runs and traces are put into words for a terminal. Nothing of an agent's reaches the terminal unescaped; nothing is changed. */
import type { RunRecord } from '../../../shared/contracts/run.js';
import { runColour } from '../../../shared/run-colour.js';
import { visibleText } from '../../../shared/visible-text.js';
import { isLeftBehind } from '../../core/runs/leftovers.js';

/** Enough of an id to name the run by. */
export function shortId(id: string): string {
  return id.slice(0, 12);
}

/** A text on one line, safe to show, cut at `max` characters; a further line is hinted at. */
export function oneLine(text: string, max: number): string {
  const [first = '', ...rest] = text.trim().split(/\r\n|\r|\n/);
  const characters = Array.from(visibleText(first).text);
  const cut = characters.length > max;
  const shown = cut ? characters.slice(0, max - 1).join('') : characters.join('');
  return cut || rest.length > 0 ? `${shown}…` : shown;
}

/** All lines of a text, each safe to show. */
export function safeLines(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/).map((line) => visibleText(line).text);
}

/** Both ways of telling a time: how long ago, and when by the clock of this machine. Unix seconds. */
export function whenText(at: number, now: number): string {
  return `${ago(now - at)}, ${clock(at)}`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

function ago(seconds: number): string {
  const size = Math.abs(seconds);
  const [unit, length] = UNITS.find(([, span]) => size >= span) ?? ['s', 1];
  const amount = `${Math.floor(size / length)} ${unit}`;
  // A clock that was set back, or another machine's.
  return seconds < -1 ? `in ${amount}` : `${amount} ago`;
}

function clock(at: number): string {
  const time = new Date(at * 1_000);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** A span of time in seconds, as a person says it. */
export function spanText(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** Where a run is, or how it ended. */
export function stateText(record: RunRecord): string {
  const { phase, outcome } = record;
  if (phase === 'done') return (outcome ?? 'ended').replaceAll('_', ' ');
  if (isLeftBehind(record)) return 'left behind (its owner ended)';
  return phase.replaceAll('_', ' ');
}

/** Columns as wide as their widest cell; the last one is not filled up. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => Array.from(row[column] ?? '').length)),
  );
  const pad = (cell: string, column: number, last: boolean) =>
    last ? cell : cell + ' '.repeat((widths[column] ?? 0) - Array.from(cell).length);
  return rows.map((row) => `${row.map((cell, at) => pad(cell, at, at === row.length - 1)).join('  ')}\n`).join('');
}

/** One run as `--json` gives it, in lists and alone. */
export function runJson(record: RunRecord): object {
  const { colour, exitCode, why } = runColour(record);
  return { colour, exit_code: exitCode, why, left_behind: isLeftBehind(record), record };
}

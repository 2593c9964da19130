/** Times in words. Pure: the clock is always an argument. All times are Unix seconds. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago a time is, coarsely; exact times belong beside it as a title. */
export function relativeTime(at: number, now: number): string {
  const ago = now - at;
  // Clocks step: a moment that lies just ahead is shown as now.
  if (ago < 45) return ago < -MINUTE ? 'in the future' : 'just now';
  if (ago < HOUR) return `${Math.max(1, Math.round(ago / MINUTE))} min ago`;
  if (ago < DAY) return `${Math.round(ago / HOUR)} h ago`;
  const days = Math.round(ago / DAY);
  if (days === 1) return 'yesterday';
  if (days < 60) return `${days} days ago`;
  return days < 730 ? `${Math.round(days / 30)} months ago` : `${Math.round(days / 365)} years ago`;
}

/** The exact local time with its zone. */
export function exactTime(at: number): string {
  return new Date(at * 1_000).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
}

/** Hours, minutes and seconds of the local day. */
export function clockTime(at: number): string {
  return new Date(at * 1_000).toTimeString().slice(0, '00:00:00'.length);
}

/** A length of time, for people. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / MINUTE)} min`;
}

/** What is left until a time, as a running clock: `9:05`, or `1:00:00`. */
export function timeLeft(until: number, now: number): string {
  const left = Math.max(0, Math.ceil(until - now));
  const [hours, minutes, seconds] = [Math.floor(left / HOUR), Math.floor((left % HOUR) / MINUTE), left % MINUTE];
  const two = (n: number) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

const STEPS = [
  { seconds: 10, words: '10 seconds left' },
  { seconds: 30, words: '30 seconds left' },
  { seconds: MINUTE, words: '1 minute left' },
  { seconds: 2 * MINUTE, words: '2 minutes left' },
  { seconds: 5 * MINUTE, words: '5 minutes left' },
] as const;

/** What a screen reader is told of the time left: it changes at a few steps only, not each second. */
export function spokenTimeLeft(until: number, now: number): string {
  const left = until - now;
  if (left <= 0) return 'the time is over';
  return STEPS.find((step) => left <= step.seconds)?.words ?? '';
}

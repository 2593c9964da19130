import { diffArrays } from 'diff';

export interface DiffLine {
  readonly side: 'same' | 'old' | 'new';
  readonly text: string;
}

/** Most differing lines and most time (milliseconds) that go into a comparison, so that nothing else has to wait for it. */
const BOUNDS = { maxEditLength: 1_000, timeout: 20 };

/** The lines of both texts with their sides; null when they differ too much to be compared. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] | null {
  const parts = diffArrays([...before], [...after], BOUNDS);
  if (parts === undefined) return null;
  return parts.flatMap(({ added, removed, value }) =>
    value.map((text): DiffLine => ({ side: added ? 'new' : removed ? 'old' : 'same', text })),
  );
}

/** Lines around a change that are shown with it. */
const AROUND = 3;

/** The changes with a few lines around them; what is left out between them is counted. */
export function changesOnly(lines: readonly DiffLine[]): readonly (DiffLine | { readonly unchanged: number })[] {
  const near = lines.map(() => false);
  for (const [at, line] of lines.entries()) {
    if (line.side === 'same') continue;
    for (let close = Math.max(0, at - AROUND); close <= Math.min(lines.length - 1, at + AROUND); close += 1)
      near[close] = true;
  }
  const shown: (DiffLine | { readonly unchanged: number })[] = [];
  let unchanged = 0;
  for (const [at, line] of lines.entries()) {
    if (near[at] === true) {
      if (unchanged > 0) shown.push({ unchanged });
      unchanged = 0;
      shown.push(line);
    } else unchanged += 1;
  }
  if (unchanged > 0) shown.push({ unchanged });
  return shown;
}

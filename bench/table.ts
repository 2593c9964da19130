/** How every bench shows its figures: one table for people, one JSON line for machines. */
export interface Row {
  readonly name: string;
  /** Milliseconds. */
  readonly median: number;
  readonly p99: number;
  /** This row's median divided by ours, measured in the same run. */
  readonly ratio: number;
}

/** Median and 99th percentile of samples. */
export function summarise(samples: readonly number[]): { readonly median: number; readonly p99: number } {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99) };
}

/** Prints the rows, then the same as one JSON line. */
export function showTable(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}`);
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const row of rows) {
    const cells = [row.median.toFixed(2), row.p99.toFixed(2), `${row.ratio.toFixed(2)}x`].map((cell) =>
      cell.padStart(9),
    );
    console.log(`  ${row.name.padEnd(width)} ${cells.join('')}`);
  }
  console.log(JSON.stringify({ title, rows }));
}

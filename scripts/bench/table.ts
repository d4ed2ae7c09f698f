/** Owns how measurements are printed. Everything that is compared is compared within one run. */

/** One measured thing. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  /** What it has to be, if anything. */
  readonly goal: string;
}

/** Prints a table under a heading. */
export function printTable(heading: string, rows: readonly Row[]): void {
  const width = (pick: (row: Row) => string): number => Math.max(...rows.map((row) => pick(row).length));
  const [what, measured] = [width((row) => row.what), width((row) => row.measured)];
  console.log(`\n${heading}`);
  for (const row of rows) {
    console.log(`  ${row.what.padEnd(what)}  ${row.measured.padStart(measured)}  ${row.goal}`);
  }
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A number with as many digits as are worth reading. */
export function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

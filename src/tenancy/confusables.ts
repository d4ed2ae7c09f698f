/** Owns reading the table of confusable characters in the short spelling it is deployed in; never decides what looks alike. */

/**
 * Confusable characters with their prototypes.
 * @param table `step,prototype` for each character in the order of code points, a line each; a step is how far a character is from the one before, in base 36
 */
export function readConfusables(table: string): Map<string, string> {
  const prototypes = new Map<string, string>();
  let point = 0;
  for (const entry of table.split("\n")) {
    const comma = entry.indexOf(",");
    point += Number.parseInt(entry.slice(0, comma), 36);
    prototypes.set(String.fromCodePoint(point), entry.slice(comma + 1));
  }
  return prototypes;
}

/** The table that `readConfusables` reads. No prototype holds a line break; some hold blanks. */
export function writeConfusables(prototypes: ReadonlyMap<string, string>): string {
  const points = [...prototypes].map(([character, prototype]) => ({ at: character.codePointAt(0) ?? 0, prototype }));
  points.sort((a, b) => a.at - b.at);
  return points
    .map(({ at, prototype }, i) => `${(at - (points[i - 1]?.at ?? 0)).toString(36)},${prototype}`)
    .join("\n");
}

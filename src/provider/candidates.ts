/** Owns which known names are offered when one is not known. Never offers what it was not given. */
import { foldName } from "./look-up.ts";

const MAX_CANDIDATES = 5;
const MAX_COMPARED_LENGTH = 256;
const ALIKE = 0.35;

/** Up to five known names for an unknown one: those alike first, then the first ones of the list. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const pairs = letterPairs(wanted.slice(0, MAX_COMPARED_LENGTH));
  const alike = names
    .map((name) => ({ name, likeness: likeness(pairs, letterPairs(name)) }))
    .filter((item) => item.likeness >= ALIKE)
    .sort((a, b) => b.likeness - a.likeness)
    .map((item) => item.name);
  return [...new Set([...alike.slice(0, MAX_CANDIDATES), ...names.slice(0, MAX_CANDIDATES)])].slice(0, MAX_CANDIDATES);
}

function letterPairs(text: string): ReadonlySet<string> {
  const folded = foldName(text);
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < folded.length; i++) {
    pairs.add(folded.slice(i, i + 2));
  }
  return pairs;
}

/** Dice's coefficient over letter pairs: 1 for the same, 0 for nothing in common; linear, unlike an edit distance. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) {
    return 0;
  }
  let common = 0;
  for (const pair of a) {
    common += b.has(pair) ? 1 : 0;
  }
  return (2 * common) / (a.size + b.size);
}

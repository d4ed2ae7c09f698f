/** Owns which modules a Python source imports anywhere, also inside functions. Never judges whether they are there. */

/** Every import, also inside a function: what is asked for late has to be there too. */
const IMPORTS =
  /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*))/gm;

/** The first parts of the names of modules that a source imports anywhere. */
export function importedAnywhere(source: string): Set<string> {
  const names = [...source.matchAll(IMPORTS)].flatMap(([, from, list = ""]) => [from ?? "", ...list.split(",")]);
  return new Set(names.map((name) => name.trim().split(/[.\s]/)[0] ?? "").filter((name) => name !== ""));
}

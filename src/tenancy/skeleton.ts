/** Owns what two names look alike by: the skeleton of UTS 39, with case folded. Never compares; whoever protects names does. */
import table from "./confusables.json" with { type: "json" };
import { readConfusables } from "./confusables.ts";

const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** Made by scripts/confusables.ts; read as a map when it is first needed. */
let prototypes: ReadonlyMap<string, string> | null = null;

/** Two texts with the same skeleton can be taken for each other. `*` is its own skeleton, so that of a glob is a glob. */
export function skeletonOf(text: string): string {
  const plain = text.normalize("NFD").replace(UNSEEN, "").toLowerCase();
  // Letters may be drawn as capitals (0 as O): the prototypes are folded once more.
  return prototypeOf(prototypeOf(plain).toLowerCase()).normalize("NFD");
}

function prototypeOf(text: string): string {
  prototypes ??= readConfusables(table);
  const known = prototypes;
  return [...text].map((character) => known.get(character) ?? character).join("");
}

/** Owns what two names look alike by: the skeleton of UTS 39, with case folded. Never compares; whoever protects names does. */
import unhomoglyph from "unhomoglyph";

const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** Two texts with the same skeleton can be taken for each other. `*` is its own skeleton, so that of a glob is a glob. */
export function skeletonOf(text: string): string {
  const plain = text.normalize("NFD").replace(UNSEEN, "").toLowerCase();
  // Letters may be drawn as capitals (0 as O): the prototypes are folded once more.
  return unhomoglyph(unhomoglyph(plain).toLowerCase()).normalize("NFD");
}

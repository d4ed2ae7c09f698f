/** Owns that what a function declares of its own variables (integers, references, constants) ends with it; never values. */
import type { State } from "./inside.ts";

const KINDS = ["namerefs", "integerVars", "lowercaseVars", "uppercaseVars", "readonlyVars"] as const;

/** A function begins. What it gives is called at its end, with the names that were its own. */
export function sandboxAttributes(state: State): (names: Iterable<string>) => void {
  const before = KINDS.map((kind) => new Set(state[kind] ?? []));
  return (names) => {
    for (const name of names) {
      KINDS.forEach((kind, i) => {
        if (before[i]?.has(name) === true) {
          state[kind]?.add(name);
        } else {
          state[kind]?.delete(name);
        }
      });
    }
  };
}

/** A variable is declared anew in a function: what it was outside does not count. */
export function sandboxPlain(state: State, name: string): void {
  for (const kind of KINDS) {
    if (kind !== "readonlyVars") {
      state[kind]?.delete(name);
    }
  }
}

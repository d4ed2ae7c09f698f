/**
 * Owns answering the same array for the same input, so that whoever derives something from a list can keep what was derived.
 * What is kept goes with the arrays it was made from; never holds a list alive by itself.
 */
import type { AgentSkill } from "../model/skill.ts";

type List = readonly AgentSkill[];

interface Node {
  readonly next: WeakMap<List, Node>;
  made: List | null;
}

const node = (): Node => ({ next: new WeakMap(), made: null });

/** Lists that were made of other lists: the same inputs, the same output. */
export class KeptLists {
  readonly #root = node();

  /** What was made of these lists, made now if it was not. */
  get(inputs: readonly List[], make: () => List): List {
    let at = this.#root;
    for (const input of inputs) {
      const next = at.next.get(input) ?? node();
      at.next.set(input, next);
      at = next;
    }
    at.made ??= Object.freeze(make());
    return at.made;
  }
}

/** How many different selections of one list are kept. */
const MAX_SELECTIONS = 64;

/** Parts of lists: the same members of the same list, the same array; all members, the list itself. */
export class KeptSelections {
  readonly #kept = new WeakMap<List, Map<string, List>>();

  /** The members of a list that are marked, in its order. */
  select(list: List, marks: readonly boolean[]): List {
    if (!marks.includes(false)) {
      return list;
    }
    const selections = this.#kept.get(list) ?? new Map<string, List>();
    this.#kept.set(list, selections);
    const key = marks.map((mark) => (mark ? "1" : "0")).join("");
    const selected = selections.get(key) ?? Object.freeze(list.filter((_, i) => marks[i]));
    // Taken out and put back, it is the youngest: a Map keeps the order of insertion.
    selections.delete(key);
    selections.set(key, selected);
    const [oldest] = selections.keys();
    if (selections.size > MAX_SELECTIONS && oldest !== undefined) {
      selections.delete(oldest);
    }
    return selected;
  }
}

/**
 * Owns the index over names and descriptions that a bundle's skills are found by: made when it is packed, read when somebody searches.
 * Says which skills a word may mean and how well it fits; nothing in its answer for one skill depends on another. Never decides an order.
 */
import MiniSearch, { type AsPlainObject, type Options } from "minisearch";
import type { WordHit, WordIndex } from "../model/word-index.ts";
import { searchWords, WORDS_VERSION } from "./search-words.ts";
import { FUZZY, fitOf, slipsOf, weightOf } from "./word-fit.ts";

/** What of a skill is searched. */
export interface Searched {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
}

interface Document {
  readonly at: number;
  readonly name: string;
  readonly description: string;
}

/** The document that is stored. */
interface StoredIndex {
  readonly format: 1;
  readonly words: number;
  readonly index: AsPlainObject;
}

const OPTIONS: Options<Document> = {
  fields: ["name", "description"],
  idField: "at",
  tokenize: searchWords,
  processTerm: (word) => word,
};

/** An index of skills by their positions. */
export class SearchIndex implements WordIndex {
  readonly #index: MiniSearch<Document>;

  private constructor(index: MiniSearch<Document>) {
    this.#index = index;
  }

  /** Makes one of skills, each at its position. */
  static of(skills: readonly Searched[]): SearchIndex {
    const index = new MiniSearch<Document>(OPTIONS);
    index.addAll(
      skills.map(({ name, aliases = [], description }, at) => ({
        at,
        name: [name, ...aliases].join(" "),
        description,
      })),
    );
    return new SearchIndex(index);
  }

  /** Reads one that {@link encode} wrote. Null for one whose words are not those of this version, or that is none: it is made anew then. */
  static decode(bytes: Uint8Array): SearchIndex | null {
    try {
      const { format, words, index } = JSON.parse(new TextDecoder().decode(bytes)) as Partial<StoredIndex>;
      const isKnown = format === 1 && words === WORDS_VERSION && index !== undefined;
      return isKnown ? new SearchIndex(MiniSearch.loadJS(index, OPTIONS)) : null;
    } catch {
      return null;
    }
  }

  /** Writes it; the same bytes for the same skills. */
  encode(): Uint8Array {
    const stored: StoredIndex = { format: 1, words: WORDS_VERSION, index: this.#index.toJSON() };
    return new TextEncoder().encode(`${JSON.stringify(stored)}\n`);
  }

  /** The skills that have a word, one that begins with it, or one that is nearly it. */
  hits(word: string): readonly WordHit[] {
    const found = this.#index.search(word, {
      tokenize: (text) => [text],
      prefix: true,
      fuzzy: slipsOf(word) === 0 ? false : FUZZY,
    });
    return found.map(({ id, match }) => ({ at: id as number, weight: weightOf(fitsIn(word, match)) }));
  }
}

/** `match`: words of the skill, each with the fields that have it. */
function fitsIn(word: string, match: Readonly<Record<string, readonly string[]>>) {
  const fits = { name: 0, description: 0 };
  for (const [found, fields] of Object.entries(match)) {
    for (const field of ["name", "description"] as const) {
      fits[field] = fields.includes(field) ? Math.max(fits[field], fitOf(word, found)) : fits[field];
    }
  }
  return fits;
}

/** Owns the contract of what finds skills by a word. Types only. Made by bundle/search-index.ts when skills are packed, by provider/word-scan.ts for others. */

/** A skill that a word may mean. */
export interface WordHit {
  /** Position of the skill in what was indexed. */
  readonly at: number;
  /** How well it fits. Depends on the skill and the word only, never on other skills: some of these may be hidden from who asks. */
  readonly weight: number;
}

/** Finds skills by a word. */
export interface WordIndex {
  hits(word: string): readonly WordHit[];
}

/** Where a skill stands in an index that was made ahead. */
export interface SearchPlace {
  /** The same object for all skills of the index. */
  readonly index: {
    /** Reads it; null when it cannot be used: then one is made of the skills. */
    open(): Promise<WordIndex | null>;
  };
  readonly at: number;
}

/** Owns what a contract suite is made of: cases that any test runner can run. Knows no test runner. */

/** One thing an implementation promises. */
export interface ContractCase {
  readonly name: string;
  /** Rejects with a {@link ContractBreach} when the promise is not kept. */
  readonly run: () => Promise<void>;
}

/** Says which promise was not kept. */
export class ContractBreach extends Error {
  override readonly name = "ContractBreach";
}

/** Throws a breach with these words unless something holds. */
export function promise(holds: boolean, words: string): void {
  if (!holds) {
    throw new ContractBreach(words);
  }
}

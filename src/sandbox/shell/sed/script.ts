/** Owns the shapes of a parsed sed script; never how one is read or run. */
import type { Matcher } from "./expression.ts";

export type Address =
  | { readonly type: "line"; readonly line: number }
  | { readonly type: "last" }
  | { readonly type: "step"; readonly first: number; readonly step: number }
  /** Null: the expression that was used last. */
  | { readonly type: "regex"; readonly regex: Matcher | null }
  | { readonly type: "plus"; readonly count: number }
  | { readonly type: "multiple"; readonly of: number };

export interface Substitution {
  readonly regex: Matcher | null;
  readonly parts: readonly Part[];
  readonly global: boolean;
  readonly nth: number;
  readonly prints: number;
  readonly executes: boolean;
  readonly file: string | null;
}

/** A piece of a replacement: text, a group (0 is all), or how letters are written from here on. */
export type Part = string | { readonly group: number } | { readonly letters: "U" | "L" | "E" | "u" | "l" };

export interface Command {
  readonly from: Address | null;
  readonly to: Address | null;
  readonly negated: boolean;
  readonly name: string;
  /** Text of `a`, `i`, `c`; label; file name. */
  readonly text: string;
  readonly number: number | null;
  readonly substitution: Substitution | null;
  readonly letters: ReadonlyMap<string, string> | null;
  /** Where a `{` ends or a branch leads; filled when all is read. */
  jump: number;
}

/** Owns the shapes of a parsed awk program; never how one is read or run. */

export type Expression =
  | { readonly type: "number"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "regex"; readonly source: string }
  | Target
  | { readonly type: "group"; readonly items: readonly Expression[] }
  | { readonly type: "unary"; readonly op: string; readonly operand: Expression }
  | { readonly type: "binary"; readonly op: string; readonly left: Expression; readonly right: Expression }
  | { readonly type: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | { readonly type: "match"; readonly negated: boolean; readonly left: Expression; readonly right: Expression }
  | { readonly type: "in"; readonly keys: readonly Expression[]; readonly array: string }
  | { readonly type: "choice"; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly type: "assign"; readonly op: string; readonly target: Target; readonly value: Expression }
  | { readonly type: "step"; readonly by: number; readonly target: Target; readonly gives: "old" | "new" }
  | { readonly type: "call"; readonly name: string; readonly args: readonly Expression[] }
  | { readonly type: "builtin"; readonly name: string; readonly args: readonly Expression[] }
  | {
      readonly type: "getline";
      readonly from: "input" | "file" | "command";
      readonly source: Expression | null;
      readonly target: Target | null;
    };

/** What can be assigned to. */
export type Target =
  | { readonly type: "variable"; readonly name: string }
  | { readonly type: "field"; readonly index: Expression }
  | { readonly type: "element"; readonly array: string; readonly keys: readonly Expression[] };

export type Statement =
  | { readonly type: "expression"; readonly value: Expression }
  | PrintStatement
  | { readonly type: "if"; readonly test: Expression; readonly yes: Statement; readonly no: Statement | null }
  | { readonly type: "while"; readonly test: Expression; readonly body: Statement }
  | { readonly type: "do"; readonly test: Expression; readonly body: Statement }
  | {
      readonly type: "for";
      readonly first: Statement | null;
      readonly test: Expression | null;
      readonly step: Statement | null;
      readonly body: Statement;
    }
  | { readonly type: "each"; readonly name: string; readonly array: string; readonly body: Statement }
  | { readonly type: "block"; readonly body: readonly Statement[] }
  | { readonly type: "break" | "continue" | "next" | "nextfile" }
  | { readonly type: "exit" | "return"; readonly value: Expression | null }
  | { readonly type: "delete"; readonly array: string; readonly keys: readonly Expression[] | null };

export interface PrintStatement {
  readonly type: "print" | "printf";
  readonly args: readonly Expression[];
  readonly to: { readonly mode: ">" | ">>" | "|"; readonly name: Expression } | null;
}

export interface AwkFunction {
  readonly params: readonly string[];
  readonly body: Statement;
}

export interface Rule {
  readonly pattern: Expression | null;
  /** Where a range ends. */
  readonly until: Expression | null;
  /** Null: print. */
  readonly body: Statement | null;
}

export interface AwkProgram {
  readonly begin: readonly Statement[];
  readonly end: readonly Statement[];
  readonly rules: readonly Rule[];
  readonly functions: ReadonlyMap<string, AwkFunction>;
}

/** Owns rows and values as they travel to Python's sqlite3 and from there: JSON that keeps SQLite's types apart; never what they are for. */
import { fromBase64, toBase64 } from "../../model/base64.ts";
import { RawText, type SqlValue, type Statement } from "./statement.ts";

/** What Python sends for a parameter: numbers are REAL; the rest by its one key. */
export type Sent =
  | null
  | number
  | string
  | { readonly i: string }
  | { readonly f: string }
  | { readonly b: string }
  /** A type that cannot be bound, by its name. */
  | { readonly x: string }
  /** An integer of more than 64 bits. */
  | { readonly o: 1 };

/** Rows that are read ahead at once, and bytes of them. */
const MOST_ROWS = 200;
const MOST_BYTES = 256 << 10;

/** A refusal of the module, not of SQLite. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** The class that Python raises. */
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** @param which the parameter, as Python's messages name it */
export function received(value: Sent, which: string): SqlValue {
  if (value === null || typeof value !== "object") {
    return value;
  }
  if ("i" in value) {
    return BigInt(value.i);
  }
  if ("f" in value) {
    return Number(value.f);
  }
  if ("b" in value) {
    return fromBase64(value.b);
  }
  throw "o" in value
    ? new Refusal("OverflowError", "Python int too large to convert to SQLite INTEGER")
    : new Refusal("ProgrammingError", `Error binding parameter ${which}: type '${value.x}' is not supported`);
}

function sent(value: SqlValue): string {
  if (value === null) {
    return "null";
  }
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (typeof value === "string") {
    return JSON.stringify(value);
  }
  if (typeof value === "number") {
    const text = String(value);
    return Number.isInteger(value) && !text.includes("e") ? `${text}.0` : text;
  }
  return value instanceof RawText ? `{"t":"${toBase64(value.bytes)}"}` : `{"b":"${toBase64(value)}"}`;
}

/** JSON of the rows that a statement gives next. */
export interface Rows {
  readonly json: string;
  readonly done: boolean;
  /** A failure that came after rows which are there. */
  readonly late: unknown;
}

/** Reads ahead, not far: a query may have no end. */
export function takeRows(statement: Statement): Rows {
  const rows: string[] = [];
  let bytes = 0;
  try {
    while (rows.length < MOST_ROWS && bytes < MOST_BYTES) {
      if (!statement.step()) {
        return { json: `[${rows.join()}]`, done: true, late: null };
      }
      const row = `[${statement.row().map(sent).join()}]`;
      bytes += row.length;
      rows.push(row);
    }
  } catch (late) {
    if (rows.length === 0) {
      throw late;
    }
    return { json: `[${rows.join()}]`, done: true, late };
  }
  return { json: `[${rows.join()}]`, done: false, late: null };
}

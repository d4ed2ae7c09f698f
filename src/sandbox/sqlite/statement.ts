/** Owns one compiled statement: its parameters, its rows; never when a transaction begins. */
import { type Engine, SQLITE, SqlError } from "./engine.ts";

/** Text whose bytes are no UTF-8. */
export class RawText {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** A value of SQLite: NULL, INTEGER, REAL, TEXT or BLOB. */
export type SqlValue = null | bigint | number | string | RawText | Uint8Array;

/** A value and the text that the engine makes of it: letters, or one for each byte of a BLOB. */
export interface Cell {
  readonly type: "null" | "integer" | "real" | "text" | "blob";
  readonly text: string;
  readonly number: number;
}

const KINDS = ["null", "integer", "real", "text", "blob", "null"] as const;

const TYPE = { INTEGER: 1, FLOAT: 2, TEXT: 3, BLOB: 4 } as const;
/** The engine makes a copy of what it is given. */
const TRANSIENT = -1;
const lenient = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

export class Statement {
  readonly sql: string;
  readonly columns: readonly string[];
  readonly #engine: Engine;
  readonly #database: number;
  #pointer: number;

  constructor(engine: Engine, database: number, pointer: number, sql: string) {
    this.sql = sql;
    this.#engine = engine;
    this.#database = database;
    this.#pointer = pointer;
    this.columns = engine.call((exports) => {
      const count = exports.sqlite3_column_count(pointer);
      return Array.from({ length: count }, (_, i) => engine.text(exports.sqlite3_column_name(pointer, i)));
    });
  }

  get finished(): boolean {
    return this.#pointer === 0;
  }

  /** How many parameters it has; the engine only says that there is no such one. */
  get parameters(): number {
    return this.#engine.call((exports) => {
      const isThere = (at: number) => exports.sqlite3_bind_int(this.#pointer, at, 0) !== SQLITE.RANGE;
      let above = 1;
      while (isThere(above)) {
        above *= 2;
      }
      let below = above >> 1;
      while (above - below > 1) {
        const middle = (above + below) >> 1;
        [below, above] = isThere(middle) ? [middle, above] : [below, middle];
      }
      exports.sqlite3_clear_bindings(this.#pointer);
      return below;
    });
  }

  /** The number of a parameter by its name with its first sign; 0 when there is none. */
  parameter(name: string): number {
    return this.#engine.lend(new TextEncoder().encode(name), (at) =>
      this.#engine.call((exports) => exports.sqlite3_bind_parameter_index(this.#pointer, at)),
    );
  }

  bind(at: number, value: SqlValue): void {
    const pointer = this.#pointer;
    const engine = this.#engine;
    if (value === null) {
      return;
    }
    const code = engine.call((exports) => {
      if (typeof value === "bigint") {
        return exports.sqlite3_bind_int64(pointer, at, value);
      }
      if (typeof value === "number") {
        return exports.sqlite3_bind_double(pointer, at, value);
      }
      const isText = typeof value === "string" || value instanceof RawText;
      const bytes = typeof value === "string" ? new TextEncoder().encode(value) : isText ? value.bytes : value;
      return engine.lend(bytes, (from, length) =>
        isText
          ? exports.sqlite3_bind_text(pointer, at, from, length, TRANSIENT)
          : exports.sqlite3_bind_blob(pointer, at, from, length, TRANSIENT),
      );
    });
    this.#check(code);
  }

  /** Goes to the next row; false when there is none. */
  step(): boolean {
    this.#engine.tick();
    const code = this.#engine.call((exports) => exports.sqlite3_step(this.#pointer));
    if (code === SQLITE.ROW) {
      return true;
    }
    if (code !== SQLITE.DONE) {
      this.#check(code);
    }
    return false;
  }

  row(): SqlValue[] {
    return this.columns.map((_, i) => this.#value(i));
  }

  /** The row as texts. */
  cells(): Cell[] {
    const pointer = this.#pointer;
    const engine = this.#engine;
    return this.columns.map((_, i) =>
      engine.call((exports) => {
        const type = KINDS[exports.sqlite3_column_type(pointer, i)] ?? "null";
        const number = type === "real" ? exports.sqlite3_column_double(pointer, i) : 0;
        const from =
          type === "blob" ? exports.sqlite3_column_blob(pointer, i) : exports.sqlite3_column_text(pointer, i);
        const bytes = engine.bytes(from, from === 0 ? 0 : exports.sqlite3_column_bytes(pointer, i));
        return { type, number, text: type === "blob" ? latin1(bytes) : lenient.decode(bytes) };
      }),
    );
  }

  /** Goes back to its beginning, without parameters. */
  reset(): void {
    this.#engine.call((exports) => {
      exports.sqlite3_reset(this.#pointer);
      exports.sqlite3_clear_bindings(this.#pointer);
    });
  }

  finish(): void {
    const pointer = this.#pointer;
    this.#pointer = 0;
    if (pointer !== 0) {
      this.#engine.call((exports) => exports.sqlite3_finalize(pointer));
    }
  }

  #value(i: number): SqlValue {
    const pointer = this.#pointer;
    const engine = this.#engine;
    return engine.call((exports) => {
      const type = exports.sqlite3_column_type(pointer, i);
      if (type === TYPE.FLOAT) {
        return exports.sqlite3_column_double(pointer, i);
      }
      if (type === TYPE.BLOB) {
        const from = exports.sqlite3_column_blob(pointer, i);
        return engine.bytes(from, exports.sqlite3_column_bytes(pointer, i)).slice();
      }
      if (type !== TYPE.INTEGER && type !== TYPE.TEXT) {
        return null;
      }
      const from = exports.sqlite3_column_text(pointer, i);
      const bytes = engine.bytes(from, exports.sqlite3_column_bytes(pointer, i));
      if (from === 0) {
        throw new SqlError(SQLITE.NOMEM, "out of memory");
      }
      try {
        const text = strict.decode(bytes);
        return type === TYPE.TEXT ? text : BigInt(text);
      } catch {
        return new RawText(bytes.slice());
      }
    });
  }

  #check(code: number): void {
    if (code !== 0) {
      throw failure(this.#engine, this.#database, code);
    }
  }
}

/** What the engine says of its last failure. */
export function failure(engine: Engine, database: number, code: number): SqlError {
  return engine.call(
    (exports) =>
      new SqlError(
        database === 0 ? code : exports.sqlite3_extended_errcode(database) || code,
        engine.text(exports.sqlite3_errmsg(database)),
      ),
  );
}

/** Owns one open database: statements, transactions, copies of it; never who asks. */
import { type Engine, SQLITE, SqlError } from "./engine.ts";
import { failure, Statement } from "./statement.ts";

const IN_USE = 5;
const LOCKED = 6;
/** Connections of one run. */
const MOST_OPEN = 128;
const open = new WeakMap<Engine, number>();

export class Connection {
  readonly engine: Engine;
  readonly #pointer: number;
  readonly #statements = new Set<Statement>();
  #closed = false;

  /** @param path absolute, or a name of SQLite's own such as `:memory:` or a `file:` URI */
  constructor(engine: Engine, path: string) {
    const count = open.get(engine) ?? 0;
    if (count >= MOST_OPEN) {
      throw new SqlError(14, "unable to open database file");
    }
    this.engine = engine;
    const name = new TextEncoder().encode(path);
    const [code, pointer] = engine.lend(name, (at) =>
      engine.lend(new Uint8Array(4), (out) => {
        const code = engine.call((exports) => exports.sqlite3_open(at, out));
        return [code, engine.word(out)] as const;
      }),
    );
    this.#pointer = pointer;
    if (code !== 0) {
      const error = failure(engine, pointer, code);
      engine.call((exports) => exports.sqlite3_close_v2(pointer));
      throw error;
    }
    open.set(engine, count + 1);
  }

  /** Compiles the first statement of a text; null when there is none before its end. */
  prepare(sql: string): { readonly statement: Statement | null; readonly rest: string } {
    const { engine } = this;
    const text = new TextEncoder().encode(sql);
    return engine.lend(text, (at, length) =>
      engine.lend(new Uint8Array(8), (out) => {
        const code = engine.call((exports) => exports.sqlite3_prepare_v2(this.#pointer, at, length + 1, out, out + 4));
        if (code !== 0) {
          throw failure(engine, this.#pointer, code);
        }
        const pointer = engine.word(out);
        const used = engine.word(out + 4) - at;
        const rest = new TextDecoder().decode(text.subarray(used));
        if (pointer === 0) {
          return { statement: null, rest };
        }
        const own = new TextDecoder().decode(text.subarray(0, used));
        const statement = new Statement(engine, this.#pointer, pointer, own);
        this.#statements.add(statement);
        return { statement, rest };
      }),
    );
  }

  finish(statement: Statement): void {
    this.#statements.delete(statement);
    statement.finish();
  }

  /** Runs all statements of a text, whatever rows they give. */
  run(sql: string): void {
    for (let left = sql; left !== ""; ) {
      const { statement, rest } = this.prepare(left);
      left = rest;
      if (statement === null) {
        continue;
      }
      try {
        while (statement.step()) {
          // Its rows are of no interest.
        }
      } finally {
        this.finish(statement);
      }
    }
  }

  /** The first value of a query's first row. */
  first(sql: string): bigint {
    const { statement } = this.prepare(sql);
    if (statement === null) {
      return 0n;
    }
    try {
      const value = statement.step() ? statement.row()[0] : 0n;
      return typeof value === "bigint" ? value : 0n;
    } finally {
      this.finish(statement);
    }
  }

  /** The engine does not say it, so it is tried: a transaction that begins where there is one is refused, and one that has done nothing ends without a trace. */
  get inTransaction(): boolean {
    try {
      this.run("BEGIN");
    } catch (error) {
      if (error instanceof SqlError) {
        return true;
      }
      throw error;
    }
    this.run("COMMIT");
    return false;
  }

  get changes(): number {
    return this.engine.call((exports) => exports.sqlite3_changes(this.#pointer));
  }

  /** Copies a whole database into another. */
  copyTo(target: Connection, sourceName: string): void {
    const { engine } = this;
    const name = (text: string) => new TextEncoder().encode(text);
    engine.lend(name("main"), (to) =>
      engine.lend(name(sourceName), (from) =>
        engine.call((exports) => {
          const backup = exports.sqlite3_backup_init(target.#pointer, to, this.#pointer, from);
          if (backup === 0) {
            throw failure(engine, target.#pointer, 1);
          }
          const code = exports.sqlite3_backup_step(backup, -1);
          exports.sqlite3_backup_finish(backup);
          if (code === IN_USE || code === LOCKED) {
            throw new SqlError(code, "database is locked");
          }
          if (code !== SQLITE.DONE) {
            throw failure(engine, target.#pointer, code);
          }
        }),
      ),
    );
  }

  /** Ends it; a transaction that is open is rolled back. */
  close(): void {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    open.set(this.engine, (open.get(this.engine) ?? 1) - 1);
    for (const statement of this.#statements) {
      statement.finish();
    }
    this.engine.call((exports) => exports.sqlite3_close_v2(this.#pointer));
  }
}

/** Owns the questions that site/_sqlite3.py asks and their answers, for one Python process; never Python's rules of a result. */
import { FileError } from "../files/errors.ts";
import { resolvePath } from "../files/paths.ts";
import { Stopped } from "../run-state.ts";
import { Refusal, takeRows } from "./answers.ts";
import { bindAll, type Given, typesOf } from "./binding.ts";
import { Connection } from "./connection.ts";
import { type Engine, EngineLost, SQLITE, SqlError } from "./engine.ts";
import { isChange, keepsTransaction, withoutSpace } from "./sql-text.ts";
import type { Statement } from "./statement.ts";

interface Execute {
  readonly do: "execute";
  readonly c: number;
  readonly sql: string;
  readonly with: Given;
  /** In place of `with`: one change for each. */
  readonly many?: readonly Given[];
  /** What begins a transaction before a change, if there is none. */
  readonly begin: string | null;
  readonly types: boolean;
}

type Question =
  | { readonly do: "open"; readonly path: string }
  | { readonly do: "close" | "state"; readonly c: number }
  | Execute
  | { readonly do: "more" | "finish"; readonly s: number }
  | { readonly do: "script"; readonly c: number; readonly sql: string }
  | { readonly do: "backup"; readonly c: number; readonly to: number; readonly name: string };

interface Opened {
  readonly connection: Connection;
  /** Null while it is not known. */
  inTransaction: boolean | null;
}

interface Running {
  readonly opened: Opened;
  readonly statement: Statement;
}

export class Door {
  readonly #engine: Engine;
  readonly #cwd: () => string;
  readonly #open = new Map<number, Opened>();
  readonly #running = new Map<number, Running>();
  #next = 1;

  /** @param cwd of the process */
  constructor(engine: Engine, cwd: () => string) {
    this.#engine = engine;
    this.#cwd = cwd;
  }

  /** The answer to a question, both JSON. */
  answer(question: string): string {
    try {
      return this.#answer(JSON.parse(question) as Question);
    } catch (error) {
      return JSON.stringify(failed(error));
    }
  }

  /** Closes what is open, as the end of a process does. */
  close(): void {
    try {
      for (const { connection } of this.#open.values()) {
        connection.close();
      }
    } catch (error) {
      if (!(error instanceof Stopped || error instanceof EngineLost)) {
        throw error;
      }
    }
  }

  #answer(question: Question): string {
    this.#engine.cwd = this.#cwd();
    switch (question.do) {
      case "open":
        return this.#openAt(question.path);
      case "execute":
        return this.#execute(question);
      case "more":
        return this.#more(question.s);
      case "finish":
        this.#finish(question.s);
        return "{}";
      case "close":
        this.#opened(question.c).connection.close();
        this.#open.delete(question.c);
        return "{}";
      case "state":
        return this.#state(this.#opened(question.c));
      case "script":
        return this.#script(question.c, question.sql);
      case "backup":
        this.#opened(question.c).connection.copyTo(this.#opened(question.to).connection, question.name);
        return "{}";
      default:
        throw new Refusal("ProgrammingError", "there is no such question");
    }
  }

  #openAt(path: string): string {
    const isOwn = path === "" || path === ":memory:";
    const connection = new Connection(this.#engine, isOwn ? path : resolvePath(this.#cwd(), path));
    const id = this.#next++;
    this.#open.set(id, { connection, inTransaction: false });
    return JSON.stringify({ c: id });
  }

  #execute(question: Execute): string {
    const opened = this.#opened(question.c);
    const { connection } = opened;
    const { statement, rest } = connection.prepare(question.sql);
    if (statement === null) {
      return '{"empty":true}';
    }
    const changes = isChange(question.sql);
    let kept = false;
    try {
      if (withoutSpace(rest) !== "") {
        throw new Refusal("ProgrammingError", "You can only execute one statement at a time.");
      }
      if (question.many !== undefined && !changes) {
        throw new Refusal("ProgrammingError", "executemany() can only execute DML statements.");
      }
      if (changes && question.begin !== null && !this.#inTransaction(opened)) {
        connection.run(question.begin);
        opened.inTransaction = true;
      }
      if (!keepsTransaction(question.sql)) {
        opened.inTransaction = null;
      }
      if (question.many !== undefined) {
        return JSON.stringify({ changed: this.#many(connection, statement, question.many) });
      }
      bindAll(statement, question.with);
      const rows = takeRows(statement);
      const id = rows.done ? 0 : this.#next++;
      if (!rows.done) {
        kept = true;
        this.#running.set(id, { opened, statement });
      }
      const facts = {
        s: id,
        columns: statement.columns.length === 0 ? null : statement.columns,
        types: question.types && statement.columns.length > 0 ? typesOf(connection, question.sql) : null,
        changed: changes ? connection.changes : -1,
        late: rows.late === null ? null : failed(rows.late),
        rowid: { i: connection.first("SELECT last_insert_rowid()").toString() },
      };
      return `${JSON.stringify(facts).slice(0, -1)},"rows":${rows.json}}`;
    } catch (error) {
      opened.inTransaction = null;
      throw error;
    } finally {
      if (!kept) {
        connection.finish(statement);
      }
    }
  }

  #many(connection: Connection, statement: Statement, all: readonly Given[]): number {
    let changed = 0;
    for (const given of all) {
      bindAll(statement, given);
      while (statement.step()) {
        // What RETURNING gives is of no interest here.
      }
      changed += connection.changes;
      statement.reset();
    }
    return changed;
  }

  #more(id: number): string {
    const running = this.#running.get(id);
    if (running === undefined) {
      return '{"rows":[],"s":0,"late":null,"changed":0}';
    }
    try {
      const rows = takeRows(running.statement);
      if (rows.done) {
        this.#finish(id);
      }
      const late = rows.late === null ? null : failed(rows.late);
      return `${JSON.stringify({ s: rows.done ? 0 : id, late, changed: running.opened.connection.changes }).slice(0, -1)},"rows":${rows.json}}`;
    } catch (error) {
      this.#finish(id);
      throw error;
    }
  }

  #finish(id: number): void {
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.opened.connection.finish(running.statement);
  }

  #script(id: number, sql: string): string {
    const opened = this.#opened(id);
    opened.inTransaction = null;
    opened.connection.run(sql);
    return "{}";
  }

  #state(opened: Opened): string {
    const total = Number(opened.connection.first("SELECT total_changes()"));
    return JSON.stringify({ open: this.#inTransaction(opened), total });
  }

  #inTransaction(opened: Opened): boolean {
    opened.inTransaction ??= opened.connection.inTransaction;
    return opened.inTransaction;
  }

  #opened(id: number): Opened {
    const opened = this.#open.get(id);
    if (opened === undefined) {
      throw new Refusal("ProgrammingError", "Cannot operate on a closed database.");
    }
    return opened;
  }
}

function failed(error: unknown): object {
  if (error instanceof Refusal) {
    return { error: error.message, kind: error.kind };
  }
  if (error instanceof SqlError) {
    return { error: error.message, code: error.code };
  }
  if (error instanceof FileError) {
    return { error: "disk I/O error", code: 10 };
  }
  // A run that is stopped ends at Python's next look at its budget, with what it has printed handed on.
  const interrupted = error instanceof Stopped || error instanceof EngineLost;
  return interrupted
    ? { error: "interrupted", code: SQLITE.INTERRUPT }
    : { error: error instanceof Error ? error.message : String(error), kind: "InternalError" };
}

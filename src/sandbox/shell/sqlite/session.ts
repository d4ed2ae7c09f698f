/** Owns one run of the command `sqlite3`: its database, its look, its output; statements as they are run and refused. Never its dot commands. */
import type { Process } from "../../box/machine.ts";
import { resolvePath } from "../../files/paths.ts";
import { Connection } from "../../sqlite/connection.ts";
import { type Engine, SQLITE, SqlError } from "../../sqlite/engine.ts";
import { isComplete, withoutSpace } from "../../sqlite/sql-text.ts";
import type { Cell, Statement } from "../../sqlite/statement.ts";
import { encodeText } from "../tools/text.ts";
import { type Look, shown } from "./modes.ts";

/** `.quit`, or a failure that ends the command. */
export class Quit extends Error {
  override readonly name = "Quit";
  readonly status: number;

  constructor(status: number) {
    super("the command has ended");
    this.status = status;
  }
}

export type Around = Pick<Process, "machine" | "cwd">;

/** Where statements come from: words of the command, or lines with their numbers. */
export type Place = { readonly line: number } | null;

const PREPARE = "in prepare";
const STEP = "stepping";

export class Session {
  readonly look: Look = {
    mode: "list",
    headers: false,
    separator: "|",
    newline: "\n",
    nullValue: "",
    table: "table",
    widths: [],
  };
  bail = false;
  echo = false;
  showChanges = false;
  readOnly = false;
  failures = 0;
  /** A file that output goes to, absolute, and for how long. */
  target: { readonly path: string; readonly until: "next" | "changed" } | null = null;
  file: string;
  stdout = "";
  stderr = "";
  readonly around: Around;
  readonly #engine: Engine;
  readonly #mostBytes: number;
  #connection: Connection | null = null;

  constructor(around: Around, engine: Engine, file: string) {
    this.around = around;
    this.#engine = engine;
    this.#mostBytes = around.machine.state.limits.memory_bytes / 4;
    this.file = file;
  }

  /** The database, opened when it is first asked for. Throws {@link Quit} when it cannot be. */
  get connection(): Connection {
    if (this.#connection !== null) {
      return this.#connection;
    }
    this.#engine.cwd = this.around.cwd;
    const isOwn = this.file === "" || this.file === ":memory:";
    try {
      this.#connection = this.openAt(isOwn ? ":memory:" : this.file);
    } catch (error) {
      if (!(error instanceof SqlError)) {
        throw error;
      }
      this.stderr += `Error: unable to open database "${this.file}": ${error.message}\n`;
      throw new Quit(1);
    }
    if (this.readOnly) {
      this.#connection.run("PRAGMA query_only=1");
    }
    return this.#connection;
  }

  openAt(file: string): Connection {
    return new Connection(this.#engine, file === ":memory:" ? file : resolvePath(this.around.cwd, file));
  }

  /** Ends with this database and goes on with another. */
  reopen(file: string): void {
    this.close();
    this.file = file;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  print(text: string): void {
    if (this.target === null) {
      this.stdout += text;
      return;
    }
    this.around.machine.files.appendFile(this.target.path, encodeText(text));
  }

  /** Runs statements up to the first that fails. True when none did. */
  run(sql: string, place: Place): boolean {
    const { connection } = this;
    let phase = PREPARE;
    try {
      for (let left = sql; withoutSpace(left) !== ""; ) {
        phase = PREPARE;
        const { statement, rest } = connection.prepare(left);
        left = rest;
        if (statement !== null) {
          phase = STEP;
          this.#rows(connection, statement);
        }
      }
      if (this.showChanges) {
        this.print(`changes: ${connection.changes}   total_changes: ${connection.first("SELECT total_changes()")}\n`);
      }
      return true;
    } catch (error) {
      if (!(error instanceof SqlError)) {
        throw error;
      }
      this.#refused(error, phase, place);
      return false;
    }
  }

  /** Runs a script: statements over several lines, dot commands on their own. */
  script(text: string, command: (line: string) => void): void {
    let waiting = "";
    let began = 0;
    const lines = text.split("\n");
    lines.forEach((line, i) => {
      if (waiting === "" && /^[.#]/.test(line)) {
        if (line.startsWith(".")) {
          command(line);
        }
        return;
      }
      if (waiting === "" && line.trim() === "") {
        return;
      }
      began = waiting === "" ? i + 1 : began;
      waiting += waiting === "" ? line : `\n${line}`;
      if (line.includes(";") && isComplete(waiting)) {
        const statements = waiting;
        waiting = "";
        this.#of(statements, began);
      }
    });
    if (withoutSpace(waiting) !== "") {
      this.#of(waiting, began);
    }
  }

  #of(statements: string, line: number): void {
    if (this.echo) {
      this.print(`${statements}\n`);
    }
    if (!this.run(statements, { line }) && this.bail) {
      throw new Quit(1);
    }
    if (this.target?.until === "next") {
      this.target = null;
    }
  }

  #rows(connection: Connection, statement: Statement): void {
    const rows: Cell[][] = [];
    let bytes = 0;
    try {
      while (statement.step()) {
        const row = statement.cells();
        bytes = row.reduce((sum, cell) => sum + cell.text.length + 16, bytes);
        if (bytes > this.#mostBytes) {
          this.around.machine.state.note("memory");
          throw new SqlError(SQLITE.NOMEM, "out of memory");
        }
        rows.push(row);
      }
    } finally {
      // Rows that came before a failure are shown.
      const found = { columns: statement.columns, rows };
      connection.finish(statement);
      this.print(shown(found, this.look));
    }
  }

  #refused(error: SqlError, phase: string, place: Place): void {
    this.failures++;
    const code = error.code & 0xff;
    const said = code > 1 ? `${error.message} (${code})` : error.message;
    if (place === null) {
      this.stderr += `Error: ${phase}, ${said}\n`;
      throw new Quit(code);
    }
    this.stderr += `${phase === PREPARE ? "Parse" : "Runtime"} error near line ${place.line}: ${said}\n`;
  }
}

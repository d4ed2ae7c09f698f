/** Owns what the command `sqlite3` says of a database's form: `.tables`, `.schema`, `.dump`; never rows of a query. */
import type { Connection } from "../../sqlite/connection.ts";
import type { Cell } from "../../sqlite/statement.ts";
import { literal, nameOf } from "./modes.ts";

const LINE_WIDTH = 80;

/** Rows of a query with texts for parameters. */
export function query(connection: Connection, sql: string, ...given: readonly string[]): readonly (readonly Cell[])[] {
  const { statement } = connection.prepare(sql);
  const rows: (readonly Cell[])[] = [];
  if (statement === null) {
    return rows;
  }
  try {
    given.forEach((value, i) => {
      statement.bind(i + 1, value);
    });
    while (statement.step()) {
      rows.push(statement.cells());
    }
  } finally {
    connection.finish(statement);
  }
  return rows;
}

const textOf = (row: readonly Cell[], i: number) => row[i]?.text ?? "";

/** Names of tables and views, or of indexes, in columns. */
export function names(connection: Connection, kind: "tables" | "indexes", pattern: string): string {
  const sql =
    kind === "tables"
      ? "SELECT name FROM sqlite_schema WHERE type IN ('table','view') AND name NOT LIKE 'sqlite_%' AND name LIKE ?1 ORDER BY 1"
      : "SELECT name FROM sqlite_schema WHERE type='index' AND tbl_name LIKE ?1 ORDER BY 1";
  const found = query(connection, sql, pattern).map((row) => textOf(row, 0));
  const width = Math.max(0, ...found.map((name) => name.length));
  const across = Math.max(1, Math.floor(LINE_WIDTH / (width + 2)));
  const down = Math.ceil(found.length / across);
  return Array.from({ length: down }, (_, i) => {
    const row = found.filter((__, at) => at % down === i);
    return `${row.map((name) => name.padEnd(width)).join("  ")}\n`;
  }).join("");
}

export function schema(connection: Connection, pattern: string): string {
  const rows = query(
    connection,
    "SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL AND (tbl_name LIKE ?1 OR name LIKE ?1) ORDER BY rowid",
    pattern,
  );
  return rows
    .map((row) => {
      const sql = textOf(row, 2).replace(/^CREATE TABLE (?=['"])/, "CREATE TABLE IF NOT EXISTS ");
      if (textOf(row, 0) !== "view") {
        return `${sql};\n`;
      }
      const columns = query(connection, "SELECT name FROM pragma_table_info(?1)", textOf(row, 1));
      return `${sql}\n/* ${nameOf(textOf(row, 1))}(${columns.map((one) => nameOf(textOf(one, 0))).join()}) */;\n`;
    })
    .join("");
}

/** The whole database as statements that make it anew. */
export function dump(connection: Connection, pattern: string): string {
  const parts = ["PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n"];
  const tables = query(
    connection,
    "SELECT name, sql FROM sqlite_schema WHERE type='table' AND sql NOT NULL AND name LIKE ?1 ORDER BY name='sqlite_sequence', rowid",
    pattern,
  );
  for (const table of tables) {
    const name = textOf(table, 0);
    if (name === "sqlite_sequence") {
      parts.push("DELETE FROM sqlite_sequence;\n");
    } else if (name.startsWith("sqlite_stat")) {
      parts.push("ANALYZE sqlite_schema;\n");
    } else {
      parts.push(`${textOf(table, 1).replace(/^CREATE TABLE (?=['"])/, "CREATE TABLE IF NOT EXISTS ")};\n`);
    }
    for (const row of query(connection, `SELECT * FROM "${name.replaceAll('"', '""')}"`)) {
      parts.push(`INSERT INTO ${nameOf(name)} VALUES(${row.map(dumped).join()});\n`);
    }
  }
  const rest = query(
    connection,
    "SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND type IN ('index','trigger','view') AND tbl_name LIKE ?1 ORDER BY rowid",
    pattern,
  );
  return [...parts, ...rest.map((row) => `${textOf(row, 0)};\n`), "COMMIT;\n"].join("");
}

/** Line ends of a text do not stand in the statement itself. */
function dumped(cell: Cell): string {
  const text = literal(cell);
  if (cell.type !== "text" || !/[\r\n]/.test(text)) {
    return text;
  }
  const free = (word: string) => (text.includes(word) ? `${word}_` : word);
  const [line, back] = [free("\\n"), free("\\r")];
  const plain = text.replaceAll("\n", line).replaceAll("\r", back);
  const inner = text.includes("\r") ? `replace(${plain},'${back}',char(13))` : plain;
  return text.includes("\n") ? `replace(${inner},'${line}',char(10))` : inner;
}

/** Owns `.import` of the command `sqlite3`: rows of a file into a table; never how a table is shown. */
import { resolvePath } from "../../files/paths.ts";
import { decodeText } from "../tools/text.ts";
import { query } from "./dump.ts";
import type { Session } from "./session.ts";

/** Reads `[--csv] [--skip N] FILE TABLE`. A table that is not there is made, its columns named by the first row. */
export function importRows(words: readonly string[], session: Session): void {
  const skipped = words.indexOf("--skip");
  const rest = words.filter((word, i) => !word.startsWith("--") && (skipped < 0 || i !== skipped + 1));
  const [file = "", table = ""] = rest;
  const separator = words.includes("--csv") ? "," : words.includes("--ascii") ? "\x1f" : session.look.separator;
  const text = decodeText(session.around.machine.files.readFile(resolvePath(session.around.cwd, file)));
  let rows = rowsOf(text, separator).slice(skipped < 0 ? 0 : Number(words[skipped + 1]));
  if (session.look.mode === "csv") {
    // As SQLite's own shell leaves it.
    session.look.newline = "\n";
  }
  const { connection } = session;
  const name = `"${table.replaceAll('"', '""')}"`;
  if (query(connection, "SELECT 1 FROM sqlite_schema WHERE name = ?1", table).length === 0) {
    const columns = (rows[0] ?? []).map((column) => `"${column.replaceAll('"', '""')}" TEXT`);
    connection.run(`CREATE TABLE ${name}(\n${columns.join(", ")})`);
    rows = rows.slice(1);
  }
  const count = query(connection, "SELECT 1 FROM pragma_table_info(?1)", table).length;
  const { statement } = connection.prepare(
    `INSERT INTO ${name} VALUES(${Array.from({ length: count }, () => "?").join()})`,
  );
  if (statement === null) {
    return;
  }
  connection.run("SAVEPOINT import");
  try {
    rows.forEach((row, i) => {
      if (row.length < count) {
        session.stderr += `${file}:${i + 2}: expected ${count} columns but found ${row.length} - filling the rest with NULL\n`;
      } else if (row.length > count) {
        session.stderr += `${file}:${i + 2}: expected ${count} columns but found ${row.length} - extras ignored\n`;
      }
      row.slice(0, count).forEach((value, at) => {
        statement.bind(at + 1, value);
      });
      statement.step();
      statement.reset();
    });
  } finally {
    connection.finish(statement);
    connection.run("RELEASE import");
  }
}

/** Rows of values, which may stand in quotes. */
function rowsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let value = "";
    if (text[at] === '"') {
      for (at++; at < text.length; at++) {
        if (text[at] === '"' && text[++at] !== '"') {
          break;
        }
        value += text[at];
      }
    }
    const cut = text.indexOf(separator, at);
    const end = text.indexOf("\n", at);
    const stop = Math.min(cut < 0 ? text.length : cut, end < 0 ? text.length : end);
    value += text.slice(at, stop);
    const isLast = stop !== cut;
    row.push(isLast ? value.replace(/\r$/, "") : value);
    at = stop + (isLast ? 1 : separator.length);
    if (isLast) {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

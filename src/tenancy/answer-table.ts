/** Owns long texts inside a Durable Object, in parts: a row ends at 2 MB, the answer of a run does not. */
import { hasTable } from "./sql-tables.ts";

/** Characters of a part; at most three bytes each. */
const PART = 500_000;

/** Texts by the key of what they answer. */
export class AnswerTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keeps a text, in place of the one before. */
  put(key: string, text: string): void {
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS answers (key TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (key, part))",
    );
    this.remove(key);
    for (let part = 0; part * PART < text.length || part === 0; part++) {
      this.#sql.exec("INSERT INTO answers VALUES (?, ?, ?)", key, part, text.slice(part * PART, (part + 1) * PART));
    }
  }

  /** A text; null when there is none. */
  get(key: string): string | null {
    if (!hasTable(this.#sql, "answers")) {
      return null;
    }
    const rows = this.#sql
      .exec<{ text: string }>("SELECT text FROM answers WHERE key = ? ORDER BY part", key)
      .toArray();
    return rows.length === 0 ? null : rows.map((row) => row.text).join("");
  }

  /** Forgets a text. */
  remove(key: string): void {
    if (hasTable(this.#sql, "answers")) {
      this.#sql.exec("DELETE FROM answers WHERE key = ?", key);
    }
  }
}

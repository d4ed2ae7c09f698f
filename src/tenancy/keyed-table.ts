/** Owns calls that are made under a key, inside the tenant's Durable Object: the first one runs, a repeat gets its answer. Never runs anything. */
import type { KeyedCall } from "../model/approval-record.ts";
import type { AnswerTable } from "./answer-table.ts";
import { hasTable } from "./sql-tables.ts";

/** How long an answer is kept. */
export const KEYED_MS = 24 * 60 * 60_000;

/** After this time a call without an answer is taken as lost: whoever ran it is gone. */
const LEASE_MS = 15 * 60_000;

interface Row extends Record<string, SqlStorageValue> {
  readonly key: string;
  readonly call: string;
  readonly begun: number;
}

/** Keys with the digest of the call that came first. */
export class KeyedTable {
  readonly #sql: SqlStorage;
  readonly #answers: AnswerTable;

  constructor(sql: SqlStorage, answers: AnswerTable) {
    this.#sql = sql;
    this.#answers = answers;
  }

  /** Begins a call, unless its key is known. */
  begin(key: string, call: string, now: number): KeyedCall {
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS keyed (key TEXT PRIMARY KEY, call TEXT NOT NULL, begun INTEGER NOT NULL)",
    );
    this.#forget(now);
    const [row] = this.#sql.exec<Row>("SELECT * FROM keyed WHERE key = ?", key).toArray();
    if (row === undefined) {
      this.#sql.exec("INSERT INTO keyed VALUES (?, ?, ?)", key, call, now);
      return { state: "new" };
    }
    if (row.call !== call) {
      return { state: "conflict" };
    }
    const answer = this.#answers.get(answerKey(key));
    if (answer !== null) {
      return { state: "done", answer };
    }
    if (now - row.begun < LEASE_MS) {
      return { state: "running" };
    }
    this.#sql.exec("UPDATE keyed SET begun = ? WHERE key = ?", now, key);
    return { state: "new" };
  }

  /** Keeps the answer; null: nothing was done, the key is free again. */
  finish(key: string, answer: string | null): void {
    if (answer !== null) {
      this.#answers.put(answerKey(key), answer);
    } else if (hasTable(this.#sql, "keyed")) {
      this.#sql.exec("DELETE FROM keyed WHERE key = ?", key);
    }
  }

  #forget(now: number): void {
    for (const { key } of this.#sql
      .exec<Row>("DELETE FROM keyed WHERE begun < ? RETURNING *", now - KEYED_MS)
      .toArray()) {
      this.#answers.remove(answerKey(key));
    }
  }
}

function answerKey(key: string): string {
  return `keyed:${key}`;
}

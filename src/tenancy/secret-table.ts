/** Owns the sealed secrets of one tenant, inside its Durable Object. Never has what opens them. */
import { MAX_SECRETS, type SealedSecret, type SecretFacts } from "../model/secret.ts";
import { hasTable } from "./sql-tables.ts";

type Row = Record<"name" | "sealed" | "put_at", string>;

/** The secrets. */
export class SecretTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keeps a secret, in place of one of its name; false when there is no room for one more. */
  put({ name, sealed, put_at }: SealedSecret): boolean {
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, sealed TEXT NOT NULL, put_at TEXT NOT NULL)",
    );
    const names = this.list().map((secret) => secret.name);
    if (names.length >= MAX_SECRETS && !names.includes(name)) {
      return false;
    }
    this.#sql.exec("INSERT OR REPLACE INTO secrets (name, sealed, put_at) VALUES (?, ?, ?)", name, sealed, put_at);
    return true;
  }

  /** What was sealed under a name, or null. */
  find(name: string): string | null {
    return this.#rows("SELECT * FROM secrets WHERE name = ?", name)[0]?.sealed ?? null;
  }

  /** All of them, by name. */
  list(): SecretFacts[] {
    return this.#rows("SELECT * FROM secrets ORDER BY name").map(({ name, put_at }) => ({ name, put_at }));
  }

  /** Forgets a secret; tells whether there was one. */
  remove(name: string): boolean {
    return this.#rows("DELETE FROM secrets WHERE name = ? RETURNING *", name).length > 0;
  }

  #rows(query: string, ...values: string[]): Row[] {
    return hasTable(this.#sql, "secrets") ? this.#sql.exec<Row>(query, ...values).toArray() : [];
  }
}

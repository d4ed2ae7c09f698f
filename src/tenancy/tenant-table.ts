/**
 * Owns what is known of tenants as such, inside Durable Objects: in the platform's their names, in each tenant's own whether it is suspended,
 * so that the answer that verifies a token tells it. Reading makes no table.
 */
import type { KnownTenant } from "../model/tenant.ts";
import { hasTable } from "./sql-tables.ts";

interface Row extends Record<string, SqlStorageValue> {
  readonly name: string;
  readonly created_at: string;
}

/** Names of tenants, and a switch. */
export class TenantTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Writes a name down; false when it is known already. */
  register({ name, created_at }: KnownTenant): boolean {
    this.#sql.exec("CREATE TABLE IF NOT EXISTS tenants (name TEXT PRIMARY KEY, created_at TEXT NOT NULL)");
    return this.#sql.exec("INSERT OR IGNORE INTO tenants VALUES (?, ?)", name, created_at).rowsWritten > 0;
  }

  /** Forgets a name. */
  unregister(name: string): void {
    if (hasTable(this.#sql, "tenants")) {
      this.#sql.exec("DELETE FROM tenants WHERE name = ?", name);
    }
  }

  /** The names that were written down, in their order. */
  list(): KnownTenant[] {
    return hasTable(this.#sql, "tenants")
      ? this.#sql
          .exec<Row>("SELECT * FROM tenants ORDER BY name")
          .toArray()
          .map((row) => ({ ...row }))
      : [];
  }

  /** Lets the tenant in again, or nobody of it. */
  setState(state: "active" | "suspended"): void {
    if (state === "suspended") {
      this.#sql.exec("CREATE TABLE IF NOT EXISTS suspended (one INTEGER PRIMARY KEY CHECK (one = 1))");
      this.#sql.exec("INSERT OR IGNORE INTO suspended VALUES (1)");
    } else if (hasTable(this.#sql, "suspended")) {
      this.#sql.exec("DELETE FROM suspended");
    }
  }

  /** Whether nobody of it is let in. */
  isSuspended(): boolean {
    return hasTable(this.#sql, "suspended") && this.#sql.exec("SELECT 1 FROM suspended").toArray().length > 0;
  }
}

/**
 * Owns what is known of tenants as such, inside Durable Objects: in the platform's their names, in each tenant's own whether it is suspended,
 * so that the answer that verifies a token tells it. Reading makes no table.
 */
import type { KnownTenant } from "../model/tenant.ts";
import { hasTable } from "./sql-tables.ts";

interface Row extends Record<string, SqlStorageValue> {
  readonly name: string;
  readonly created_at: string | null;
}

/** Tables and where their rows have the date. Those that were made by name come last: they have one. */
const TABLES = [
  ["noted_tenants", "NULL"],
  ["tenants", "created_at"],
] as const;

/** Names of tenants, and a switch. */
export class TenantTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Writes a name down; false when it is known already. */
  register(name: string, created_at: string): boolean {
    this.#sql.exec("CREATE TABLE IF NOT EXISTS tenants (name TEXT PRIMARY KEY, created_at TEXT NOT NULL)");
    return this.#sql.exec("INSERT OR IGNORE INTO tenants VALUES (?, ?)", name, created_at).rowsWritten > 0;
  }

  /** Writes down that there is something of a tenant, whether or not it was made by name. */
  note(name: string): void {
    this.#sql.exec("CREATE TABLE IF NOT EXISTS noted_tenants (name TEXT PRIMARY KEY)");
    this.#sql.exec("INSERT OR IGNORE INTO noted_tenants VALUES (?)", name);
  }

  /** Forgets a name. */
  unregister(name: string): void {
    for (const [table] of TABLES.filter(([item]) => hasTable(this.#sql, item))) {
      this.#sql.exec(`DELETE FROM ${table} WHERE name = ?`, name);
    }
  }

  /** The names that were written down, in their order. */
  list(): KnownTenant[] {
    const rows = TABLES.filter(([table]) => hasTable(this.#sql, table)).flatMap(([table, date]) =>
      this.#sql.exec<Row>(`SELECT name, ${date} AS created_at FROM ${table}`).toArray(),
    );
    const made = new Map(rows.map(({ name, created_at }) => [name, created_at] as const));
    return [...made].map(([name, created_at]) => ({ name, created_at })).sort((a, b) => (a.name < b.name ? -1 : 1));
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

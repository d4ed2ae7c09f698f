/** Owns the tokens of one tenant, inside its Durable Object: hashes only. */
import { hexOf } from "../model/digest.ts";
import type { Scope, TokenRecord } from "../model/token.ts";
import { hasTable } from "./sql-tables.ts";

interface TokenRow extends Record<string, SqlStorageValue> {
  readonly id: string;
  readonly hash: string;
  readonly scopes: string;
  readonly channel: string;
  readonly created_at: string;
}

/** The tokens. */
export class TokenTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keeps a token. */
  add(record: TokenRecord): void {
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, channel TEXT NOT NULL, created_at TEXT NOT NULL)",
    );
    const { id, hash, scopes, channel, created_at } = record;
    this.#sql.exec("INSERT INTO tokens VALUES (?, ?, ?, ?, ?)", id, hash, scopes.join(" "), channel, created_at);
  }

  /** The token with a hash, or null. */
  find(hash: TokenRecord["hash"]): TokenRecord | null {
    const [row] = this.#rows("SELECT * FROM tokens WHERE hash = ?", hash);
    return row && sameHash(row.hash, hash) ? toRecord(row) : null;
  }

  /** All tokens, oldest first. */
  list(): TokenRecord[] {
    return this.#rows("SELECT * FROM tokens ORDER BY created_at, id").map(toRecord);
  }

  /** Forgets a token; tells whether there was one. */
  remove(id: string): boolean {
    return this.#rows("DELETE FROM tokens WHERE id = ? RETURNING *", id).length > 0;
  }

  #rows(query: string, ...values: string[]): TokenRow[] {
    return hasTable(this.#sql, "tokens") ? this.#sql.exec<TokenRow>(query, ...values).toArray() : [];
  }
}

function toRecord(row: TokenRow): TokenRecord {
  return {
    id: row.id,
    hash: row.hash as TokenRecord["hash"],
    scopes: row.scopes.split(" ") as Scope[],
    channel: row.channel,
    created_at: row.created_at,
  };
}

function sameHash(a: string, b: TokenRecord["hash"]): boolean {
  const encoder = new TextEncoder();
  return (
    a.length === b.length && crypto.subtle.timingSafeEqual(encoder.encode(a), encoder.encode(`sha256:${hexOf(b)}`))
  );
}

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
  readonly expires_at: string | null;
}

const COLUMNS =
  "id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, channel TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT";

/** The tokens. */
export class TokenTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keeps a token. */
  add(record: TokenRecord): void {
    this.#prepare();
    const { id, hash, scopes, channel, created_at, expires_at = null } = record;
    const values = [id, hash, scopes.join(" "), channel, created_at, expires_at];
    this.#sql.exec(
      "INSERT INTO tokens (id, hash, scopes, channel, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
      ...values,
    );
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

  #prepare(): void {
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS tokens (${COLUMNS})`);
    // Made by a version that knew no expiry.
    const known = this.#sql.exec<{ name: string }>("SELECT name FROM pragma_table_info('tokens')").toArray();
    if (!known.some(({ name }) => name === "expires_at")) {
      this.#sql.exec("ALTER TABLE tokens ADD COLUMN expires_at TEXT");
    }
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
    ...(row.expires_at === null || row.expires_at === undefined ? {} : { expires_at: row.expires_at }),
  };
}

function sameHash(a: string, b: TokenRecord["hash"]): boolean {
  const encoder = new TextEncoder();
  return (
    a.length === b.length && crypto.subtle.timingSafeEqual(encoder.encode(a), encoder.encode(`sha256:${hexOf(b)}`))
  );
}

/**
 * Owns what must be true now for one tenant: its tokens. A Durable Object per tenant, so that writes are ordered and reads consistent.
 * Never sees a token, only hashes. Reading never writes, so that asking about a made-up tenant leaves nothing behind.
 */
import { DurableObject } from "cloudflare:workers";
import { hexOf } from "../model/digest.ts";
import type { Scope, TokenRecord, TokenStore } from "../model/token.ts";

interface TokenRow extends Record<string, SqlStorageValue> {
  readonly id: string;
  readonly hash: string;
  readonly scopes: string;
  readonly channel: string;
  readonly created_at: string;
}

/** The durable state of a tenant, or of the platform. */
export class TenantObject extends DurableObject implements TokenStore {
  /** Keeps a token. */
  addToken(record: TokenRecord): void {
    const { sql } = this.ctx.storage;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, channel TEXT NOT NULL, created_at TEXT NOT NULL)",
    );
    const { id, hash, scopes, channel, created_at } = record;
    sql.exec("INSERT INTO tokens VALUES (?, ?, ?, ?, ?)", id, hash, scopes.join(" "), channel, created_at);
  }

  /** The token with a hash, or null. */
  findToken(hash: TokenRecord["hash"]): TokenRecord | null {
    const [row] = this.#rows("SELECT * FROM tokens WHERE hash = ?", hash);
    return row && sameHash(row.hash, hash) ? toRecord(row) : null;
  }

  /** All tokens, oldest first. */
  listTokens(): TokenRecord[] {
    return this.#rows("SELECT * FROM tokens ORDER BY created_at, id").map(toRecord);
  }

  /** Forgets a token; tells whether there was one. */
  revokeToken(id: string): boolean {
    return this.#rows("DELETE FROM tokens WHERE id = ? RETURNING *", id).length > 0;
  }

  #rows(query: string, ...values: string[]): TokenRow[] {
    const { sql } = this.ctx.storage;
    const tables = sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'tokens'").toArray();
    return tables.length === 0 ? [] : sql.exec<TokenRow>(query, ...values).toArray();
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

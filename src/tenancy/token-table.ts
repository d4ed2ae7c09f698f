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
  readonly minted_by: string | null;
  readonly family: string | null;
}

const COLUMNS =
  "id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, channel TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT, minted_by TEXT, family TEXT";

/** Columns that a table made by an earlier version lacks. */
const LATER_COLUMNS = ["expires_at", "minted_by", "family"];

/** The tokens. */
export class TokenTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keeps a token. */
  add(record: TokenRecord): void {
    this.#prepare();
    const { id, hash, scopes, channel, created_at, expires_at = null, minted_by = null, family = null } = record;
    const values = [id, hash, scopes.join(" "), channel, created_at, expires_at, minted_by, family];
    this.#sql.exec(
      "INSERT INTO tokens (id, hash, scopes, channel, created_at, expires_at, minted_by, family) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ...values,
    );
  }

  /** The token with a hash, or null. */
  find(hash: TokenRecord["hash"]): TokenRecord | null {
    const [row] = this.#rows("SELECT * FROM tokens WHERE hash = ?", hash);
    return row && sameHash(row.hash, hash) ? this.#withFamily(toRecord(row)) : null;
  }

  /** All tokens, oldest first. */
  list(): TokenRecord[] {
    return this.#rows("SELECT * FROM tokens ORDER BY created_at, id").map(toRecord);
  }

  /** Forgets a token, but not which token made it; tells whether there was one. */
  remove(id: string): boolean {
    const [row] = this.#rows("DELETE FROM tokens WHERE id = ? RETURNING *", id);
    if (row?.minted_by) {
      this.#sql.exec("CREATE TABLE IF NOT EXISTS revoked (id TEXT PRIMARY KEY, minted_by TEXT NOT NULL)");
      this.#sql.exec("INSERT OR REPLACE INTO revoked VALUES (?, ?)", id, row.minted_by);
    }
    return row !== undefined;
  }

  /** A token's id, that of the token that made it, and so on: also through those that were revoked since. */
  lineage(id: string): ReadonlySet<string> {
    const ids = new Set([id]);
    // A set that grows is walked to its new end.
    for (const known of ids) {
      const minter = this.#minterOf(known);
      if (minter !== null) {
        ids.add(minter);
      }
    }
    return ids;
  }

  /** A token that an earlier version made over HTTP is in the hand of the first of its line. */
  #withFamily(record: TokenRecord): TokenRecord {
    const family = record.family ?? (record.minted_by === undefined ? undefined : [...this.lineage(record.id)].at(-1));
    return family === undefined ? record : { ...record, family };
  }

  #minterOf(id: string): string | null {
    const [row] = this.#rows("SELECT * FROM tokens WHERE id = ?", id);
    if (row !== undefined || !hasTable(this.#sql, "revoked")) {
      return row?.minted_by ?? null;
    }
    const [gone] = this.#sql.exec<{ minted_by: string }>("SELECT minted_by FROM revoked WHERE id = ?", id).toArray();
    return gone?.minted_by ?? null;
  }

  #prepare(): void {
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS tokens (${COLUMNS})`);
    const known = this.#sql.exec<{ name: string }>("SELECT name FROM pragma_table_info('tokens')").toArray();
    for (const column of LATER_COLUMNS.filter((later) => !known.some(({ name }) => name === later))) {
      this.#sql.exec(`ALTER TABLE tokens ADD COLUMN ${column} TEXT`);
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
    ...(row.minted_by === null || row.minted_by === undefined ? {} : { minted_by: row.minted_by }),
    ...(row.family === null || row.family === undefined ? {} : { family: row.family }),
  };
}

function sameHash(a: string, b: TokenRecord["hash"]): boolean {
  const encoder = new TextEncoder();
  return (
    a.length === b.length && crypto.subtle.timingSafeEqual(encoder.encode(a), encoder.encode(`sha256:${hexOf(b)}`))
  );
}

/** Owns asking a Durable Object's store for its tables: reading must not make any, so that a made-up tenant leaves nothing behind. */

/** Tells whether a table was made. */
export function hasTable(sql: SqlStorage, name: string): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).toArray().length > 0;
}

/**
 * Owns which blobs the skills put at run time of one tenant need, inside its Durable Object: what nothing needs any more is told to who removes it,
 * later than anybody may be using it, and never while somebody is about to write it again. Never touches storage.
 */
import { WORK_MS } from "../bundle/keys.ts";
import type { Digest } from "../model/digest.ts";
import { hasTable } from "./sql-tables.ts";

/** Blobs removed in one go. */
const BATCH = 100;

interface RecordRow extends Record<string, SqlStorageValue> {
  readonly record: string;
  readonly needs: string;
}

interface BlobRow extends Record<string, SqlStorageValue> {
  readonly digest: string;
}

const BLOBS = "runtime_blobs";
const RECORDS = "runtime_records";

/** Blobs that come and go. */
export class RuntimeBlobs {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Somebody is about to write blobs, and to put a record that needs them within 10 minutes. False while some of them are being removed. */
  announce(digests: readonly Digest[], now: number): boolean {
    this.#make();
    const going = new Set(
      this.#sql
        .exec<BlobRow>(`SELECT digest FROM ${BLOBS} WHERE claimed > ?`, now - WORK_MS)
        .toArray()
        .map(digestOf),
    );
    if (digests.some((digest) => going.has(digest))) {
      return false;
    }
    for (const digest of digests) {
      this.#sql.exec(
        `INSERT INTO ${BLOBS} (digest, coming) VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET coming = excluded.coming, claimed = NULL`,
        digest,
        now + WORK_MS,
      );
    }
    return true;
  }

  /** A record is live, and needs some blobs, itself among them. */
  keep(record: Digest, needs: readonly Digest[]): void {
    this.#make();
    this.#sql.exec(
      `INSERT INTO ${RECORDS} VALUES (?, ?, NULL) ON CONFLICT (record) DO UPDATE SET left_at = NULL`,
      record,
      JSON.stringify(needs),
    );
    for (const digest of needs) {
      this.#sql.exec(`DELETE FROM ${BLOBS} WHERE digest = ?`, digest);
    }
  }

  /** A record was live for the last time in the state of a number. */
  leave(record: Digest, seq: number): void {
    if (hasTable(this.#sql, RECORDS)) {
      this.#sql.exec(`UPDATE ${RECORDS} SET left_at = ? WHERE record = ?`, seq, record);
    }
  }

  /** The states up to a number are kept no longer. */
  forget(seq: number, now: number): void {
    if (!hasTable(this.#sql, RECORDS)) {
      return;
    }
    const gone = this.#sql.exec<RecordRow>(`DELETE FROM ${RECORDS} WHERE left_at <= ? RETURNING *`, seq).toArray();
    if (gone.length > 0) {
      const needed = this.#needed();
      for (const digest of gone.flatMap(needsOf).filter((item) => !needed.has(item))) {
        this.#sql.exec(
          `INSERT INTO ${BLOBS} (digest, gone) VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET gone = coalesce(gone, excluded.gone)`,
          digest,
          now,
        );
      }
    }
  }

  /** Some that nothing has needed for 10 minutes: whoever asks removes them within that time, and then tells {@link removed}. */
  claim(now: number): Digest[] {
    if (!hasTable(this.#sql, BLOBS)) {
      return [];
    }
    this.#takeBack(now);
    const before = now - WORK_MS;
    const rows = this.#sql
      .exec<BlobRow>(
        `SELECT digest FROM ${BLOBS} WHERE gone <= ? AND coming IS NULL AND (claimed IS NULL OR claimed <= ?) LIMIT ${BATCH}`,
        before,
        before,
      )
      .toArray();
    for (const { digest } of rows) {
      this.#sql.exec(`UPDATE ${BLOBS} SET claimed = ? WHERE digest = ?`, now, digest);
    }
    return rows.map(digestOf);
  }

  /** They are removed. */
  removed(digests: readonly Digest[]): void {
    for (const digest of digests) {
      this.#sql.exec(`DELETE FROM ${BLOBS} WHERE digest = ? AND claimed IS NOT NULL`, digest);
    }
  }

  /** What was announced and never needed may have been written all the same. */
  #takeBack(now: number): void {
    const late = this.#sql.exec<BlobRow>(`SELECT digest FROM ${BLOBS} WHERE coming <= ?`, now).toArray();
    if (late.length > 0) {
      const needed = this.#needed();
      for (const { digest } of late) {
        const change = needed.has(digest)
          ? `DELETE FROM ${BLOBS} WHERE digest = ?2`
          : `UPDATE ${BLOBS} SET coming = NULL, gone = coalesce(gone, ?1) WHERE digest = ?2`;
        this.#sql.exec(change, now, digest);
      }
    }
  }

  #needed(): ReadonlySet<string> {
    return new Set(this.#sql.exec<RecordRow>(`SELECT * FROM ${RECORDS}`).toArray().flatMap(needsOf));
  }

  #make(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS ${BLOBS} (digest TEXT PRIMARY KEY, coming INTEGER, gone INTEGER, claimed INTEGER)`,
    );
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS ${RECORDS} (record TEXT PRIMARY KEY, needs TEXT NOT NULL, left_at INTEGER)`,
    );
  }
}

function digestOf({ digest }: BlobRow): Digest {
  return digest as Digest;
}

function needsOf({ needs }: RecordRow): string[] {
  return JSON.parse(needs) as string[];
}

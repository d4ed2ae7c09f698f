/**
 * Owns what a tenant has sent and not yet deployed, inside its Durable Object. It counts only while an upload is open without a break: as long as one
 * is, a note in storage keeps removals out, so what was sent is still there. Never asks storage, so it cannot tell what others hold.
 */
import type { Digest } from "../model/digest.ts";
import { UPLOAD_LIMITS } from "../model/upload.ts";
import { hasTable } from "./sql-tables.ts";

/** Rows of one answer, and characters of records in it: what RPC carries ends at 32 MiB. */
const PAGE_ROWS = 5_000;
const PAGE_CHARACTERS = 4_000_000;

/** A blob whose bytes the tenant has shown. */
export interface Sent {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  /** What is known of a record, as JSON; null for any other blob. */
  readonly record: string | null;
}

/** An open upload. */
export interface OpenUpload {
  readonly id: string;
  /** When it ends if nobody goes on, milliseconds since 1970. */
  readonly until: number;
}

interface OpenRow extends Record<string, SqlStorageValue> {
  readonly id: string;
  readonly until: number;
}

interface SentRow extends Record<string, SqlStorageValue> {
  readonly digest: string;
  readonly size: number;
  readonly record: string | null;
}

/** Uploads of one tenant. */
export class UploadTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Opens an upload; false when too many are open. */
  begin({ id, until }: OpenUpload, now: number): boolean {
    this.#sql.exec("CREATE TABLE IF NOT EXISTS uploads (id TEXT PRIMARY KEY, until INTEGER NOT NULL)");
    this.#sql.exec("CREATE TABLE IF NOT EXISTS sent (digest TEXT PRIMARY KEY, size INTEGER NOT NULL, record TEXT)");
    this.#forget(now);
    const open = this.#sql.exec("SELECT 1 FROM uploads").toArray().length;
    if (open >= UPLOAD_LIMITS.open) {
      return false;
    }
    this.#sql.exec("INSERT INTO uploads VALUES (?, ?)", id, until);
    return true;
  }

  /** An open upload; null when it is over, or never was. */
  find(id: string, now: number): OpenUpload | null {
    if (!hasTable(this.#sql, "uploads")) {
      return null;
    }
    const [row] = this.#sql.exec<OpenRow>("SELECT * FROM uploads WHERE id = ? AND until > ?", id, now).toArray();
    return row === undefined ? null : { id: row.id, until: row.until };
  }

  /** Lets an open upload last longer; false when it is over. */
  extend({ id, until }: OpenUpload, now: number): boolean {
    const isOpen = this.find(id, now) !== null;
    if (isOpen) {
      this.#sql.exec("UPDATE uploads SET until = max(until, ?) WHERE id = ?", until, id);
    }
    return isOpen;
  }

  /** Writes down what was sent. `gone`: the upload is over. `full`: the tenant has sent too much. */
  take(id: string, sent: readonly Sent[], now: number): "taken" | "gone" | "full" {
    if (this.find(id, now) === null) {
      return "gone";
    }
    for (const { digest, size, record } of sent) {
      this.#sql.exec(
        "INSERT INTO sent VALUES (?, ?, ?) ON CONFLICT (digest) DO UPDATE SET record = coalesce(excluded.record, record)",
        digest,
        size,
        record,
      );
    }
    const [total] = this.#sql
      .exec<{ count: number; bytes: number; notes: number }>(
        "SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes, coalesce(sum(length(record)), 0) AS notes FROM sent",
      )
      .toArray();
    const isFull =
      (total?.bytes ?? 0) > UPLOAD_LIMITS.pendingBytes ||
      (total?.notes ?? 0) > UPLOAD_LIMITS.pendingNotes ||
      (total?.count ?? 0) > 2 * UPLOAD_LIMITS.blobs;
    if (isFull) {
      for (const { digest } of sent) {
        this.#sql.exec("DELETE FROM sent WHERE digest = ?", digest);
      }
    }
    return isFull ? "full" : "taken";
  }

  /** What the tenant has sent and that counts, after a digest, as much as fits one answer; null when the upload is over. */
  sent(id: string, after: string, now: number): Sent[] | null {
    if (this.find(id, now) === null) {
      return null;
    }
    const page: Sent[] = [];
    let size = 0;
    for (const row of this.#sql.exec<SentRow>("SELECT * FROM sent WHERE digest > ? ORDER BY digest", after)) {
      page.push({ digest: row.digest as Digest, size: row.size, record: row.record });
      size += row.record?.length ?? 0;
      if (page.length >= PAGE_ROWS || size >= PAGE_CHARACTERS) {
        break;
      }
    }
    return page;
  }

  /** Ends an upload. */
  end(id: string, now: number): void {
    if (hasTable(this.#sql, "uploads")) {
      this.#sql.exec("DELETE FROM uploads WHERE id = ?", id);
      this.#forget(now);
    }
  }

  /** With the last open upload goes what was sent: from then on it may be removed from storage. */
  #forget(now: number): void {
    this.#sql.exec("DELETE FROM uploads WHERE until <= ?", now);
    if (this.#sql.exec("SELECT 1 FROM uploads LIMIT 1").toArray().length === 0) {
      this.#sql.exec("DELETE FROM sent");
    }
  }
}

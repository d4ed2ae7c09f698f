/**
 * Owns the skills put at run time of one tenant, inside its Durable Object: every change makes a new bundle, earlier ones stay for who is
 * pinned to them. Never reads a file of a skill; those lie beside, in R2 or KV.
 */
import { decodeIndex, encodeIndex, type IndexEntry } from "../bundle/index-format.ts";
import { HISTORY_LENGTH } from "../bundle/pointer-format.ts";
import { type Digest, digestOf, hexOf } from "../model/digest.ts";
import { MAX_RUNTIME_SKILLS, NO_RUNTIME, type RuntimeState } from "../model/runtime-state.ts";
import type { RuntimeBlobs } from "./runtime-blobs.ts";
import { hasTable } from "./sql-tables.ts";

interface BundleRow extends Record<string, SqlStorageValue> {
  readonly seq: number;
  readonly bundle: string;
  readonly document: string;
}

const TABLE = "runtime_bundles";

/** The bundles of skills put at run time. */
export class RuntimeTable {
  readonly #sql: SqlStorage;
  readonly #blobs: RuntimeBlobs;

  constructor(sql: SqlStorage, blobs: RuntimeBlobs) {
    this.#sql = sql;
    this.#blobs = blobs;
  }

  /** What is live. */
  live(): RuntimeState {
    return this.#find(`SELECT * FROM ${TABLE} ORDER BY seq DESC LIMIT 1`) ?? NO_RUNTIME;
  }

  /** A kept bundle, by the first hex digits of its digest; null when there is none. */
  kept(prefix: string): RuntimeState | null {
    return this.#find(`SELECT * FROM ${TABLE} WHERE substr(bundle, 8, ?) = ? ORDER BY seq DESC LIMIT 1`, [
      prefix.length,
      prefix,
    ]);
  }

  /** Puts a skill in place of the one of its name; `needs` are its blobs, the record among them. Null when there is no room for one more. */
  async put(entry: IndexEntry, needs: readonly Digest[], now: number): Promise<RuntimeState | null> {
    return this.#change(now, (entries) => {
      const others = entries.filter(({ name }) => name !== entry.name);
      if (others.length >= MAX_RUNTIME_SKILLS) {
        return null;
      }
      this.#blobs.keep(entry.record, needs);
      return [...others, entry];
    });
  }

  /** Removes a skill; null when there is none of this name. */
  remove(name: string, now: number): Promise<RuntimeState | null> {
    return this.#change(now, (entries) => {
      const others = entries.filter((entry) => entry.name !== name);
      return others.length < entries.length ? others : null;
    });
  }

  async #change(
    now: number,
    change: (entries: readonly IndexEntry[]) => readonly IndexEntry[] | null,
  ): Promise<RuntimeState | null> {
    for (;;) {
      const before = this.live();
      const entries = change(entriesOf(before));
      if (entries === null) {
        return null;
      }
      const bytes = encodeIndex(entries);
      const bundle = await digestOf(bytes);
      // Hashing let other calls in: what they changed must not be lost.
      if (this.live().seq === before.seq) {
        const state = this.#add(bundle, new TextDecoder().decode(bytes));
        const live = new Set(entries.map(({ record }) => record));
        for (const { record } of entriesOf(before).filter((entry) => !live.has(entry.record))) {
          this.#blobs.leave(record, before.seq);
        }
        this.#blobs.forget(state.seq - HISTORY_LENGTH, now);
        return state;
      }
    }
  }

  #add(bundle: Digest, index: string): RuntimeState {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (seq INTEGER PRIMARY KEY AUTOINCREMENT, bundle TEXT NOT NULL, document TEXT NOT NULL)`,
    );
    this.#sql.exec(`INSERT INTO ${TABLE} (bundle, document) VALUES (?, ?)`, bundle, index);
    const state = this.live();
    this.#sql.exec(`DELETE FROM ${TABLE} WHERE seq <= ?`, state.seq - HISTORY_LENGTH);
    return state;
  }

  #find(query: string, values: readonly (string | number)[] = []): RuntimeState | null {
    if (!hasTable(this.#sql, TABLE)) {
      return null;
    }
    const [row] = this.#sql.exec<BundleRow>(query, ...values).toArray();
    return row === undefined ? null : { seq: row.seq, bundle: row.bundle as Digest, index: row.document };
  }
}

/** The skills of a state. */
export function entriesOf({ index }: RuntimeState): readonly IndexEntry[] {
  return index === "" ? [] : decodeIndex(new TextEncoder().encode(index)).skills;
}

/** Tells whether a digest begins with some hex digits. */
export function beginsWith(bundle: Digest | null, prefix: string): boolean {
  return bundle !== null && hexOf(bundle).startsWith(prefix);
}

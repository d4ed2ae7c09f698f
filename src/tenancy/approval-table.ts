/**
 * Owns the approvals of one tenant, inside its Durable Object: asked, decided, used once. Every method is one step: nothing comes between
 * its reading and its writing. Never asks a person and never runs anything.
 */
import type { ApprovalRecord, ApprovalRequest, ApprovalVerdict, VerdictOutcome } from "../model/approval-record.ts";
import type { Digest } from "../model/digest.ts";
import type { AnswerTable } from "./answer-table.ts";
import { hasTable } from "./sql-tables.ts";

/** How long a question waits, and an answer counts, milliseconds. */
export const APPROVAL_LIFETIME_MS = 15 * 60_000;

/** How long one that was used is kept, for repeats. */
const USED_MS = 24 * 60 * 60_000;

/** How long one that came to nothing is kept, for those who look back. */
const OVER_MS = 60 * 60_000;

/** How many may wait at a time. */
export const MAX_PENDING = 1_000;

/** How many tokens may ask the same. One more is refused: who is not written down as an asker could decide. */
export const MAX_ASKERS = 100;

/** Characters of arguments that are kept to be shown. */
const MAX_SHOWN = 20_000;

/** What is kept of a question; one of an earlier version knows only who asked first, and no input. */
type KeptRequest = Omit<ApprovalRequest, Later> & Partial<Pick<ApprovalRecord, Later | "askers" | "families">>;

type Later = "family" | "input" | "network" | "actor";

interface Row extends Record<string, SqlStorageValue> {
  readonly id: string;
  readonly request: string;
  readonly status: string;
  readonly created: number;
  readonly expires: number;
  readonly decided_by: string | null;
  readonly decided: number | null;
}

/** What a token asked, and what became of it. */
export class ApprovalTable {
  readonly #sql: SqlStorage;
  readonly #answers: AnswerTable;

  constructor(sql: SqlStorage, answers: AnswerTable) {
    this.#sql = sql;
    this.#answers = answers;
  }

  /** The approval of a binding that waits, was denied, or was given and not used; else a new one. Null: too many wait, or ask the same. */
  open(request: ApprovalRequest, now: number): { readonly approval: ApprovalRecord; readonly isNew: boolean } | null {
    this.#prepare();
    this.#forget(now);
    const [known] = this.#rows(
      "SELECT * FROM approvals WHERE binding = ? AND status != 'used' AND expires > ? ORDER BY created LIMIT 1",
      request.binding,
      now,
    );
    if (known) {
      const approval = this.#joined(this.#record(known, now), known.request, request);
      return approval && { approval, isNew: false };
    }
    const waiting = this.#rows(
      "SELECT * FROM approvals WHERE status = 'pending' AND expires > ? LIMIT ?",
      now,
      MAX_PENDING,
    );
    if (waiting.length === MAX_PENDING) {
      return null;
    }
    const shown = JSON.stringify(request.arguments ?? null).length > MAX_SHOWN ? null : (request.arguments ?? null);
    const id = crypto.randomUUID();
    this.#sql.exec(
      "INSERT INTO approvals VALUES (?, ?, ?, 'pending', ?, ?, NULL, NULL)",
      id,
      request.binding,
      JSON.stringify({
        ...request,
        arguments: shown,
        askers: [request.asked_by],
        families: [request.family],
      } satisfies KeptRequest),
      now,
      now + APPROVAL_LIFETIME_MS,
    );
    const [row] = this.#rows("SELECT * FROM approvals WHERE id = ?", id);
    return row === undefined ? null : { approval: this.#record(row, now), isNew: true };
  }

  /** An approval; null when it is not known. */
  get(id: string, now: number): ApprovalRecord | null {
    const [row] = this.#rows("SELECT * FROM approvals WHERE id = ?", id);
    return row === undefined ? null : this.#record(row, now);
  }

  /** Those that wait, oldest first. */
  pending(now: number): ApprovalRecord[] {
    const rows = this.#rows(
      "SELECT * FROM approvals WHERE status = 'pending' AND expires > ? ORDER BY created, id",
      now,
    );
    return rows.map((row) => this.#record(row, now));
  }

  /** Takes what a person said with a token; `lineageOf` gives a token's id and those it comes of. */
  decide(
    id: string,
    { decision, remember, by, family }: ApprovalVerdict,
    lineageOf: (token: string) => ReadonlySet<string>,
    now: number,
  ): VerdictOutcome {
    const approval = this.get(id, now);
    if (approval === null) {
      return { outcome: "unknown" };
    }
    const lineage = lineageOf(by);
    const isOwn = approval.askers.some((asker) => lineage.has(asker) || lineageOf(asker).has(by));
    if (isOwn || approval.families.includes(family)) {
      return { outcome: "own" };
    }
    if (approval.status !== "pending") {
      return { outcome: "closed" };
    }
    const bound = remember === "script" ? approval.standing : approval.skill.digest && approval.binding;
    if (decision === "approve" && remember !== "once") {
      if (bound === null) {
        return { outcome: "unbound" };
      }
      this.#sql.exec("INSERT OR REPLACE INTO standing VALUES (?, ?, ?)", bound, by, now);
    }
    const status = decision === "approve" ? "approved" : "denied";
    this.#sql.exec("UPDATE approvals SET status = ?, decided_by = ?, decided = ? WHERE id = ?", status, by, now, id);
    const decided = this.get(id, now);
    return decided === null ? { outcome: "unknown" } : { outcome: "decided", approval: decided };
  }

  /** Marks an approved one as used; false when it is not approved, or another call was first. */
  take(id: string, now: number): boolean {
    const taken = this.#rows(
      "UPDATE approvals SET status = 'used' WHERE id = ? AND status = 'approved' AND expires > ? RETURNING *",
      id,
      now,
    );
    return taken.length > 0;
  }

  /** Keeps what the call answered; null: nothing was done after all, it can be used again. */
  finish(id: string, answer: string | null): void {
    if (answer === null) {
      this.#rows("UPDATE approvals SET status = 'approved' WHERE id = ? AND status = 'used' RETURNING *", id);
    } else {
      this.#answers.put(keyOf(id), answer);
    }
  }

  /** Tells whether one of these was approved for good. */
  isStanding(bindings: readonly Digest[]): boolean {
    return (
      hasTable(this.#sql, "standing") &&
      bindings.some(
        (binding) => this.#sql.exec("SELECT 1 FROM standing WHERE binding = ?", binding).toArray().length > 0,
      )
    );
  }

  /** Writes down one more asker of what still waits; null when there are too many. */
  #joined(approval: ApprovalRecord, request: string, { asked_by, family }: ApprovalRequest): ApprovalRecord | null {
    if (approval.status !== "pending" || approval.askers.includes(asked_by)) {
      return approval;
    }
    if (approval.askers.length >= MAX_ASKERS) {
      return null;
    }
    const askers = [...approval.askers, asked_by];
    const families = [...new Set([...approval.families, family])];
    const kept: KeptRequest = { ...(JSON.parse(request) as KeptRequest), askers, families };
    this.#sql.exec("UPDATE approvals SET request = ? WHERE id = ?", JSON.stringify(kept), approval.id);
    return { ...approval, askers, families };
  }

  #prepare(): void {
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS approvals (id TEXT PRIMARY KEY, binding TEXT NOT NULL, request TEXT NOT NULL, status TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL, decided_by TEXT, decided INTEGER)",
    );
    this.#sql.exec("CREATE INDEX IF NOT EXISTS approvals_binding ON approvals (binding)");
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS standing (binding TEXT PRIMARY KEY, by TEXT NOT NULL, at INTEGER NOT NULL)",
    );
  }

  #forget(now: number): void {
    const query = "DELETE FROM approvals WHERE expires < ? OR (expires < ? AND status != 'used') RETURNING *";
    for (const { id } of this.#rows(query, now - USED_MS, now - OVER_MS)) {
      this.#answers.remove(keyOf(id));
    }
  }

  #rows(query: string, ...values: (string | number)[]): Row[] {
    return hasTable(this.#sql, "approvals") ? this.#sql.exec<Row>(query, ...values).toArray() : [];
  }

  #record(row: Row, now: number): ApprovalRecord {
    const isOver = row.status !== "used" && now >= row.expires;
    const request = JSON.parse(row.request) as KeptRequest;
    return {
      ...request,
      id: row.id,
      input: request.input ?? null,
      network: request.network ?? [],
      actor: request.actor ?? null,
      askers: request.askers ?? [request.asked_by],
      family: request.family ?? request.asked_by,
      families: request.families ?? request.askers ?? [request.asked_by],
      status: isOver ? "expired" : (row.status as ApprovalRecord["status"]),
      created_at: new Date(row.created).toISOString(),
      expires_at: new Date(row.expires).toISOString(),
      decided_by: row.decided_by,
      decided_at: row.decided === null ? null : new Date(row.decided).toISOString(),
      answer: row.status === "used" ? this.#answers.get(keyOf(row.id)) : null,
    };
  }
}

function keyOf(id: string): string {
  return `approval:${id}`;
}

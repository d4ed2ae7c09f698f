/** Owns the shape of an approval as a tenant's Durable Object keeps it and tells of it (DESIGN.md §8). Types only. */
import type { Digest } from "./digest.ts";
import type { JsonValue } from "./record.ts";
import type { RunLimits } from "./run.ts";

/** What a call is given beside its arguments, as far as a person is shown it; to the last byte it is in the binding. */
export interface ApprovalInput {
  /** The beginning of standard input, 4 KiB at most; empty where there is none. */
  readonly stdin: string;
  /** Bytes of all of it. */
  readonly stdin_bytes: number;
  /** The first 100 files that come along. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** How many there are. */
  readonly file_count: number;
  readonly limits: RunLimits;
}

/** A call that a person is asked about. */
export interface ApprovalRequest {
  /** Over all that decides what happens. */
  readonly binding: Digest;
  /** What an approval for good would be bound to; null where nothing can be. */
  readonly standing: Digest | null;
  readonly session: string | null;
  readonly tool: string;
  readonly skill: { readonly name: string; readonly digest: Digest | null };
  readonly item: string | null;
  /** Null where they are too long to be shown; what they are is in the binding all the same. */
  readonly arguments: JsonValue;
  /** Null for what is not run. */
  readonly input: ApprovalInput | null;
  /** Origins that the operator's rules let this skill reach for this tenant, 50 at most; never what is sent there. */
  readonly network: readonly string[];
  /** The subject of the JWT that asked first; null for any other token. */
  readonly actor: string | null;
  /** Id of the token that asked first. */
  readonly asked_by: string;
  /** In whose hand that token is (`familyOfNew` of token.ts). */
  readonly family: string;
}

export type ApprovalState = "pending" | "approved" | "denied" | "used" | "expired";

/** An approval. */
export interface ApprovalRecord extends ApprovalRequest {
  readonly id: string;
  /** Ids of all tokens that asked while it waited, the first first: none of them can ever decide. */
  readonly askers: readonly string[];
  /** In whose hands these tokens are: no token in one of them can ever decide. */
  readonly families: readonly string[];
  readonly status: ApprovalState;
  /** ISO 8601, as all times. */
  readonly created_at: string;
  readonly expires_at: string;
  /** Id of the token that decided. */
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  /** JSON text of what the call answered once it ran; null before. */
  readonly answer: string | null;
}

/** What a person said. */
export interface ApprovalVerdict {
  readonly decision: "approve" | "deny";
  readonly remember: "once" | "call" | "script";
  readonly by: string;
  /** In whose hand that token is. */
  readonly family: string;
}

/** How a verdict was taken. `own`: by a token that asked, or one in the same hand. `closed`: it waits no longer. `unbound`: nothing to bind it to for good. */
export type VerdictOutcome =
  | { readonly outcome: "decided"; readonly approval: ApprovalRecord }
  | { readonly outcome: "unknown" | "own" | "closed" | "unbound" };

/** How a keyed call begins. `conflict`: another call has this key. `running`: its twin has no answer yet. */
export type KeyedCall =
  | { readonly state: "new" | "conflict" | "running" }
  | { readonly state: "done"; readonly answer: string };

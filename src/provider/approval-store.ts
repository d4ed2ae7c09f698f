/** Owns the contract for what remembers approvals. In memory: memory-approval-store.ts; one that survives isolates belongs to whoever serves. */
import type { ApprovalInput } from "../model/approval-record.ts";
import type { Digest } from "../model/digest.ts";
import type { JsonValue } from "../model/record.ts";
import type { ToolAnswer } from "./answers.ts";
import type { ToolName } from "./tools.ts";

/** `used`: it ran, once. `expired`: nobody decided, or nobody called, in time. */
export type ApprovalStatus = "pending" | "approved" | "denied" | "used" | "expired";

/** What a person is asked. */
export interface ApprovalDraft {
  /** Digest over all that decides what happens: tenant, skill, script, their digests, arguments, input, limits. */
  readonly binding: Digest;
  /** What a standing approval of this script, whatever its arguments, would be bound to; null where nothing can be bound to. */
  readonly standing: Digest | null;
  readonly tenant: string | null;
  readonly session: string | null;
  readonly tool: ToolName;
  readonly skill: { readonly name: string; readonly digest: Digest | null };
  readonly item: string | null;
  readonly arguments: JsonValue | undefined;
  /** What else it is given, as far as a person is shown it. */
  readonly input: ApprovalInput | null;
}

/** A question with its state. */
export interface Approval extends ApprovalDraft {
  readonly id: string;
  readonly status: ApprovalStatus;
  /** ISO 8601. */
  readonly expires_at: string;
  /** What the call answered once it ran. */
  readonly answer: ToolAnswer | null;
}

/** What a person said. */
export interface ApprovalDecision {
  readonly decision: "approve" | "deny";
  /** `once` (default), the same `call` from now on, or the same `script` with any arguments: as long as their digests stay. */
  readonly remember?: "once" | "call" | "script";
}

/** Remembers approvals. Each method is atomic: two calls at once never both {@link take} one. */
export interface ApprovalStore {
  /** The approval for a binding that waits, was denied, or was given and not used; a new one when there is none. */
  open(draft: ApprovalDraft): Promise<Approval>;
  /** An approval of a tenant; null when it is not known. */
  get(id: string, tenant: string | null): Promise<Approval | null>;
  /** All of a tenant that wait, oldest first. */
  listPending(tenant: string | null): Promise<readonly Approval[]>;
  /** Writes down what a person said. Throws `approval-invalid` for one that waits no longer. */
  decide(id: string, tenant: string | null, decision: ApprovalDecision): Promise<Approval>;
  /** Marks an approved one as used; false when it is not approved, or somebody else was first. */
  take(id: string): Promise<boolean>;
  /** Keeps the answer of the call that used it, for repeats; null: nothing was done after all, it can be used again. */
  finish(id: string, answer: ToolAnswer | null): Promise<void>;
  /** Tells whether one of these was approved for good by a tenant. */
  isStanding(tenant: string | null, bindings: readonly Digest[]): Promise<boolean>;
}

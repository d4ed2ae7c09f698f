/** Owns approvals of one process: for agents that live in it, and for tests. Bounded; gone with the process. */
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { ToolAnswer } from "./answers.ts";
import type { Approval, ApprovalDecision, ApprovalDraft, ApprovalStore } from "./approval-store.ts";

/** How approvals are kept. */
export interface MemoryApprovalOptions {
  /** How long a question waits, and an answer counts, milliseconds; default 15 minutes. */
  readonly lifetimeMs?: number;
  /** How many are kept; the oldest go first. Default 1,000. */
  readonly maxApprovals?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Told of each new question. */
  readonly onQuestion?: (approval: Approval) => void;
}

/**
 * Approvals in memory.
 *
 * @example
 * const approvals = new MemoryApprovalStore();
 * const provider = new AgentSkillsProviderBuilder().useScriptApproval({ store: approvals }).build();
 * await approvals.decide(answer.approval.id, null, { decision: "approve" });
 */
export class MemoryApprovalStore implements ApprovalStore {
  readonly #lifetimeMs: number;
  readonly #limit: number;
  readonly #clock: () => number;
  readonly #onQuestion: ((approval: Approval) => void) | undefined;
  readonly #approvals = new Map<string, Approval>();
  readonly #standing = new Set<string>();

  constructor(options: MemoryApprovalOptions = {}) {
    this.#lifetimeMs = options.lifetimeMs ?? 15 * 60_000;
    this.#limit = options.maxApprovals ?? 1_000;
    this.#clock = options.clock ?? Date.now;
    this.#onQuestion = options.onQuestion;
  }

  async open(draft: ApprovalDraft): Promise<Approval> {
    const open = [...this.#approvals.values()]
      .map((approval) => this.#current(approval))
      .find(({ binding, tenant, status }) => {
        return binding === draft.binding && tenant === draft.tenant && status !== "used" && status !== "expired";
      });
    if (open !== undefined) {
      return open;
    }
    const expires_at = new Date(this.#clock() + this.#lifetimeMs).toISOString();
    const approval: Approval = { ...draft, id: crypto.randomUUID(), status: "pending", expires_at, answer: null };
    this.#keep(approval);
    this.#onQuestion?.(approval);
    return approval;
  }

  async get(id: string, tenant: string | null): Promise<Approval | null> {
    const approval = this.#approvals.get(id);
    return approval === undefined || approval.tenant !== tenant ? null : this.#current(approval);
  }

  async listPending(tenant: string | null): Promise<readonly Approval[]> {
    return [...this.#approvals.values()]
      .map((approval) => this.#current(approval))
      .filter((approval) => approval.tenant === tenant && approval.status === "pending");
  }

  async decide(id: string, tenant: string | null, { decision, remember }: ApprovalDecision): Promise<Approval> {
    const approval = await this.get(id, tenant);
    if (approval === null || approval.status !== "pending") {
      throw new SkillsError("approval-invalid", `Cannot decide: the approval ${approval?.status ?? "is not known"}`);
    }
    if (decision === "approve" && (remember === "call" || remember === "script")) {
      this.#remember(approval, remember);
    }
    const decided: Approval = { ...approval, status: decision === "approve" ? "approved" : "denied" };
    this.#approvals.set(id, decided);
    return decided;
  }

  async take(id: string): Promise<boolean> {
    const approval = this.#approvals.get(id);
    if (approval === undefined || this.#current(approval).status !== "approved") {
      return false;
    }
    this.#approvals.set(id, { ...approval, status: "used" });
    return true;
  }

  async finish(id: string, answer: ToolAnswer | null): Promise<void> {
    const approval = this.#approvals.get(id);
    if (approval !== undefined) {
      this.#approvals.set(id, { ...approval, answer, status: answer === null ? "approved" : "used" });
    }
  }

  async isStanding(tenant: string | null, bindings: readonly Digest[]): Promise<boolean> {
    return bindings.some((binding) => this.#standing.has(standingKey(tenant, binding)));
  }

  #remember({ tenant, binding, standing, skill }: Approval, remember: "call" | "script"): void {
    const bound = remember === "script" ? standing : skill.digest === null ? null : binding;
    if (bound === null) {
      throw new SkillsError(
        "approval-invalid",
        "Cannot approve for good: a skill defined in code has no digest that would tell when it changes",
      );
    }
    this.#standing.add(standingKey(tenant, bound));
  }

  #current(approval: Approval): Approval {
    const isOpen = approval.status === "pending" || approval.status === "approved" || approval.status === "denied";
    return isOpen && this.#clock() >= Date.parse(approval.expires_at) ? { ...approval, status: "expired" } : approval;
  }

  #keep(approval: Approval): void {
    this.#approvals.set(approval.id, approval);
    const [oldest] = this.#approvals.keys();
    if (this.#approvals.size > this.#limit && oldest !== undefined) {
      this.#approvals.delete(oldest);
    }
  }
}

function standingKey(tenant: string | null, binding: Digest): string {
  return JSON.stringify([tenant, binding]);
}

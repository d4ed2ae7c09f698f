/** Owns asking a tenant's Durable Object about approvals, calls under a key, tokens and secrets. What comes back is plain data, released at once. */

import type {
  ApprovalRecord,
  ApprovalRequest,
  ApprovalVerdict,
  KeyedCall,
  VerdictOutcome,
} from "../model/approval-record.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError, toSkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import type { SealedSecret, SecretFacts } from "../model/secret.ts";
import type { KnownTenant } from "../model/tenant.ts";
import type { TokenRecord } from "../model/token.ts";
import { askObject, type RemoteTenant } from "./ask-object.ts";
import type { TenantObject } from "./tenant-object.ts";

/** How long one request to the object waits; longer waiting is done in several. */
const WAIT_MS = 25_000;

/** How long a repeat waits for the call that runs already. */
const TWIN_MS = 120_000;

/** What is written down about the calls of tenants. Made once per isolate. */
export class TenantBook {
  readonly #tenants: DurableObjectNamespace<TenantObject>;
  readonly #onUnkept: (error: SkillsError) => void;

  /** @param onUnkept told when the outcome of a call cannot be kept: repeats of it are refused, for 15 minutes */
  constructor(tenants: DurableObjectNamespace<TenantObject>, onUnkept: (error: SkillsError) => void = () => undefined) {
    this.#tenants = tenants;
    this.#onUnkept = onUnkept;
  }

  /** The approval of a call, a new one if it was not asked about. Throws `approvals-full`. */
  async open(tenant: string, request: ApprovalRequest): Promise<{ approval: ApprovalRecord; isNew: boolean }> {
    const opened = await this.#ask(tenant, (stub) => stub.openApproval(request));
    if (opened === null) {
      throw new SkillsError("approvals-full", "Cannot ask a person: too many calls wait already", {
        retryAfterMs: 60_000,
      });
    }
    return opened;
  }

  /** An approval; waits for its decision, no longer than `ms`. */
  decision(tenant: string, id: string, ms: number): Promise<ApprovalRecord | null> {
    return this.#ask(tenant, (stub) => stub.awaitApproval(id, "decision", ms), ms);
  }

  /** An approval; if a call is using it, with what that answered. */
  async answered(tenant: string, id: string): Promise<ApprovalRecord | null> {
    for (let left = TWIN_MS; ; left -= WAIT_MS) {
      const ms = Math.min(left, WAIT_MS);
      const approval = await this.#ask(tenant, (stub) => stub.awaitApproval(id, "answer", ms), ms);
      if (approval?.status !== "used" || approval.answer !== null || left <= WAIT_MS) {
        return approval;
      }
    }
  }

  /** Those that wait, oldest first. */
  pending(tenant: string): Promise<ApprovalRecord[]> {
    return this.#ask(tenant, (stub) => stub.pendingApprovals());
  }

  decide(tenant: string, id: string, verdict: ApprovalVerdict): Promise<VerdictOutcome> {
    return this.#ask(tenant, (stub) => stub.decideApproval(id, verdict));
  }

  take(tenant: string, id: string): Promise<boolean> {
    return this.#ask(tenant, (stub) => stub.takeApproval(id));
  }

  finish(tenant: string, id: string, answer: string | null): Promise<void> {
    return this.#finish(tenant, (stub) => stub.finishApproval(id, answer));
  }

  isStanding(tenant: string, bindings: readonly Digest[]): Promise<boolean> {
    return this.#ask(tenant, (stub) => stub.isStanding(bindings));
  }

  /** Begins a call under a key; waits for a twin that runs already. */
  async begin(tenant: string, key: string, call: string): Promise<KeyedCall> {
    for (let left = TWIN_MS; ; left -= WAIT_MS) {
      const ms = Math.min(left, WAIT_MS);
      const begun = await this.#ask(tenant, (stub) => stub.beginKeyed(key, call, ms), ms);
      if (begun.state !== "running" || left <= WAIT_MS) {
        return begun;
      }
    }
  }

  /** Keeps a token. */
  async addToken(tenant: string, record: TokenRecord): Promise<void> {
    await this.#note(tenant);
    return this.#ask(tenant, (stub) => stub.addToken(record));
  }

  /** A tenant's tokens, oldest first. */
  listTokens(tenant: string): Promise<TokenRecord[]> {
    return this.#ask(tenant, (stub) => stub.listTokens());
  }

  /** Forgets a token; tells whether there was one. */
  revokeToken(tenant: string, id: string): Promise<boolean> {
    return this.#ask(tenant, (stub) => stub.revokeToken(id));
  }

  /** Writes a tenant's name down; false when it was made before. */
  registerTenant(name: string, createdAt: string): Promise<boolean> {
    return this.#ask(PLATFORM_LAYER, (stub) => stub.registerTenant(name, createdAt));
  }

  /** The tenants whose names were written down. */
  listTenants(): Promise<KnownTenant[]> {
    return this.#ask(PLATFORM_LAYER, (stub) => stub.listTenants());
  }

  /** Forgets a tenant's name. */
  unregisterTenant(tenant: string): Promise<void> {
    return this.#ask(PLATFORM_LAYER, (stub) => stub.unregisterTenant(tenant));
  }

  /** Forgets all that a tenant's object has; tells how many tokens and secrets there were. */
  eraseTenant(tenant: string): Promise<{ tokens: number; secrets: number }> {
    return this.#ask(tenant, (stub) => stub.eraseTenant());
  }

  setTenantState(tenant: string, state: "active" | "suspended"): Promise<void> {
    return this.#ask(tenant, (stub) => stub.setTenantState(state));
  }

  isSuspended(tenant: string): Promise<boolean> {
    return this.#ask(tenant, (stub) => stub.isSuspended());
  }

  finishKeyed(tenant: string, key: string, answer: string | null): Promise<void> {
    return this.#finish(tenant, (stub) => stub.finishKeyed(key, answer));
  }

  /** Keeps a sealed secret; false when there is no room for one more. */
  async putSecret(tenant: string, secret: SealedSecret): Promise<boolean> {
    await this.#note(tenant);
    return this.#ask(tenant, (stub) => stub.putSecret(secret));
  }

  /** What was sealed under a name, or null. */
  findSecret(tenant: string, name: string): Promise<string | null> {
    return this.#ask(tenant, (stub) => stub.findSecret(name));
  }

  /** Names and dates, by name. */
  listSecrets(tenant: string): Promise<SecretFacts[]> {
    return this.#ask(tenant, (stub) => stub.listSecrets());
  }

  /** Forgets a secret; tells whether there was one. */
  removeSecret(tenant: string, name: string): Promise<boolean> {
    return this.#ask(tenant, (stub) => stub.removeSecret(name));
  }

  /** First the name, then what it is noted for: nothing is there that nobody finds. */
  async #note(tenant: string): Promise<void> {
    if (tenant !== PLATFORM_LAYER) {
      await this.#ask(PLATFORM_LAYER, (stub) => stub.noteTenant(tenant));
    }
  }

  /** A call is over, whatever becomes of the note of it: its outcome is not lost for that. One more try, then the log is told. */
  async #finish(tenant: string, finish: (stub: RemoteTenant) => Promise<void>): Promise<void> {
    try {
      await this.#ask(tenant, finish).catch(() => this.#ask(tenant, finish));
    } catch (error) {
      this.#onUnkept(toSkillsError(error));
    }
  }

  #ask<T>(tenant: string, ask: (stub: RemoteTenant) => Promise<T>, waitMs = 0): Promise<T> {
    return askObject(this.#tenants, tenant, ask, "what is kept of the tenant", waitMs);
  }
}

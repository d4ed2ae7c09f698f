/** Owns tokens that end with the command that made them, whatever else has ended by then. */
import type { DeployTarget } from "../deploy/target.ts";
import type { Scope } from "../model/token.ts";
import { type IssuedToken, issueToken } from "./issue-token.ts";

/** How long revoking through the running platform may take, milliseconds. */
const PATIENCE_MS = 2_000;

/** Makes tokens for one channel, and revokes them. */
export class IssuedTokens {
  readonly #target: DeployTarget;
  readonly #channel: string;
  readonly #issued: { readonly tenant: string; readonly issued: IssuedToken }[] = [];

  constructor(target: DeployTarget, channel: string) {
    this.#target = target;
    this.#channel = channel;
  }

  /** Makes a token for a tenant (or for the platform). */
  async issue(tenant: string, scopes: readonly Scope[]): Promise<string> {
    const issued = await issueToken(this.#target, tenant, { scopes, channel: this.#channel, now: () => new Date() });
    this.#issued.push({ tenant, issued });
    return issued.token;
  }

  /**
   * Revokes them all. Ctrl-C at a terminal ends the platform's process together with this one: then `reopen` gives another target over the
   * same state, which is closed again. Null when the state has gone with the platform.
   */
  async revoke(reopen: (() => Promise<DeployTarget>) | null): Promise<void> {
    try {
      await withinPatience(this.#revokeIn(this.#target));
    } catch {
      const target = await reopen?.();
      await this.#revokeIn(target ?? null).finally(() => target?.close());
    }
  }

  async #revokeIn(target: DeployTarget | null): Promise<void> {
    for (const { tenant, issued } of this.#issued) {
      const tokens = await target?.tokensOf(tenant);
      await tokens?.revokeToken(issued.record.id);
    }
  }
}

async function withinPatience(work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer")), PATIENCE_MS);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

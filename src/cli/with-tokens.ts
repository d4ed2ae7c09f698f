/** Owns reaching the tokens of a tenant where a command's `--target` keeps them: a local state directory, or an edge that is asked. */
import type { EdgeApi } from "../deploy/edge/edge-api.ts";
import type { DeployTarget } from "../deploy/target.ts";
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import type { Scope, TokenRecord } from "../model/token.ts";
import type { CommandContext, Flags } from "./command.ts";
import { edgeOverTarget } from "./edge-address.ts";
import { tenantFlag } from "./flags.ts";
import { issueToken } from "./issue-token.ts";
import { withEdgeApi } from "./with-edge.ts";
import { withTarget } from "./with-target.ts";

/** A token as it may be shown. */
export interface ShownToken extends Pick<TokenRecord, "id" | "scopes" | "channel" | "created_at"> {
  readonly tenant: string;
}

/** The tokens of one tenant, or of the platform. */
export interface Tokens {
  /** Whose, for people. */
  readonly whose: string;
  create(scopes: readonly Scope[], channel: string): Promise<{ id: string; tenant: string; token: string }>;
  /** Oldest first. */
  list(): Promise<readonly ShownToken[]>;
  /** Tells whether there was one. */
  revoke(id: string): Promise<boolean>;
}

/** Runs something with the tokens of `--tenant`; without it those of the platform, or of whoever asks an edge. */
export function withTokens<T>(flags: Flags, context: CommandContext, use: (tokens: Tokens) => Promise<T>): Promise<T> {
  const tenant = tenantFlag(flags);
  return edgeOverTarget(flags, context) === null
    ? withTarget(flags, context, (target) => use(storedTokens(target, tenant ?? PLATFORM_LAYER)))
    : withEdgeApi(flags, context, (edge) => use(askedTokens(edge, tenant)));
}

function storedTokens(target: DeployTarget, tenant: string): Tokens {
  return {
    whose: tenant,
    async create(scopes, channel) {
      if (tenant !== PLATFORM_LAYER) {
        await (await target.tokensOf(PLATFORM_LAYER)).noteTenant(tenant);
      }
      const { record, token } = await issueToken(target, tenant, { scopes, channel, now: () => new Date() });
      return { id: record.id, tenant, token };
    },
    async list() {
      const records = await (await target.tokensOf(tenant)).listTokens();
      return records.map(({ id, scopes, channel, created_at }) => ({ id, tenant, scopes, channel, created_at }));
    },
    revoke: async (id) => (await target.tokensOf(tenant)).revokeToken(id),
  };
}

function askedTokens(edge: EdgeApi, tenant: string | null): Tokens {
  const query = tenant === null ? "" : `?tenant=${tenant}`;
  return {
    whose: tenant ?? edge.tenant ?? edge.name,
    async create(scopes, channel) {
      const made = await edge.ask("POST", `/v1/tokens${query}`, { scopes, channel });
      return { id: String(made.id), tenant: String(made.tenant), token: String(made.token) };
    },
    async list() {
      const { tokens } = (await edge.ask("GET", `/v1/tokens${query}`)) as { tokens?: readonly ShownToken[] };
      return (tokens ?? []).map(({ id, tenant, scopes, channel, created_at }) => ({
        id,
        tenant,
        scopes,
        channel,
        created_at,
      }));
    },
    async revoke(id) {
      try {
        await edge.ask("DELETE", `/v1/tokens/${encodeURIComponent(id)}${query}`);
        return true;
      } catch (error) {
        if (SkillsError.is(error) && error.code === "token-unknown") {
          return false;
        }
        throw error;
      }
    },
  };
}

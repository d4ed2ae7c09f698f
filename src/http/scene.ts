/** Owns opening the scene of a request: who asks, and the one snapshot they see until the end of it. */
import type { Context } from "hono";
import { SkillsError } from "../model/errors.ts";
import { DEFAULT_CHANNEL, isChannelName } from "../model/layer.ts";
import type { Grant, Scope } from "../model/token.ts";
import type { AgentSkillsProvider } from "../provider/provider.ts";
import type { Snapshot } from "../tenancy/snapshots.ts";
import { identify } from "./caller.ts";
import type { Caller, EdgeEnv, EdgeParts, Occasion, Outlive } from "./parts.ts";
import { tenantOf } from "./tenant-of.ts";

/** What a handler works with. */
export interface Scene {
  readonly caller: Caller;
  readonly snapshot: Snapshot;
  readonly provider: AgentSkillsProvider;
  readonly occasion: Occasion;
}

/** The scene of a read for a tenant, which may be another than the caller's own. */
export interface LookedAfter extends Scene {
  readonly tenant: string;
}

/** The scene of a read whose caller needs a scope. */
export async function enter(
  c: Context<EdgeEnv>,
  parts: EdgeParts,
  scope: Scope,
  pinned: string | null,
): Promise<Scene> {
  const caller = await identify(c.req.raw, parts, scope);
  const snapshot = await see(c, parts, caller, pinned);
  const occasion = { caller, requestId: c.get("requestId") };
  return { caller, snapshot, provider: parts.readerFor(snapshot, occasion), occasion };
}

/**
 * The scene of a read over `GET`, which the platform's operator may ask for another tenant with `?tenant=`: what they see then is what its
 * callers see, except where a rule says `unless_scope`, also while it is suspended.
 */
export async function enterFor(c: Context<EdgeEnv>, parts: EdgeParts, pinned: string | null): Promise<LookedAfter> {
  const caller = await identify(c.req.raw, parts, "read");
  const tenant = tenantOf(c, caller.grant);
  const snapshot = await see(c, parts, { ...caller, grant: { ...caller.grant, tenant } }, pinned);
  const occasion = { caller, requestId: c.get("requestId") };
  return { caller, tenant, snapshot, provider: parts.readerFor(snapshot, occasion), occasion };
}

/** The scene of a caller who may run scripts. */
export async function look(
  c: Context<EdgeEnv>,
  parts: EdgeParts,
  caller: Caller,
  pinned: string | null,
): Promise<Scene> {
  const snapshot = await see(c, parts, caller, pinned);
  const occasion = { caller, requestId: c.get("requestId") };
  const outlive: Outlive = (work) => c.executionCtx.waitUntil(work);
  return { caller, snapshot, provider: parts.providerFor(snapshot, occasion, outlive), occasion };
}

function see(
  c: Context<EdgeEnv>,
  { snapshots }: EdgeParts,
  { grant }: Caller,
  pinned: string | null,
): Promise<Snapshot> {
  return snapshots.resolve(inChannel(c, grant), pinned ?? c.req.header("X-Skills-Bundle") ?? null);
}

/** The token decides the channel; where it says nothing else than the default, `/c/<channel>/` before the path does. */
function inChannel(c: Context<EdgeEnv>, grant: Grant): Grant {
  const channel = c.req.param("channel");
  if (channel === undefined) {
    return grant;
  }
  if (!isChannelName(channel)) {
    throw new SkillsError("route-not-found", "Cannot look into this channel: its name is none");
  }
  return grant.channel === DEFAULT_CHANNEL ? { ...grant, channel } : grant;
}

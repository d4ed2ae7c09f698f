/** Owns opening the scene of a request: who asks, and the one snapshot they see until the end of it. */
import type { Context } from "hono";
import type { Scope } from "../model/token.ts";
import type { AgentSkillsProvider } from "../provider/provider.ts";
import type { Snapshot } from "../tenancy/snapshots.ts";
import { identify } from "./caller.ts";
import type { Caller, EdgeEnv, EdgeParts } from "./parts.ts";

/** What a handler works with. */
export interface Scene {
  readonly caller: Caller;
  readonly snapshot: Snapshot;
  readonly provider: AgentSkillsProvider;
}

/** The scene of a request whose caller needs a scope. */
export async function enter(
  c: Context<EdgeEnv>,
  parts: EdgeParts,
  scope: Scope,
  pinned: string | null,
): Promise<Scene> {
  return look(c, parts, await identify(c.req.raw, parts, scope), pinned);
}

/** The scene of a caller who is known already. */
export async function look(
  c: Context<EdgeEnv>,
  parts: EdgeParts,
  caller: Caller,
  pinned: string | null,
): Promise<Scene> {
  const snapshot = await parts.snapshots.resolve(caller.grant, pinned ?? c.req.header("X-Skills-Bundle") ?? null);
  return { caller, snapshot, provider: parts.providerFor(snapshot, caller) };
}

/** Owns making tokens where their store can be reached directly: a local state. Never asks an edge. */

import type { DeployTarget } from "../deploy/target.ts";
import { hashToken, newToken, type Scope, type TokenRecord } from "../model/token.ts";

/** A made token: the record is kept, the token is told once. */
export interface IssuedToken {
  readonly token: string;
  readonly record: TokenRecord;
}

/** Makes a token and keeps it with its tenant (or with the platform). */
export async function issueToken(
  target: DeployTarget,
  tenant: string,
  grant: { readonly scopes: readonly Scope[]; readonly channel: string; readonly now: () => Date },
): Promise<IssuedToken> {
  const token = newToken(tenant);
  const record: TokenRecord = {
    id: crypto.randomUUID(),
    hash: await hashToken(token),
    scopes: grant.scopes,
    channel: grant.channel,
    created_at: grant.now().toISOString(),
  };
  const tokens = await target.tokensOf(tenant);
  await tokens.addToken(record);
  return { token, record };
}

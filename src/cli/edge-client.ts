/** Owns asking a local edge over HTTP, as an agent would: what the command line shows is what the edge answers. */

import type { DeployTarget } from "../deploy/target.ts";
import { SkillsError } from "../model/errors.ts";
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

/** Asks an edge and answers its JSON. A problem it answers is thrown as the error it names. */
export async function askEdge(url: URL, token: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(new URL(path, url), {
    method: body === undefined ? "GET" : "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) {
    throw new SkillsError(
      answer.code as SkillsError["code"],
      String(answer.detail),
      Array.isArray(answer.candidates) ? { candidates: answer.candidates.map(String) } : {},
    );
  }
  return answer;
}

/** Owns who asks: the bearer token, and labels that decide nothing. */
import { SkillsError } from "../model/errors.ts";
import { DEFAULT_CHANNEL } from "../model/layer.ts";
import { actorOf, addressOf, type Grant, hasScope, type Scope } from "../model/token.ts";
import type { ToolCaller } from "../provider/provider.ts";
import type { Caller, EdgeParts } from "./parts.ts";
import { traceOf } from "./trace.ts";

const BEARER = /^Bearer +(\S+) *$/i;
/** After this time a token that asked too often may ask again. */
const LIMIT_MS = 10_000;

const MAX_LABEL_LENGTH = 256;

/** The same where what is done outlives the token: one that is remembered, but was revoked since, does not count. */
export function identifyNow(request: Request, parts: EdgeParts, scope: Scope): Promise<Caller> {
  parts.tokens.forget(bearerOf(request) ?? "");
  return identify(request, parts, scope);
}

/** The caller of a request. Throws `token-missing`, `token-invalid` or `scope-missing`. */
export async function identify(request: Request, parts: EdgeParts, scope: Scope): Promise<Caller> {
  const token = bearerOf(request);
  if (token === undefined) {
    throw new SkillsError("token-missing", "Cannot answer without a token: send it as Authorization: Bearer <token>");
  }
  const grant = await verified(token, parts);
  if (!hasScope(grant, scope)) {
    throw new SkillsError("scope-missing", `Cannot do this: the token lacks the scope "${scope}"`);
  }
  if (parts.limiter !== null && !(await parts.limiter(grant.token))) {
    throw new SkillsError("rate-limited", "Cannot answer: this token has asked too often", { retryAfterMs: LIMIT_MS });
  }
  return {
    grant,
    url: request.url,
    traceparent: traceOf(request),
    agent: label(request, "X-Skills-Agent"),
    session: label(request, "X-Skills-Session"),
  };
}

function bearerOf(request: Request): string | undefined {
  return BEARER.exec(request.headers.get("Authorization") ?? "")?.[1];
}

/** On a cold isolate the token and the pointers it will need are looked up at the same time. */
async function verified(token: string, { tokens, snapshots }: EdgeParts): Promise<Grant> {
  const tenant = tokens.remembers(token) ? null : addressOf(token);
  if (tenant === null) {
    return tokens.verify(token);
  }
  const [grant] = await Promise.all([tokens.verify(token), snapshots.anticipate(tenant, DEFAULT_CHANNEL)]);
  return grant;
}

function label(request: Request, header: string): string | null {
  return request.headers.get(header)?.slice(0, MAX_LABEL_LENGTH) ?? null;
}

/** The caller as the provider sees it. */
export function toolCaller(caller: Caller, request: Request): ToolCaller {
  const { grant, agent, session, traceparent } = caller;
  const known = { tenant: grant.tenant, agent, session, actor: actorOf(grant), traceparent };
  return { ...known, signal: request.signal, mayRun: hasScope(grant, "run") };
}

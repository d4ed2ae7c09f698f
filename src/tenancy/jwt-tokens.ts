/** Owns JWTs of the issuers that the operator trusts: signature, issuer, audience, time, and which claims say tenant and scopes. Never takes a symmetric key. */
import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { JwtIssuer } from "../model/config.ts";
import { SkillsError } from "../model/errors.ts";
import { DEFAULT_CHANNEL, isChannelName, isTenantName, PLATFORM_LAYER } from "../model/layer.ts";
import { type Grant, isScope } from "../model/token.ts";
import type { ForeignTokens } from "./token-verifier.ts";

/** What signs with a private key; anything else a token may name is refused. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

const TOLERANCE_SECONDS = 30;

/** Codes of jose that say that the keys could not be had, not that the token is wrong. */
const UNREACHABLE = new Set(["ERR_JWKS_TIMEOUT", "ERR_JOSE_GENERIC", "ERR_JWKS_INVALID"]);

/** Where keys come from; a parameter, so that tests need no network. */
export type KeysOf = (issuer: JwtIssuer) => JWTVerifyGetKey;

/** Makes what reads the JWTs of some issuers. */
export function createJwtTokens(
  issuers: readonly JwtIssuer[],
  keysOf: KeysOf = ({ jwks_url }) => createRemoteJWKSet(new URL(jwks_url), { timeoutDuration: 5_000 }),
): ForeignTokens {
  const known = new Map(issuers.map((issuer) => [issuer.issuer, { issuer, keys: keysOf(issuer) }]));
  return async (token) => {
    const entry = known.get(issuerOf(token) ?? "");
    if (entry === undefined) {
      return null;
    }
    const { issuer, keys } = entry;
    const payload = await verified(token, issuer, keys);
    const grant = payload && grantOf(payload, issuer);
    return grant && { grant, until: ((payload.exp ?? 0) + TOLERANCE_SECONDS) * 1_000 };
  };
}

/** Who says that they issued it; believed only once the signature is. */
function issuerOf(token: string): string | null {
  try {
    const [, payload = ""] = token.split(".");
    const { iss } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) as { iss?: unknown };
    return typeof iss === "string" ? iss : null;
  } catch {
    return null;
  }
}

async function verified(token: string, issuer: JwtIssuer, keys: JWTVerifyGetKey): Promise<JWTPayload | null> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: issuer.issuer,
      audience: [...issuer.audience],
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_SECONDS,
      requiredClaims: ["exp", "sub"],
    });
    return payload;
  } catch (cause) {
    const { code } = cause as { code?: string };
    if (code === undefined || UNREACHABLE.has(code)) {
      throw new SkillsError("storage-unavailable", `Cannot get the keys of "${issuer.issuer}"`, { cause });
    }
    return null;
  }
}

function grantOf(payload: JWTPayload, issuer: JwtIssuer): Grant | null {
  const tenant = payload[issuer.tenant_claim];
  if (typeof tenant !== "string" || !(isTenantName(tenant) || tenant === PLATFORM_LAYER)) {
    return null;
  }
  const given = payload[issuer.scope_claim];
  const words = typeof given === "string" ? given.split(" ") : Array.isArray(given) ? given.map(String) : [];
  const channel = payload.channel;
  return {
    token: `jwt:${issuer.issuer}#${payload.sub}`,
    tenant,
    scopes: words.filter(isScope),
    channel: typeof channel === "string" && isChannelName(channel) ? channel : DEFAULT_CHANNEL,
  };
}

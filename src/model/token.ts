/** Owns access tokens: their form, scopes and hashes (CONTRACT.md §2 `token`). Never stores one. */
import { type Digest, digestOf } from "./digest.ts";
import { isTenantName, PLATFORM_LAYER } from "./layer.ts";

/** What a token may do; `admin` includes all others. */
export const SCOPES = ["read", "run", "write", "approve", "deploy", "admin"] as const;

export type Scope = (typeof SCOPES)[number];

/** What is kept of a token: never itself. */
export interface TokenRecord {
  readonly id: string;
  /** Of the whole token. */
  readonly hash: Digest;
  readonly scopes: readonly Scope[];
  /** The channel its calls see. */
  readonly channel: string;
  /** ISO 8601 in UTC. */
  readonly created_at: string;
  /** ISO 8601 in UTC; absent or null: it counts until it is revoked. */
  readonly expires_at?: string | null;
  /** Id of the token that made it over HTTP; absent for one that the command line made. */
  readonly minted_by?: string;
  /** Id of the token whose hand it is in, see {@link familyOfNew}; absent for one that is in its own. */
  readonly family?: string;
}

/** The secret of the Worker that has the hash of the first token (docs/operations.md, The first token). */
export const FIRST_TOKEN_SECRET = "EDGE_SKILLS_FIRST_TOKEN_HASH";

/** The first token's id: it has no record. */
export const FIRST_TOKEN_ID = "first";

/** What a valid token grants. */
export interface Grant {
  /** Which token, for audit: its id, or `jwt:<issuer>#<subject>`. */
  readonly token: string;
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  readonly channel: string;
  /** As in {@link TokenRecord}. */
  readonly minted_by?: string;
  readonly family?: string;
}

/**
 * Whose hand a token is in that this one makes. Whoever holds a token holds all that comes of it, so none of them decides what another of them
 * asked. Only the platform's operator, with an `admin` token of the command line, makes tokens for others to hold: null, each is in its own.
 */
export function familyOfNew(maker: Grant): string | null {
  const isOperator =
    maker.tenant === PLATFORM_LAYER &&
    hasScope(maker, "admin") &&
    maker.minted_by === undefined &&
    addressedHere(maker.token);
  return isOperator ? null : (maker.family ?? maker.token);
}

/** Who acts: the subject of a verified JWT. Null for our own tokens, which name nobody. */
export function actorOf({ token }: Grant): string | null {
  return addressedHere(token) ? null : token;
}

/** Tells our own tokens from JWTs of an issuer. */
function addressedHere(id: string): boolean {
  return !id.startsWith("jwt:");
}

/** `es_<tenant>_<secret>`: the tenant part is only an address until the hash matches. */
const TOKEN = /^es_([a-z0-9-]{1,63})_([A-Za-z0-9_-]{43})$/;

const SECRET_BYTES = 32;

/** Makes a new token for a tenant (or for the platform). */
export function newToken(tenant: string): string {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const text = btoa(String.fromCharCode(...secret))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
  return `es_${tenant}_${text}`;
}

/** The tenant whose store a token is to be looked up in; null for what cannot be a token. */
export function addressOf(token: string): string | null {
  const tenant = TOKEN.exec(token)?.[1];
  return tenant !== undefined && (isTenantName(tenant) || tenant === PLATFORM_LAYER) ? tenant : null;
}

/** The hash under which a token is kept. Tokens are 256 random bits, so a plain SHA-256 is enough. */
export function hashToken(token: string): Promise<Digest> {
  return digestOf(token);
}

/** Tells whether a grant includes a scope. */
export function hasScope(grant: Grant, scope: Scope): boolean {
  return grant.scopes.includes(scope) || grant.scopes.includes("admin");
}

/** Tells whether a text names a scope. */
export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** The tokens of one tenant, as its Durable Object keeps them. */
export interface TokenStore {
  /** Keeps a token. */
  addToken(record: TokenRecord): Promise<void> | void;
  /** The token with a hash, or null. */
  findToken(hash: Digest): Promise<TokenRecord | null> | TokenRecord | null;
  /** All tokens, oldest first. */
  listTokens(): Promise<TokenRecord[]> | TokenRecord[];
  /** Forgets a token; tells whether there was one. */
  revokeToken(id: string): Promise<boolean> | boolean;
  /** In the platform's store: writes down that there is something of a tenant, so that it is listed. */
  noteTenant(name: string): Promise<void> | void;
}

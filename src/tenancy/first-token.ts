/**
 * Owns the token by which a deployed edge is entered for the first time: the operator keeps its hash as a secret of the Worker, so it counts until
 * that secret is removed or replaced. There is none unless somebody put one. Never sees it stored, and never in clear beside its hash.
 */
import { type Digest, isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { DEFAULT_CHANNEL, PLATFORM_LAYER } from "../model/layer.ts";
import { FIRST_TOKEN_ID, FIRST_TOKEN_SECRET, type Grant } from "../model/token.ts";

/** What the first token grants: all of it, for the platform. */
const GRANT: Grant = { token: FIRST_TOKEN_ID, tenant: PLATFORM_LAYER, scopes: ["admin"], channel: DEFAULT_CHANNEL };

/** Reads the secret; null when there is none. Throws `config-invalid` for what is no hash. */
export function firstTokenOf(secret: string | undefined): Digest | null {
  if (secret === undefined || secret === "") {
    return null;
  }
  if (!isDigest(secret)) {
    throw new SkillsError("config-invalid", `The secret ${FIRST_TOKEN_SECRET} is no hash: sha256: and 64 hex digits`);
  }
  return secret;
}

/** What a token of this hash grants; null when it is not the first one. Takes as long whatever the hash is. */
export function grantOfFirst(first: Digest | null, hash: Digest): Grant | null {
  const encoder = new TextEncoder();
  return first !== null && crypto.subtle.timingSafeEqual(encoder.encode(first), encoder.encode(hash)) ? GRANT : null;
}

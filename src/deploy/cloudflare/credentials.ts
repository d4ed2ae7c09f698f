/** Owns who deploys to Cloudflare: an API token and what R2's S3 API needs of it. Never keeps or tells a token. */
import { createHash } from "node:crypto";
import { SkillsError } from "../../model/errors.ts";
import { type Patience, sendPatiently } from "./patience.ts";

/** What the S3 API takes for an API token. */
export interface R2Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * The S3 credentials of an API token: its id, which the API tells, and its hash. A token belongs to a user or to an account, and only the one
 * of the two calls that fits knows it. Throws `credentials-invalid`.
 */
export async function r2KeysOf(
  apiToken: string,
  {
    accountId,
    baseUrl,
    patience,
  }: { readonly accountId: string; readonly baseUrl: string; readonly patience: Patience },
): Promise<R2Keys> {
  for (const path of ["/user/tokens/verify", `/accounts/${encodeURIComponent(accountId)}/tokens/verify`]) {
    const send = (signal: AbortSignal) =>
      fetch(baseUrl + path, { headers: { Authorization: `Bearer ${apiToken}` }, signal });
    const { status, body } = await sendPatiently("verify the API token", send, patience);
    const id = status === 200 ? idIn(body) : null;
    if (id !== null) {
      return { accessKeyId: id, secretAccessKey: createHash("sha256").update(apiToken).digest("hex") };
    }
  }
  throw new SkillsError("credentials-invalid", "Cloudflare does not know the API token in CLOUDFLARE_API_TOKEN", {
    hint: "make one at dash.cloudflare.com/profile/api-tokens, with Workers KV Storage › Edit and Workers R2 Storage › Edit",
  });
}

function idIn(body: Uint8Array): string | null {
  try {
    const answer = JSON.parse(new TextDecoder().decode(body)) as { result?: { id?: unknown; status?: unknown } };
    const { id, status } = answer.result ?? {};
    return typeof id === "string" && status === "active" ? id : null;
  } catch {
    return null;
  }
}

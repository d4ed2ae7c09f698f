/**
 * Owns the loader's ids of children that outlive a run. The platform counts and keeps children by id, and gives whoever asks for an id the
 * child that was first made under it: an id is made of all that a child is and of whom it may serve, and of nothing else, neither deploys nor
 * arguments nor secrets. What it is made of is hashed: names of tenants and actors are in no id.
 */
import type { Digest } from "../model/digest.ts";

/** What a warm JavaScript child is made of and for. */
export interface JavaScriptChild {
  /** Names the child's own code. */
  readonly version: string;
  readonly tenant: string;
  readonly skill: string;
  /** What the packer made of the script. */
  readonly compiled: Digest;
  /** Which runs of that script share it; see `RunRequest.share`. */
  readonly share: string;
}

/** The id of the child that runs a tenant's Python and shell, but for slot and generation. */
export async function boxChildId({ version, tenant }: Pick<JavaScriptChild, "version" | "tenant">): Promise<string> {
  return `edge-skills-box:${await hashOf([version, tenant])}`;
}

/** The id of a warm JavaScript child, but for slot and generation. */
export async function javascriptChildId(child: JavaScriptChild): Promise<string> {
  const { version, tenant, skill, compiled, share } = child;
  return `edge-skills-javascript:${await hashOf([version, tenant, skill, compiled, share])}`;
}

async function hashOf(parts: readonly string[]): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(parts)));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

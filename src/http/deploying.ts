/** Owns what the routes of uploads and deploys share: who may deploy to which layer, the index that somebody sent, how an unknown format is refused. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { BUNDLE_FORMAT, type BundleIndex, decodeIndex } from "../bundle/index-format.ts";
import { type Digest, digestOf, isDigest } from "../model/digest.ts";
import { SkillsError, toSkillsError } from "../model/errors.ts";
import { isChannelName } from "../model/layer.ts";
import { isUnsafeName } from "../model/name.ts";
import { UPLOAD_LIMITS } from "../model/upload.ts";
import type { Deploying } from "../tenancy/open-tenancy.ts";
import { identify } from "./caller.ts";
import type { Handler } from "./handler.ts";
import type { Caller, EdgeEnv, EdgeParts } from "./parts.ts";
import { problemResponse } from "./problem.ts";
import { tenantOf } from "./tenant-of.ts";

/** Answers are one caller's, and of this moment. */
export const PRIVATE = { "Cache-Control": "private, no-store" };

/** Who somebody says they are, as a history and a list have it. */
export const words = z.string().check(
  z.maxLength(200),
  z.refine((text) => !isUnsafeName(text)),
);

/** What they say, and the token, which is sure. */
export function nameOf({ grant }: Caller, said: string | undefined): string {
  return said === undefined || said === "" ? `token ${grant.token}` : `${said} (token ${grant.token})`;
}

/** A digest that somebody named. Throws `request-invalid`. */
export function digestIn(text: string | undefined): Digest {
  if (!isDigest(text)) {
    throw new SkillsError("request-invalid", "Cannot use this digest: it is sha256: and 64 hex digits");
  }
  return text;
}

/** Who deploys, and to which layer. */
export interface Deployer extends Deploying {
  readonly caller: Caller;
  readonly layer: string;
}

/** Lets a deployer in. Throws `scope-missing`, or `config-invalid` on an edge whose storage cannot compare and set. */
export async function deployer(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Deployer> {
  const caller = await identify(c.req.raw, parts, "deploy");
  const layer = tenantOf(c, caller.grant);
  if (parts.deploying === null) {
    throw new SkillsError("config-invalid", "Deploys over HTTP need the binding SKILLS_R2");
  }
  return { ...parts.deploying, caller, layer };
}

/** An index that somebody sent. */
export interface SentIndex {
  readonly bundle: Digest;
  readonly index: BundleIndex;
  readonly bytes: Uint8Array;
}

/** Reads an index. Throws `bundle-format-unknown`, `upload-invalid`, `upload-too-large`. */
export async function readSentIndex(text: string): Promise<SentIndex> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.byteLength > UPLOAD_LIMITS.indexBytes) {
    throw new SkillsError("upload-too-large", `Cannot take an index of over ${UPLOAD_LIMITS.indexBytes} bytes`);
  }
  const index = decoded(bytes);
  if (index.skills.length > UPLOAD_LIMITS.skills) {
    throw new SkillsError("upload-too-large", `Cannot take a bundle of over ${UPLOAD_LIMITS.skills} skills`);
  }
  return { bundle: await digestOf(bytes), index, bytes };
}

function decoded(bytes: Uint8Array): BundleIndex {
  try {
    return decodeIndex(bytes);
  } catch (error) {
    throw SkillsError.is(error) && error.code === "bundle-damaged"
      ? new SkillsError("upload-invalid", error.message)
      : error;
  }
}

/** Throws `bundle-format-unknown` for any format but the one this edge reads. */
export function requireFormat(format: number): void {
  if (format !== BUNDLE_FORMAT) {
    throw new SkillsError(
      "bundle-format-unknown",
      `Cannot take a bundle of format ${format}: this edge reads ${BUNDLE_FORMAT}`,
    );
  }
}

/** A channel that somebody named. Throws `request-invalid`. */
export function channelNamed(channel: string): string {
  if (!isChannelName(channel)) {
    throw new SkillsError("request-invalid", 'Cannot use this "channel": it is not a channel\'s name');
  }
  return channel;
}

/** In storage an unknown format is the operator's matter; in what somebody sends it is theirs, and said in words. */
export function refusingFormats(handler: Handler): Handler {
  return async (c, parts) => {
    try {
      return await handler(c, parts);
    } catch (thrown) {
      const error = toSkillsError(thrown);
      if (error.code !== "bundle-format-unknown") {
        throw thrown;
      }
      const words = { status: 422, title: "Bundle format is not known here", detail: error.message };
      const { body, headers } = problemResponse(error, c.get("requestId"), words);
      return new Response(body, { status: 422, headers });
    }
  };
}

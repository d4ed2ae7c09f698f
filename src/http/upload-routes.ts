/** Owns `/v1/uploads`: what has to be sent for a bundle, and taking it. What is proved by it is tenancy's. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { decodeFrames } from "../bundle/upload-frames.ts";
import { isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { listOf } from "../model/list-schema.ts";
import { type NamedSize, UPLOAD_LIMITS } from "../model/upload.ts";
import { readBytes, readJsonObject } from "./body.ts";
import { channelNamed, deployer, PRIVATE, readSentIndex, refusingFormats, requireFormat } from "./deploying.ts";
import type { Handler } from "./handler.ts";
import type { EdgeEnv } from "./parts.ts";

const named = z.tuple([z.string().check(z.refine(isDigest)), z.number().check(z.int(), z.minimum(0))]);

/** The body of a `POST /v1/uploads`. */
export const newUploadSchema = z.object({
  /** Of the bundle. */
  format: z.number(),
  channel: z.string(),
  /** The text of the index. */
  index: z.string(),
  skills: listOf(z.object({ record: named, blobs: listOf(named) })),
  dry_run: z.optional(z.boolean()),
});

/** What a header of a batch may take. */
const HEADER_BYTES = 100;

/** `POST /v1/uploads` */
export const beginUpload: Handler = refusingFormats(async (c, parts) => {
  const { layer, uploads } = await deployer(c, parts);
  const given = await readJsonObject(c.req.raw);
  if (typeof given.format === "number") {
    requireFormat(given.format);
  }
  const body = z.safeParse(newUploadSchema, given);
  if (!body.success) {
    throw new SkillsError(
      "request-invalid",
      'Cannot begin an upload: "format", "channel", "index" (the text of the index) and "skills" ([{ record: [digest, size], blobs: [[digest, size]] }]) are needed',
    );
  }
  const { channel, index, dry_run, skills } = body.data;
  requireSizes(skills.flatMap(({ record, blobs }) => [record, ...blobs]) as NamedSize[]);
  const plan = { layer, channel: channelNamed(channel), skills, ...(await readSentIndex(index)) };
  if (dry_run === true) {
    return Response.json({ upload: null, expires_at: null, send: await uploads.plan(plan) }, { headers: PRIVATE });
  }
  const { id, until, send } = await uploads.begin(plan);
  const answer = { upload: id, expires_at: new Date(until).toISOString(), send };
  return Response.json(answer, { status: 201, headers: PRIVATE });
});

/** `POST /v1/uploads/{id}/blobs` */
export const takeBlobs: Handler = refusingFormats(async (c, parts) => {
  const { layer, uploads } = await deployer(c, parts);
  const limit = UPLOAD_LIMITS.batchBytes + UPLOAD_LIMITS.batchEntries * HEADER_BYTES;
  const frames = decodeFrames(await readBytes(c.req.raw, limit));
  if (frames.length > UPLOAD_LIMITS.batchEntries) {
    throw new SkillsError("upload-too-large", `Cannot take over ${UPLOAD_LIMITS.batchEntries} blobs in one request`);
  }
  await uploads.take(layer, uploadId(c), frames);
  return Response.json({ taken: frames.length }, { headers: PRIVATE });
});

/** `PUT /v1/uploads/{id}/blobs/{digest}` */
export const takeBlob: Handler = async (c, parts) => {
  const { layer, uploads } = await deployer(c, parts);
  const digest = c.req.param("digest");
  const size = Number(c.req.header("Content-Length") ?? Number.NaN);
  if (!isDigest(digest) || !Number.isInteger(size)) {
    throw new SkillsError(
      "request-invalid",
      "Cannot take this blob: a digest in the path and Content-Length are needed",
    );
  }
  requireSizes([[digest, size]]);
  const { body } = c.req.raw;
  if (size <= UPLOAD_LIMITS.batchBytes || body === null) {
    const bytes = await readBytes(c.req.raw, UPLOAD_LIMITS.batchBytes);
    await uploads.take(layer, uploadId(c), [{ kind: "blob", digest, bytes }]);
  } else {
    await uploads.takeStream(layer, uploadId(c), { digest, size, body });
  }
  return Response.json({ taken: 1 }, { headers: PRIVATE });
};

/** `DELETE /v1/uploads/{id}` */
export const endUpload: Handler = async (c, parts) => {
  const { layer, uploads } = await deployer(c, parts);
  await uploads.end(layer, uploadId(c));
  return new Response(null, { status: 204, headers: PRIVATE });
};

function uploadId(c: Context<EdgeEnv>): string {
  return c.req.param("id") ?? "";
}

function requireSizes(blobs: readonly NamedSize[]): void {
  const large = blobs.find(([, size]) => size > UPLOAD_LIMITS.blobBytes);
  if (large !== undefined || blobs.length > UPLOAD_LIMITS.blobs) {
    const what =
      large === undefined
        ? `over ${UPLOAD_LIMITS.blobs} blobs`
        : `${large[0]}: it is over ${UPLOAD_LIMITS.blobBytes} bytes`;
    throw new SkillsError("upload-too-large", `Cannot take ${what}`);
  }
}

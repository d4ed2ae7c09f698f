/** Owns `/v1/blocks`: recalling by the platform's operator. What a block does is decided where things are read; purging needs the storage itself. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { type Block, MAX_REASON_LENGTH } from "../model/blocks.ts";
import { isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { listOf } from "../model/list-schema.ts";
import type { Recalls } from "../tenancy/recalls.ts";
import { recorded } from "./audited.ts";
import { readJsonObject } from "./body.ts";
import { digestIn, nameOf, PRIVATE, words } from "./deploying.ts";
import type { Handler } from "./handler.ts";
import { operator } from "./operator.ts";
import type { Caller, EdgeEnv, EdgeParts } from "./parts.ts";

const digest = z.string().check(z.refine(isDigest));

/** The body of a `POST /v1/blocks`. */
export const newBlockSchema = z.object({
  digest,
  /** Told to whoever asks for it. */
  reason: z.string().check(
    z.maxLength(MAX_REASON_LENGTH),
    z.refine((text) => text.trim() !== ""),
  ),
  /** Who; the token is written beside it. */
  by: z.optional(words),
  /** Skills whose SKILL.md the digest is of: they leave the lists too. */
  along: z.optional(listOf(digest)),
});

/** The body of a `POST /v1/blocks/spread`. */
export const spreadSchema = z.object({ after: z.string().check(z.startsWith("channel/")) });

/** `GET /v1/blocks` */
export const listBlocks: Handler = async (c, parts) => {
  const { recalls } = await recaller(c, parts);
  return Response.json(await recalls.list(), { headers: PRIVATE });
};

/** `POST /v1/blocks` */
export const addBlock: Handler = async (c, parts) => {
  const { caller, recalls } = await recaller(c, parts);
  const body = z.safeParse(newBlockSchema, await readJsonObject(c.req.raw));
  if (!body.success) {
    throw new SkillsError(
      "request-invalid",
      `Cannot recall this: "digest" and "reason" (1 to ${MAX_REASON_LENGTH} characters) are needed; "along" are digests`,
    );
  }
  const { reason, by, along = [] } = body.data;
  const own = digestIn(body.data.digest);
  const made = { reason, by: nameOf(caller, by), at: new Date().toISOString() };
  const more = along.map(digestIn).filter((item) => item !== own);
  const blocks: readonly Block[] = [
    { digest: own, ...made },
    ...more.map((item): Block => ({ digest: item, ...made, with: own })),
  ];
  const occasion = { caller, requestId: c.get("requestId") };
  const done = await recorded(parts.audit, "block", occasion, { item: own }, () => recalls.add(blocks));
  return Response.json(done, { headers: PRIVATE });
};

/** `DELETE /v1/blocks/{digest}` */
export const liftBlock: Handler = async (c, parts) => {
  const { caller, recalls } = await recaller(c, parts);
  const own = digestIn(c.req.param("digest"));
  const occasion = { caller, requestId: c.get("requestId") };
  const done = await recorded(parts.audit, "block.lift", occasion, { item: own }, () => recalls.lift(own));
  return Response.json(done, { headers: PRIVATE });
};

/** `POST /v1/blocks/spread` */
export const spreadBlocks: Handler = async (c, parts) => {
  const { recalls } = await recaller(c, parts);
  const body = z.safeParse(spreadSchema, await readJsonObject(c.req.raw));
  if (!body.success) {
    throw new SkillsError("request-invalid", 'Cannot go on: "after" is the "next" of the answer before');
  }
  return Response.json(await recalls.spread(body.data.after), { headers: PRIVATE });
};

interface Recaller {
  readonly caller: Caller;
  readonly recalls: Recalls;
}

async function recaller(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Recaller> {
  const caller = await operator(c, parts);
  if (parts.deploying === null) {
    throw new SkillsError("config-invalid", "Recalling over HTTP needs the binding SKILLS_R2");
  }
  return { caller, recalls: parts.deploying.recalls };
}

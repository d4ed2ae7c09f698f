/** Owns `/v1/deploys`: what a layer's channels have and had, and moving one. What may be moved to is tenancy's. */
import * as z from "zod/mini";
import { isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import { hasScope } from "../model/token.ts";
import type { Moved, WantedMove } from "../tenancy/deploys.ts";
import { factsFor, recorded } from "./audited.ts";
import { readJsonObject } from "./body.ts";
import {
  channelNamed,
  type Deployer,
  deployer,
  digestIn,
  nameOf,
  PRIVATE,
  readSentIndex,
  refusingFormats,
  words,
} from "./deploying.ts";
import type { Handler } from "./handler.ts";

/** The body of a `POST /v1/deploys`: either `upload` and `index`, or `bundle`. */
export const moveSchema = z.object({
  channel: z.string(),
  /** `version` of the channel as it was read; null for one without a bundle. */
  expected: z.nullable(z.string()),
  upload: z.optional(z.string()),
  /** The text of the index. */
  index: z.optional(z.string()),
  bundle: z.optional(z.string().check(z.refine(isDigest))),
  reason: z.optional(z.enum(["deploy", "rollback"])),
  /** Who, for the history; the token is written beside it. */
  by: z.optional(words),
  commit: z.optional(words),
});

type MoveBody = z.infer<typeof moveSchema>;

/** `GET /v1/deploys` */
export const listDeploys: Handler = async (c, parts) => {
  const { caller, layer, deploys } = await deployer(c, parts);
  const channel = c.req.query("channel");
  if (channel === undefined) {
    const isOperator = caller.grant.tenant === PLATFORM_LAYER && hasScope(caller.grant, "admin");
    const all = isOperator && c.req.query("tenant") === undefined;
    return Response.json({ channels: await deploys.channels(all ? null : layer) }, { headers: PRIVATE });
  }
  const name = { layer, channel: channelNamed(channel) };
  const { pointer, version } = await deploys.pointer(name);
  const { bundle = null, history = [] } = pointer ?? {};
  return Response.json({ ...name, version, bundle, history }, { headers: PRIVATE });
};

/** `POST /v1/deploys` */
export const moveChannel: Handler = refusingFormats(async (c, parts) => {
  const who = await deployer(c, parts);
  const body = z.safeParse(moveSchema, await readJsonObject(c.req.raw));
  if (!body.success) {
    throw new SkillsError(
      "request-invalid",
      'Cannot deploy: "channel", "expected" (the version that was read, or null), and "upload" with "index" or "bundle" are needed',
    );
  }
  const occasion = { caller: who.caller, requestId: c.get("requestId") };
  const { reason = "deploy", bundle = null, upload } = body.data;
  const event = reason === "deploy" && upload === undefined ? "promote" : reason;
  const facts: { item?: string | null } = factsFor(who.layer, occasion, bundle);
  const moved = await recorded(parts.audit, event, occasion, facts, async () => {
    const done = await move(who, body.data);
    facts.item = done.bundle;
    return done;
  });
  return Response.json(moved, { headers: PRIVATE });
});

/** `GET /v1/deploys/{bundle}`: the index of a kept bundle, byte for byte. */
export const getBundle: Handler = async (c, parts) => {
  const { layer, deploys } = await deployer(c, parts);
  const bundle = digestIn(c.req.param("bundle"));
  const bytes = (await deploys.index(layer, bundle)) as Uint8Array<ArrayBuffer>;
  return new Response(bytes, { headers: { ...PRIVATE, "Content-Type": "application/json" } });
};

/** `GET /v1/deploys/{bundle}/records/{record}`: a skill's record in a kept bundle, byte for byte. */
export const getRecord: Handler = async (c, parts) => {
  const { layer, deploys } = await deployer(c, parts);
  const [bundle, record] = [digestIn(c.req.param("bundle")), digestIn(c.req.param("record"))];
  const bytes = (await deploys.record(layer, bundle, record)) as Uint8Array<ArrayBuffer>;
  return new Response(bytes, { headers: { ...PRIVATE, "Content-Type": "application/json" } });
};

async function move({ caller, layer, deploys }: Deployer, body: MoveBody): Promise<Moved> {
  const { channel, expected, upload, index, bundle, reason = "deploy", by, commit } = body;
  const wanted: Omit<WantedMove, "bundle"> = {
    layer,
    channel: channelNamed(channel),
    expected,
    reason,
    by: nameOf(caller, by),
    ...(commit === undefined ? {} : { commit }),
  };
  if (upload !== undefined && index !== undefined) {
    const sent = await readSentIndex(index);
    return deploys.deploy({ ...wanted, bundle: sent.bundle }, { upload, index: sent.index, bytes: sent.bytes });
  }
  return deploys.moveToKept({ ...wanted, bundle: digestIn(bundle) });
}

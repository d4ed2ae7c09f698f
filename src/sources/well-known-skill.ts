/** Owns a skill of a well-known site: one SKILL.md, an archive or a list of files, read when it is asked for and checked against the digest that the index gave. */
import { mediaTypeOf } from "../check/media-type.ts";
import { type Digest, digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { skillDigestText } from "../model/record.ts";
import { type AgentSkill, type AgentSkillResource, type AgentSkillsSourceContext, NO_CONTEXT } from "../model/skill.ts";
import { archiveFiles } from "./archive-files.ts";
import type { ByteCache } from "./byte-cache.ts";
import { bytesOfAnswer, type FetchOptions, placeOf, send } from "./fetch-bytes.ts";
import { FilesSkill } from "./files-skill.ts";
import { requireSuccess } from "./remote-protocol.ts";
import type { OfferedFile, WellKnownOffer } from "./well-known-index.ts";

/** What the skills of one site share. */
export interface WellKnownParts {
  readonly options: FetchOptions;
  /** Of unpacked archives. */
  readonly cache: ByteCache;
}

type UsableOffer = Exclude<WellKnownOffer, { readonly kind: "problem" }>;

/** Makes a skill of what a site offers. */
export async function wellKnownSkill(offer: UsableOffer, { options, cache }: WellKnownParts): Promise<AgentSkill> {
  const { facts } = offer;
  if (offer.kind === "archive") {
    const { url, digest } = offer;
    // The digest of its files is known when it was opened; that of the archive says as surely when something changed.
    const files = archiveFiles(digest, (context) => fetched(url, options, context), cache);
    return new FilesSkill({ ...facts, revision: digest }, facts, files);
  }
  if (offer.kind === "files") {
    const files = offer.files.map((file) => listedFile(file, null, options));
    const counts = { resources: files.length - 1, scripts: 0, runnable: 0 };
    return new FilesSkill({ ...facts, counts }, facts, async () => files);
  }
  const { url, digest: manifest } = offer;
  const files = [listedFile({ path: "SKILL.md", url }, manifest, options)];
  // The digest it would have anywhere else.
  const digest = await digestOf(skillDigestText([{ path: "SKILL.md", digest: manifest }]));
  const counts = { resources: 0, scripts: 0, runnable: 0 };
  return new FilesSkill({ ...facts, digest, revision: digest, counts }, facts, async () => files);
}

function listedFile({ path, url }: OfferedFile, digest: Digest | null, options: FetchOptions): AgentSkillResource {
  const mediaType = mediaTypeOf(path, false);
  const read = async (context: AgentSkillsSourceContext = NO_CONTEXT): Promise<Uint8Array> => {
    const bytes = await fetched(url, options, context);
    if (digest !== null && (await digestOf(bytes)) !== digest) {
      throw new SkillsError("bundle-damaged", `Cannot read ${placeOf(url)}: its bytes are not those of its digest`);
    }
    return bytes;
  };
  return { name: path, description: null, mediaType, size: null, digest, text: isTextType(mediaType), read };
}

/** A list of files does not tell; what others call text has one of these types. */
function isTextType(mediaType: string): boolean {
  return /^text\/|[/+](?:json|jsonl|xml|yaml|toml|javascript|sql)$/.test(mediaType);
}

async function fetched(url: URL, options: FetchOptions, context: AgentSkillsSourceContext): Promise<Uint8Array> {
  const response = await send(url, {}, options, context);
  await requireSuccess(response, url);
  return bytesOfAnswer(response, url, options);
}

/** Owns what a well-known site's index offers: version 0.2.0, and 0.1.0, which names no version and no digests. Never fetches. */
import * as z from "zod/mini";
import { type Digest, isDigest } from "../model/digest.ts";
import { AgentSkillFrontmatter } from "../model/frontmatter.ts";
import { logged } from "../model/log.ts";
import { isSafePath } from "../model/path.ts";

/** A skill that a site offers, or why an entry offers none. */
export type WellKnownOffer =
  | { readonly kind: "skill-md" | "archive"; readonly facts: OfferedFacts; readonly url: URL; readonly digest: Digest }
  | { readonly kind: "files"; readonly facts: OfferedFacts; readonly files: readonly OfferedFile[] }
  | { readonly kind: "problem"; readonly problem: string };

/** What an index says of a skill. */
export interface OfferedFacts {
  readonly name: string;
  readonly description: string;
}

/** A file of a skill and where it lies. */
export interface OfferedFile {
  readonly path: string;
  readonly url: URL;
}

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/** More than any host must take. */
const MAX_FILES = 4_096;

const facts = {
  name: z.string().check(z.refine((name) => AgentSkillFrontmatter.nameProblem(name) === null)),
  description: z.string().check(z.refine((text) => AgentSkillFrontmatter.descriptionProblem(text) === null)),
};

const currentSchema = z.object({
  ...facts,
  type: z.string(),
  url: z.string(),
  digest: z.custom<Digest>(isDigest, "not a digest"),
});

const olderSchema = z.object({
  ...facts,
  files: z.array(z.string().check(z.refine(isSafePath))).check(
    z.maxLength(MAX_FILES),
    z.refine((files) => files.includes("SKILL.md") && new Set(files).size === files.length),
  ),
});

/** The index, as far as it is the same in all versions. */
export const indexSchema = z.object({ $schema: z.optional(z.string()), skills: z.array(z.unknown()) });

/** How to read the entries of an index that names a version; null for one that is not known. */
export function entryReader(schema: string | undefined): ((entry: unknown, index: URL) => WellKnownOffer) | null {
  return schema === undefined ? readOlder : schema === SCHEMA ? readCurrent : null;
}

const NOT_VALID: WellKnownOffer = { kind: "problem", problem: "it is not valid" };

function readCurrent(entry: unknown, index: URL): WellKnownOffer {
  const { success, data } = z.safeParse(currentSchema, entry);
  const url = success ? URL.parse(data.url, index) : null;
  if (!success || url === null) {
    return NOT_VALID;
  }
  const { name, description, type, digest } = data;
  return type === "skill-md" || type === "archive"
    ? { kind: type, facts: { name, description }, url, digest }
    : { kind: "problem", problem: `its type ${logged(type)} is not read here` };
}

function readOlder(entry: unknown, index: URL): WellKnownOffer {
  const { success, data } = z.safeParse(olderSchema, entry);
  if (!success) {
    return NOT_VALID;
  }
  const { name, description, files } = data;
  const urlOf = (path: string) => new URL(`${name}/${path.split("/").map(encodeURIComponent).join("/")}`, index);
  return { kind: "files", facts: { name, description }, files: files.map((path) => ({ path, url: urlOf(path) })) };
}

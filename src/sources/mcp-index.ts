/** Owns the older way in which MCP servers list skills: the resource `skill://index.json`. Reads entries of type `skill-md` and `archive`; others are told and left out. */
import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { type Digest, isDigest } from "../model/digest.ts";
import { AgentSkillFrontmatter } from "../model/frontmatter.ts";
import { logged, type SkillsLogger } from "../model/log.ts";
import { readMcpResource } from "./mcp-resource.ts";

/** A skill of the older index. */
export interface IndexedSkill {
  readonly name: string;
  readonly description: string;
  /** Of its SKILL.md. */
  readonly uri: string;
  /** What its other files' addresses begin with. */
  readonly root: string;
  readonly digest: Digest | null;
  /** True when `uri` and `digest` are those of an archive with all its files. */
  readonly isArchive: boolean;
}

const INDEX = "skill://index.json";

const indexSchema = z.object({ skills: z.array(z.unknown()) });

const entrySchema = z.object({
  name: z.string().check(z.refine((name) => AgentSkillFrontmatter.nameProblem(name) === null)),
  type: z.string(),
  description: z.string().check(z.refine((text) => AgentSkillFrontmatter.descriptionProblem(text) === null)),
  url: z.string(),
  digest: z.optional(z.custom<Digest>(isDigest, "not a digest")),
});

/** The skills of a server's index; none where it has no index, or one that cannot be read. */
export async function indexedSkills(
  client: Client,
  log: SkillsLogger,
  options: { readonly signal?: AbortSignal },
): Promise<IndexedSkill[]> {
  const found = await readMcpResource(client, INDEX, null, options);
  if (found === null) {
    return [];
  }
  const index = z.safeParse(indexSchema, parsed(found.bytes));
  if (!index.success) {
    log.warn("The skill index of an MCP server cannot be read; none of its skills is used");
    return [];
  }
  return index.data.skills.flatMap((entry) => indexed(entry, log));
}

function indexed(value: unknown, log: SkillsLogger): IndexedSkill[] {
  const { success, data } = z.safeParse(entrySchema, value);
  const problem = !success || !data.url.includes("/") ? "it is not valid" : problemOf(data.type, data.digest);
  if (!success || problem !== null) {
    log.warn(`An entry of an MCP server's skill index is left out: ${problem}`);
    return [];
  }
  const { name, description, url, digest = null } = data;
  const root = url.slice(0, url.lastIndexOf("/") + 1);
  return [{ name, description, uri: url, root, digest, isArchive: data.type === "archive" }];
}

/** An archive is unpacked only when it is known to be the one that was meant. */
function problemOf(type: string, digest: Digest | undefined): string | null {
  if (type === "archive") {
    return digest === undefined ? "it is an archive without a digest" : null;
  }
  return type === "skill-md" ? null : `its type ${logged(type)} is not read`;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

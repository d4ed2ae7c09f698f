/** Owns a skill of an MCP server's `skills/list`, every file checked against its entry. What its text says of tools grants nothing; its scripts are files to read. */
import { type Skill, SkillVerificationError } from "@modelcontextprotocol/client/ext/skills";
import { mediaTypeOf } from "../check/media-type.ts";
import { type Digest, digestOf, isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { isSafePath } from "../model/path.ts";
import { comparePaths, isHidden, type JsonObject, skillDigestText } from "../model/record.ts";
import { AgentSkill, type AgentSkillContent, type AgentSkillResource, type AgentSkillScript } from "../model/skill.ts";
import { isTextType, type McpOrigin, servedUnder } from "./mcp-origin.ts";

/** Makes a skill of an entry. */
export async function listedMcpSkill(entry: Skill, origin: McpOrigin): Promise<AgentSkill> {
  const files = Array.isArray(entry.resources) ? entry.resources.map((file) => fileOf(entry, file)) : null;
  const known = files?.every(({ digest }) => digest !== null) ? files : null;
  const covered = known?.flatMap(({ path, digest }) => (digest === null ? [] : [{ path, digest }])) ?? [];
  const digest = known === null ? null : await digestOf(skillDigestText(covered));
  return new ListedMcpSkill(entry, files, digest, origin);
}

interface McpFile {
  readonly path: string;
  readonly digest: Digest | null;
  readonly size: number | null;
}

function fileOf(
  { uri: manifest }: Skill,
  { uri, digest, size }: { uri: string; digest?: string; size?: number },
): McpFile {
  const root = manifest.slice(0, manifest.lastIndexOf("/") + 1);
  const path = uri.startsWith(root) ? decodeURIComponent(uri.slice(root.length)) : uri;
  return { path, digest: isDigest(digest) ? digest : null, size: size ?? null };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The entries of a mapping that are texts. */
function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter(([, item]) => typeof item === "string"));
}

/** A skill of `skills/list`. */
class ListedMcpSkill extends AgentSkill {
  readonly #entry: Skill;
  /** All but SKILL.md, in path order; null where the server made them up as they are asked for. */
  readonly #files: readonly McpFile[] | null;
  readonly #origin: McpOrigin;

  constructor(entry: Skill, files: readonly McpFile[] | null, digest: Digest | null, origin: McpOrigin) {
    const { frontmatter } = entry;
    const metadata = textsOf(frontmatter.metadata);
    const others = files?.filter(({ path }) => path !== "SKILL.md") ?? null;
    super({
      ...servedUnder(origin, text(frontmatter.name)),
      description: text(frontmatter.description),
      metadata,
      hidden: isHidden(frontmatter, metadata),
      digest,
      revision: digest,
      counts: { resources: others?.length ?? null, scripts: 0, runnable: 0 },
    });
    this.#entry = entry;
    this.#files = others?.toSorted((a, b) => comparePaths(a.path, b.path)) ?? null;
    this.#origin = origin;
  }

  async getContent(): Promise<AgentSkillContent> {
    const { body } = await this.#read();
    return { frontmatter: this.#entry.frontmatter as JsonObject, allowedTools: [], body: body ?? "" };
  }

  override async listResources(): Promise<readonly AgentSkillResource[] | null> {
    return this.#files?.map((file) => this.#resource(file)) ?? null;
  }

  override async listScripts(): Promise<readonly AgentSkillScript[]> {
    return [];
  }

  override async getResource(name: string): Promise<AgentSkillResource | null> {
    return isSafePath(name) ? this.#resource({ path: name, digest: null, size: null }) : null;
  }

  #resource({ path, digest, size }: McpFile): AgentSkillResource {
    const mediaType = mediaTypeOf(path, false);
    const read = async () => (await this.#read(path)).bytes;
    return { name: path, description: null, mediaType, size, digest, text: isTextType(mediaType), read };
  }

  /** A file as the entry promised it, SKILL.md by default. */
  async #read(path?: string) {
    try {
      return await this.#origin.skills.read(this.#entry, path);
    } catch (cause) {
      const code = cause instanceof SkillVerificationError ? "bundle-damaged" : "storage-unavailable";
      throw new SkillsError(code, `Cannot read "${path ?? "SKILL.md"}" of "${this.name}" from its MCP server`, {
        cause,
      });
    }
  }
}

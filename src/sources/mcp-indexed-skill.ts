/** Owns a skill of an MCP server's older index: what belongs to it is known only when it is asked for. Its scripts are files to read. */
import { splitFrontmatter } from "../check/frontmatter.ts";
import { readManifestText } from "../check/text.ts";
import { SkillsError } from "../model/errors.ts";
import { isSafePath } from "../model/path.ts";
import {
  AgentSkill,
  type AgentSkillContent,
  type AgentSkillResource,
  type AgentSkillScript,
  type AgentSkillsSourceContext,
} from "../model/skill.ts";
import { archiveFiles } from "./archive-files.ts";
import type { ByteCache } from "./byte-cache.ts";
import { FilesSkill } from "./files-skill.ts";
import type { IndexedSkill } from "./mcp-index.ts";
import { type McpOrigin, servedUnder } from "./mcp-origin.ts";
import { readMcpResource } from "./mcp-resource.ts";

/** Makes a skill of an entry. */
export function indexedMcpSkill(entry: IndexedSkill, origin: McpOrigin, cache: ByteCache): AgentSkill {
  const { name, description, uri, digest, isArchive } = entry;
  if (!isArchive || digest === null) {
    return new IndexedMcpSkill(entry, origin);
  }
  const fetchArchive = async ({ signal }: AgentSkillsSourceContext): Promise<Uint8Array> => {
    const found = await readMcpResource(origin.client, uri, digest, signal === null ? {} : { signal });
    if (found === null) {
      throw new SkillsError("storage-unavailable", `Cannot read ${JSON.stringify(uri)}: its MCP server has none`);
    }
    return found.bytes;
  };
  const facts = { ...servedUnder(origin, name), description, revision: digest };
  return new FilesSkill(facts, entry, archiveFiles(digest, fetchArchive, cache));
}

/** A skill of the older index: what belongs to it is known only when it is asked for. */
class IndexedMcpSkill extends AgentSkill {
  readonly #entry: IndexedSkill;
  readonly #origin: McpOrigin;

  constructor(entry: IndexedSkill, origin: McpOrigin) {
    const { name, description } = entry;
    super({ ...servedUnder(origin, name), description, counts: { resources: null, scripts: 0, runnable: 0 } });
    this.#entry = entry;
    this.#origin = origin;
  }

  async getContent(): Promise<AgentSkillContent> {
    const found = await readMcpResource(this.#origin.client, this.#entry.uri, this.#entry.digest);
    const { text: read } = readManifestText(found?.bytes ?? new Uint8Array(), "SKILL.md");
    const { parts } = splitFrontmatter(read ?? "", "SKILL.md");
    if (parts === null) {
      throw new SkillsError("skills-invalid", `Cannot read the skill "${this.name}": its SKILL.md has no frontmatter`);
    }
    const { name, description } = this.#entry;
    return { frontmatter: { name, description }, allowedTools: [], body: parts.body };
  }

  override async listScripts(): Promise<readonly AgentSkillScript[]> {
    return [];
  }

  override async getResource(name: string): Promise<AgentSkillResource | null> {
    if (!isSafePath(name)) {
      return null;
    }
    const found = await readMcpResource(
      this.#origin.client,
      this.#entry.root + name.split("/").map(encodeURIComponent).join("/"),
      null,
    );
    if (found === null) {
      return null;
    }
    const { bytes, mediaType, isText } = found;
    return {
      name,
      description: null,
      mediaType,
      size: bytes.length,
      digest: null,
      text: isText,
      read: async () => bytes,
    };
  }
}

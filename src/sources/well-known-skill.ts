/** Owns a skill of a well-known site: one SKILL.md, read when it is asked for and checked against its digest. */
import { splitFrontmatter } from "../check/frontmatter.ts";
import { readManifestText } from "../check/text.ts";
import { type Digest, digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { skillDigestText } from "../model/record.ts";
import {
  AgentSkill,
  type AgentSkillContent,
  type AgentSkillResource,
  type AgentSkillScript,
  type AgentSkillsSourceContext,
  NO_CONTEXT,
} from "../model/skill.ts";
import { bytesOfAnswer, type FetchOptions, placeOf, send } from "./fetch-bytes.ts";
import { requireSuccess } from "./remote-protocol.ts";

/** An entry of a site's index. */
export interface WellKnownEntry {
  readonly name: string;
  readonly description: string;
  readonly url: URL;
  /** Of the SKILL.md's bytes. */
  readonly digest: Digest;
  readonly options: FetchOptions;
}

/** Makes a skill of an entry. Its digest is the one it would have anywhere else. */
export async function wellKnownSkill(entry: WellKnownEntry): Promise<AgentSkill> {
  const digest = await digestOf(skillDigestText([{ path: "SKILL.md", digest: entry.digest }]));
  return new WellKnownSkill(entry, digest);
}

class WellKnownSkill extends AgentSkill {
  readonly #entry: WellKnownEntry;

  constructor(entry: WellKnownEntry, digest: Digest) {
    const { name, description } = entry;
    super({ name, description, digest, revision: digest, counts: { resources: 0, scripts: 0, runnable: 0 } });
    this.#entry = entry;
  }

  async getContent(context: AgentSkillsSourceContext = NO_CONTEXT): Promise<AgentSkillContent> {
    const { text } = readManifestText(await this.#bytes(context), "SKILL.md");
    const { parts } = splitFrontmatter(text ?? "", "SKILL.md");
    if (text === null || parts === null) {
      throw new SkillsError("skills-invalid", `Cannot read the skill "${this.name}": its SKILL.md has no frontmatter`);
    }
    // The index repeats the fields that matter, so that no YAML is read here. What a site says of tools grants nothing.
    return { frontmatter: { name: this.name, description: this.description }, allowedTools: [], body: parts.body };
  }

  override async getManifest(): Promise<AgentSkillResource> {
    const { digest } = this.#entry;
    return {
      name: "SKILL.md",
      description: null,
      mediaType: "text/markdown",
      size: null,
      digest,
      text: true,
      read: (context = NO_CONTEXT) => this.#bytes(context),
    };
  }

  override async listResources(): Promise<readonly AgentSkillResource[]> {
    return [];
  }

  override async listScripts(): Promise<readonly AgentSkillScript[]> {
    return [];
  }

  async #bytes(context: Pick<AgentSkillsSourceContext, "signal">): Promise<Uint8Array> {
    const { url, options, digest } = this.#entry;
    const response = await send(url, {}, options, context);
    await requireSuccess(response, url);
    const bytes = await bytesOfAnswer(response, url, options);
    if ((await digestOf(bytes)) !== digest) {
      throw new SkillsError("bundle-damaged", `Cannot read ${placeOf(url)}: its bytes are not those of its digest`);
    }
    return bytes;
  }
}

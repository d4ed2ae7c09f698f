/** Owns a skill of another edge-skills: read over HTTP when it is asked for, on the snapshot it was listed in, every file checked against its digest. */
import { toBase64 } from "../model/base64.ts";
import { digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { RunInputFile, RunResult } from "../model/run.ts";
import {
  AgentSkill,
  type AgentSkillContent,
  type AgentSkillResource,
  type AgentSkillScript,
  type AgentSkillsSourceContext,
  NO_CONTEXT,
  type ScriptCall,
} from "../model/skill.ts";
import { bytesOfAnswer, type FetchOptions, jsonOfAnswer, placeOf, send } from "./fetch-bytes.ts";
import {
  documentSchema,
  type ListedSkill,
  read,
  requireSuccess,
  runOfAnswer,
  type SkillDocument,
} from "./remote-protocol.ts";

/** What the skills of one listing share. */
export interface RemoteParts {
  /** The service's address, ending in `/`. */
  readonly base: URL;
  /** Headers of every request, the snapshot's among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bundle: string;
  readonly options: FetchOptions;
}

/** More than a run may take: the other side has a limit of its own. */
const RUN_GRACE_MS = 35_000;

/** A skill elsewhere. */
export class RemoteSkill extends AgentSkill {
  readonly #parts: RemoteParts;
  /** Decoded data, never a promise. */
  #document: SkillDocument | null = null;

  constructor(listed: ListedSkill, parts: RemoteParts) {
    const { resources, scripts } = listed;
    super({
      name: listed.name,
      description: listed.description,
      hidden: listed.hidden === true,
      digest: listed.digest,
      revision: `${parts.base.href}#${parts.bundle}/${listed.name}`,
      layer: listed.layer,
      counts: { resources, scripts, runnable: scripts === 0 ? 0 : null },
    });
    this.#parts = parts;
  }

  async getContent(context: AgentSkillsSourceContext = NO_CONTEXT): Promise<AgentSkillContent> {
    const { frontmatter, allowed_tools, body } = await this.#read(context);
    return { frontmatter, allowedTools: allowed_tools, body };
  }

  override async listResources(): Promise<readonly AgentSkillResource[] | null> {
    const { resources } = await this.#read(NO_CONTEXT);
    return resources?.map((resource) => this.#resource(resource)) ?? null;
  }

  override async listScripts(): Promise<readonly AgentSkillScript[] | null> {
    const { scripts } = await this.#read(NO_CONTEXT);
    return scripts?.map((script) => ({ ...script, run: (call: ScriptCall) => this.#run(script.name, call) })) ?? null;
  }

  async #read(context: Pick<AgentSkillsSourceContext, "signal">): Promise<SkillDocument> {
    if (this.#document === null) {
      const url = this.#url();
      const response = await send(url, { headers: this.#parts.headers }, this.#parts.options, context);
      await requireSuccess(response, url);
      this.#document = read(documentSchema, await jsonOfAnswer(response, url, this.#parts.options), url);
    }
    return this.#document;
  }

  #resource(facts: NonNullable<SkillDocument["resources"]>[number]): AgentSkillResource {
    const { name, size, media_type: mediaType, digest } = facts;
    const read = async (context: AgentSkillsSourceContext = NO_CONTEXT): Promise<Uint8Array> => {
      const url = this.#url("files", ...name.split("/"));
      const response = await send(url, { headers: this.#parts.headers }, this.#parts.options, context);
      await requireSuccess(response, url);
      const bytes = await bytesOfAnswer(response, url, this.#parts.options);
      if (digest !== null && (await digestOf(bytes)) !== digest) {
        throw new SkillsError("bundle-damaged", `Cannot read ${placeOf(url)}: its bytes are not those of its digest`);
      }
      return bytes;
    };
    return { name, description: null, mediaType, size, digest, text: isText(mediaType), read };
  }

  async #run(script: string, call: ScriptCall): Promise<RunResult> {
    const { base, headers, options } = this.#parts;
    const url = new URL("v1/tools/run_skill_script", base);
    const { timeout_ms, output_bytes } = call.limits;
    const body = JSON.stringify({
      skill_name: this.name,
      script_name: script,
      arguments: call.arguments ?? null,
      stdin: call.stdin,
      files: call.files.map(wireFile),
      limits: { timeout_ms, output_bytes },
    });
    const response = await send(
      url,
      { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body },
      { ...options, timeoutMs: timeout_ms + RUN_GRACE_MS },
      call.context,
    );
    await requireSuccess(response, url);
    return runOfAnswer(await jsonOfAnswer(response, url, options), url);
  }

  #url(...parts: readonly string[]): URL {
    const path = ["v1", "skills", this.name, ...parts].map(encodeURIComponent).join("/");
    return new URL(path, this.#parts.base);
  }
}

function wireFile({ path, bytes }: RunInputFile): Record<string, string> {
  return { path, encoding: "base64", content: toBase64(bytes) };
}

/** The list does not tell; what the other side calls text has one of these types. */
function isText(mediaType: string): boolean {
  return /^text\/|[/+](?:json|jsonl|xml|yaml|toml|javascript|typescript|sql)$/.test(mediaType);
}

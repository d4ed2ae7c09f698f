/** Owns a skill made of a record that is there already, and of files that can be read: from a disk, a site or an archive. Never checks a skill. */
import type { Digest } from "../model/digest.ts";
import { isHidden, type SkillFile, type SkillRecord } from "../model/record.ts";
import type { ScriptRunner } from "../model/runner.ts";
import type {
  AgentSkill,
  AgentSkillContent,
  AgentSkillCounts,
  AgentSkillResource,
  AgentSkillScript,
} from "../model/skill.ts";
import { fileResource } from "./file-resource.ts";
import { recordScripts, runnableCount } from "./run-record.ts";

/** Where the files of a record come from, and what runs its scripts. */
export interface RecordParts {
  /** Names what is made of the record; null where that may change. */
  readonly revision: string | null;
  readonly layer: string | null;
  readonly runner: ScriptRunner | null;
  /** The bytes of a file or compiled script of this skill. */
  readonly readBlob: (digest: Digest) => Promise<Uint8Array>;
}

/** A skill that is known whole. */
export class RecordSkill implements AgentSkill {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly hidden: boolean;
  readonly digest: Digest;
  readonly revision: string | null;
  readonly layer: string | null;
  readonly counts: AgentSkillCounts;
  readonly #record: SkillRecord;
  readonly #parts: RecordParts;

  constructor(record: SkillRecord, parts: RecordParts) {
    this.name = record.name;
    this.aliases = record.aliases;
    this.description = record.description;
    this.metadata = record.metadata;
    this.hidden = isHidden(record.frontmatter, record.metadata);
    this.digest = record.digest;
    this.revision = parts.revision;
    this.layer = parts.layer;
    this.counts = {
      resources: record.files.length,
      scripts: record.scripts.length,
      runnable: runnableCount(
        record.name,
        { scripts: record.scripts.length, runnable: record.scripts.filter((script) => script.runnable).length },
        parts.runner,
      ),
    };
    this.#record = record;
    this.#parts = parts;
  }

  async getContent(): Promise<AgentSkillContent> {
    const { frontmatter, allowed_tools, body } = this.#record;
    return { frontmatter, allowedTools: allowed_tools, body };
  }

  async getManifest(): Promise<AgentSkillResource> {
    return this.#resource(this.#record.manifest);
  }

  async listResources(): Promise<readonly AgentSkillResource[]> {
    return this.#record.files.map((file) => this.#resource(file));
  }

  async listScripts(): Promise<readonly AgentSkillScript[]> {
    const { runner, layer, readBlob } = this.#parts;
    return recordScripts(this.#record, { runner, isolation: layer ?? this.name, readBlob });
  }

  #resource(file: SkillFile): AgentSkillResource {
    return fileResource(file, () => this.#parts.readBlob(file.digest));
  }
}

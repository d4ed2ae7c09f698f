/** Owns a skill of a packed bundle: what the index tells is there at once, the rest is read from its record. Never reads a pointer. */
import type { IndexEntry } from "../bundle/index-format.ts";
import type { StoredRecord } from "../bundle/record-format.ts";
import type { Digest } from "../model/digest.ts";
import type { SkillFile } from "../model/record.ts";
import type { ScriptRunner } from "../model/runner.ts";
import type {
  AgentSkill,
  AgentSkillContent,
  AgentSkillCounts,
  AgentSkillResource,
  AgentSkillScript,
} from "../model/skill.ts";
import type { SearchPlace } from "../model/word-index.ts";
import type { BundleReader } from "./bundle-reader.ts";
import { recordScripts, runnableCount } from "./run-record.ts";

/** What all skills of one packed layer share. */
export interface PackedParts {
  readonly reader: BundleReader;
  /** Null where scripts are not enabled. */
  readonly runner: ScriptRunner | null;
  readonly layer: string;
  /** The index they are found by; null where there is none. */
  readonly search: SearchPlace["index"] | null;
}

/** A skill of a bundle. Holds its index entry only; records live in the reader's cache. */
export class PackedSkill implements AgentSkill {
  readonly #entry: IndexEntry;
  readonly #parts: PackedParts;
  readonly #at: number;

  /** `at` is its position in the bundle's index. */
  constructor(entry: IndexEntry, parts: PackedParts, at: number) {
    this.#at = at;
    this.#entry = entry;
    this.#parts = parts;
  }

  get name(): string {
    return this.#entry.name;
  }

  get aliases(): readonly string[] {
    return this.#entry.aliases ?? [];
  }

  get description(): string {
    return this.#entry.description;
  }

  get metadata(): Readonly<Record<string, string>> {
    return this.#entry.metadata ?? {};
  }

  get hidden(): boolean {
    return this.#entry.hidden === true;
  }

  get digest(): Digest {
    return this.#entry.digest;
  }

  get revision(): string {
    return this.#entry.record;
  }

  get layer(): string {
    return this.#parts.layer;
  }

  get searchPlace(): SearchPlace | null {
    const { search } = this.#parts;
    return search && { index: search, at: this.#at };
  }

  get counts(): AgentSkillCounts {
    const { name, resources, scripts, runnable } = this.#entry;
    return { resources, scripts, runnable: runnableCount(name, { scripts, runnable }, this.#parts.runner) };
  }

  async getContent(): Promise<AgentSkillContent> {
    const { record } = await this.#read();
    return { frontmatter: record.frontmatter, allowedTools: record.allowed_tools, body: record.body };
  }

  async getManifest(): Promise<AgentSkillResource> {
    const stored = await this.#read();
    return this.#resource(stored.record.manifest, stored);
  }

  async getPortableManifest(): Promise<AgentSkillResource | null> {
    const stored = await this.#read();
    return stored.record.portable === undefined ? null : this.#resource(stored.record.portable, stored);
  }

  async listResources(): Promise<readonly AgentSkillResource[]> {
    const stored = await this.#read();
    return stored.record.files.map((file) => this.#resource(file, stored));
  }

  async listScripts(): Promise<readonly AgentSkillScript[]> {
    const { record } = await this.#read();
    const { reader, runner, layer } = this.#parts;
    return recordScripts(record, { runner, isolation: layer, readBlob: (digest) => reader.readBlob(digest) });
  }

  #read(): Promise<StoredRecord> {
    return this.#parts.reader.readRecord(this.#entry.record);
  }

  #resource(file: SkillFile, stored: StoredRecord): AgentSkillResource {
    const inline = stored.texts.get(file.digest);
    return {
      name: file.path,
      description: null,
      mediaType: file.media_type,
      size: file.size,
      digest: file.digest,
      text: file.text,
      read: async () =>
        inline === undefined ? this.#parts.reader.readBlob(file.digest) : new TextEncoder().encode(inline),
    };
  }
}

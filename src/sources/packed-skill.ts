/** Owns a skill of a packed bundle: what the index tells is there at once, the rest is read from its record. Never reads a pointer. */
import type { IndexEntry } from "../bundle/index-format.ts";
import type { StoredRecord } from "../bundle/record-format.ts";
import { type Block, type Blocked, blockedError } from "../model/blocks.ts";
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
import { fileResource } from "./file-resource.ts";
import { recordScripts, runnableCount } from "./run-record.ts";

/** What all skills of one packed layer share. */
export interface PackedParts {
  readonly reader: BundleReader;
  /** Null where scripts are not enabled. */
  readonly runner: ScriptRunner | null;
  readonly layer: string;
  /** The index they are found by; null where there is none. */
  readonly search: SearchPlace["index"] | null;
  readonly blocked: Blocked;
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
    const { key } = this.#parts.blocked;
    return key === "" ? this.#entry.record : `${this.#entry.record}:${key}`;
  }

  get blocked(): string | null {
    return this.#block()?.reason ?? null;
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
    const { reader, runner, layer, blocked } = this.#parts;
    return recordScripts(record, { runner, isolation: layer, blocked, readBlob: (digest) => reader.readBlob(digest) });
  }

  /** As far as the index tells. */
  #block(): Block | null {
    const { digest, record, manifest } = this.#entry;
    return this.#parts.blocked.of(digest, record, manifest);
  }

  async #read(): Promise<StoredRecord> {
    this.#refuse(this.#block());
    const stored = await this.#parts.reader.readRecord(this.#entry.record);
    const { manifest, portable } = stored.record;
    this.#refuse(this.#parts.blocked.of(manifest.digest, portable?.digest));
    return stored;
  }

  #refuse(block: Block | null): void {
    if (block !== null) {
      throw blockedError("skill-blocked", `skill "${this.name}"`, block);
    }
  }

  #resource(file: SkillFile, stored: StoredRecord): AgentSkillResource {
    const inline = stored.texts.get(file.digest);
    const block = this.#parts.blocked.of(file.digest);
    return fileResource(file, async () => {
      if (block !== null) {
        throw blockedError("file-blocked", `"${file.path}" of skill "${this.name}"`, block);
      }
      return inline === undefined ? this.#parts.reader.readBlob(file.digest) : new TextEncoder().encode(inline);
    });
  }
}

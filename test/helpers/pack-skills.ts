/** Packs plain descriptions of skills into storage entries, for tests of what reads them. Runs in Node and in workerd; never reads a disk. */
import { encodeIndex, type IndexEntry, indexEntry } from "../../src/bundle/index-format.ts";
import { blobKey, channelKey, indexKey } from "../../src/bundle/keys.ts";
import { encodePointer, movePointer, type Pointer } from "../../src/bundle/pointer-format.ts";
import { encodeRecord } from "../../src/bundle/record-format.ts";
import { type Digest, digestOf } from "../../src/model/digest.ts";
import { servedName, writtenName } from "../../src/model/name.ts";
import {
  comparePaths,
  type JsonObject,
  type SkillFile,
  type SkillRecord,
  type SkillScript,
  skillDigestText,
} from "../../src/model/record.ts";

/** A file of a described skill. */
export interface FileSpec {
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Default `text/plain` for text, `application/octet-stream` for bytes. */
  readonly mediaType?: string;
}

/** A skill as a test describes it. */
export interface SkillSpec {
  /** Served as the contract says; a written name that differs becomes an alias. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description?: string;
  readonly body?: string;
  /** The SKILL.md itself; default: one that has the name and the body. */
  readonly manifest?: string;
  /** The SKILL.md in the form that every host takes, as pack makes it; default: none. */
  readonly portable?: string;
  /** Fields beside name and description, as read. */
  readonly frontmatter?: JsonObject;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly allowedTools?: readonly string[];
  readonly files?: readonly FileSpec[];
  /** Facts of scripts; each has a file of its path among `files`. A path alone is a runnable Python script. */
  readonly scripts?: readonly (string | (Partial<SkillScript> & { readonly path: string }))[];
}

/** A bundle and everything that storage holds of it. */
export interface PackedLayer {
  readonly bundle: Digest;
  /** The blobs by their keys. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** Blobs and index by their keys. */
  readonly entries: ReadonlyMap<string, Uint8Array>;
  readonly records: readonly SkillRecord[];
}

/** Keeps a byte order mark: it is part of the text. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Packs skills into one bundle. */
export async function packSkills(skills: readonly SkillSpec[]): Promise<PackedLayer> {
  const blobs = new Map<string, Uint8Array>();
  const index: IndexEntry[] = [];
  const records: SkillRecord[] = [];
  for (const skill of skills) {
    const { record, contents } = await describe(skill);
    const bytes = encodeRecord(record, (file) => decoder.decode(contents.get(file.digest)));
    const digest = await digestOf(bytes);
    for (const [fileDigest, content] of contents) {
      blobs.set(blobKey(fileDigest), content);
    }
    blobs.set(blobKey(digest), bytes);
    index.push(indexEntry(record, digest));
    records.push(record);
  }
  const bytes = encodeIndex(index);
  const bundle = await digestOf(bytes);
  return { bundle, blobs, entries: new Map([...blobs, [indexKey(bundle), bytes]]), records };
}

async function describe(skill: SkillSpec): Promise<{ record: SkillRecord; contents: Map<Digest, Uint8Array> }> {
  const { name, description = `Skill ${name}.`, body = "Follow the steps.\n", metadata = {} } = skill;
  const contents = new Map<Digest, Uint8Array>();
  const text = skill.manifest ?? `---\nname: ${name}\n---\n${body}`;
  const manifest = await fileOf({ path: "SKILL.md", content: text }, contents);
  const portable =
    skill.portable === undefined
      ? {}
      : { portable: await fileOf({ path: "SKILL.md", content: skill.portable }, contents) };
  const files = await Promise.all((skill.files ?? []).map((file) => fileOf(file, contents)));
  files.sort((a, b) => comparePaths(a.path, b.path));
  const served = servedName(name);
  const written = writtenName(name);
  const record: SkillRecord = {
    name: served,
    aliases: [...(served === written ? [] : [written]), ...(skill.aliases ?? [])],
    digest: await digestOf(skillDigestText([manifest, ...files])),
    description,
    frontmatter: { name, description, ...skill.frontmatter },
    metadata,
    allowed_tools: skill.allowedTools ?? [],
    body,
    manifest,
    ...portable,
    files,
    scripts: (skill.scripts ?? []).map(scriptOf),
  };
  return { record, contents };
}

async function fileOf(file: FileSpec, contents: Map<Digest, Uint8Array>): Promise<SkillFile> {
  const { path, content } = file;
  const text = typeof content === "string";
  const bytes = text ? new TextEncoder().encode(content) : content;
  const digest = await digestOf(bytes);
  contents.set(digest, bytes);
  const media_type = file.mediaType ?? (text ? "text/plain" : "application/octet-stream");
  return { path, size: bytes.byteLength, digest, media_type, text };
}

function scriptOf(script: string | (Partial<SkillScript> & { readonly path: string })): SkillScript {
  const facts = typeof script === "string" ? { path: script } : script;
  return {
    description: null,
    runtime: "python",
    parameters: { type: "object" },
    runnable: true,
    reason: null,
    compiled: null,
    ...facts,
  };
}

/** A pointer whose history has these bundles, the live one first. */
export function pointerTo(...bundles: readonly Digest[]): Pointer {
  const [first, ...later] = bundles.toReversed();
  if (first === undefined) {
    throw new TypeError("a pointer needs a bundle");
  }
  const move = (bundle: Digest) => ({ bundle, at: "2026-11-30T00:00:00.000Z", by: "test", reason: "deploy" }) as const;
  return later.reduce((pointer, bundle) => movePointer(pointer, move(bundle)), movePointer(null, move(first)));
}

/** Key and bytes of a channel's pointer, for a map of entries. */
export function pointerEntry(layer: string, channel: string, ...bundles: readonly Digest[]): [string, Uint8Array] {
  return [channelKey(layer, channel), encodePointer(pointerTo(...bundles))];
}

/** What storage holds when these skills are live on the platform layer. */
export async function liveEntries(skills: readonly SkillSpec[]): Promise<Map<string, Uint8Array>> {
  const layer = await packSkills(skills);
  return new Map([...layer.entries, pointerEntry("platform", "live", layer.bundle)]);
}

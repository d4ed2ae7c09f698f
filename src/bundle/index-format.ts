/**
 * Owns the index: the one document that names every skill of a bundle. Its bytes' digest is the bundle's name.
 * Never reads storage. FORMAT.md is the normative text.
 */
import * as z from "zod/mini";
import type { Digest } from "../model/digest.ts";
import { isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { listOf, mapOf } from "../model/list-schema.ts";
import { comparePaths, isHidden, type SkillRecord } from "../model/record.ts";

/** The storage format this code writes, and the only one it reads. */
export const BUNDLE_FORMAT = 1;

/** What the catalogue needs to know of one skill without reading its record. */
export interface IndexEntry {
  readonly name: string;
  readonly description: string;
  /** Of the skill: its paths and bytes. */
  readonly digest: Digest;
  /** Of the record blob. */
  readonly record: Digest;
  /** Other names that find the skill; absent when there are none. */
  readonly aliases?: readonly string[];
  /** Normalised metadata, for filters; absent when there is none. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Of its SKILL.md: skills put at run time have it, so that a blocked one is known without its record; absent in what is packed. */
  readonly manifest?: Digest;
  /** How many files can be read; scripts among them. */
  readonly resources: number;
  /** How many scripts it has. */
  readonly scripts: number;
  /** How many of them can run. */
  readonly runnable: number;
  /** True when the model is not to be told of it (`disable-model-invocation`, `metadata.internal`); absent otherwise. */
  readonly hidden?: true;
}

/** All skills of a bundle, by name in path order. */
export interface BundleIndex {
  readonly format: typeof BUNDLE_FORMAT;
  readonly skills: readonly IndexEntry[];
  /** The blob of the index that the skills are found by; absent where searching makes one. */
  readonly search?: Digest;
}

const digest = z.custom<Digest>(isDigest, "not a digest");
const count = z.number().check(z.int(), z.minimum(0));

const entrySchema = z.object({
  name: z.string(),
  description: z.string(),
  digest,
  record: digest,
  aliases: z.optional(listOf(z.string())),
  metadata: z.optional(mapOf(z.string())),
  manifest: z.optional(digest),
  resources: count,
  scripts: count,
  runnable: count,
  hidden: z.optional(z.literal(true)),
});

const indexSchema = z.object({
  format: z.literal(BUNDLE_FORMAT),
  skills: listOf(entrySchema),
  search: z.optional(digest),
});

/** The index entry of a record whose blob has the given digest. */
export function indexEntry(record: SkillRecord, recordDigest: Digest): IndexEntry {
  const metadata = Object.keys(record.metadata).length > 0 ? { metadata: record.metadata } : {};
  const aliases = record.aliases.length > 0 ? { aliases: record.aliases } : {};
  return {
    name: record.name,
    description: record.description,
    digest: record.digest,
    record: recordDigest,
    ...aliases,
    ...metadata,
    resources: record.files.length,
    scripts: record.scripts.length,
    runnable: record.scripts.filter((script) => script.runnable).length,
    ...(isHidden(record.frontmatter, record.metadata) ? { hidden: true } : {}),
  };
}

/** Entries in the order in which an index has them. */
export function inIndexOrder(entries: Iterable<IndexEntry>): IndexEntry[] {
  return [...entries].sort((a, b) => comparePaths(a.name, b.name));
}

/** Writes an index; the order of `entries` does not matter. `search` is the digest of the blob they are found by. */
export function encodeIndex(entries: Iterable<IndexEntry>, search: Digest | null = null): Uint8Array {
  const found = search === null ? {} : { search };
  const index: BundleIndex = { format: BUNDLE_FORMAT, skills: inIndexOrder(entries), ...found };
  return new TextEncoder().encode(`${JSON.stringify(index)}\n`);
}

/** Reads an index. Throws `bundle-format-unknown` for another format and `bundle-damaged` for anything else that is not one. */
export function decodeIndex(bytes: Uint8Array): BundleIndex {
  const value = parseDocument(bytes, "index");
  const parsed = indexSchema.safeParse(value);
  if (!parsed.success) {
    throw new SkillsError("bundle-damaged", `Cannot read bundle index: ${z.prettifyError(parsed.error)}`);
  }
  return value as unknown as BundleIndex;
}

/** Parses a JSON document of a bundle and checks its format number, which every document has first. */
export function parseDocument(bytes: Uint8Array, what: string): object {
  const value = parseJson(bytes, what);
  if (typeof value !== "object" || value === null || !("format" in value) || typeof value.format !== "number") {
    throw new SkillsError("bundle-damaged", `Cannot read bundle ${what}: it has no format number`);
  }
  if (value.format !== BUNDLE_FORMAT) {
    throw new SkillsError(
      "bundle-format-unknown",
      `Cannot read bundle ${what}: its format is ${value.format}, this version reads ${BUNDLE_FORMAT}`,
      { hint: "deploy the edge Worker of the edge-skills version that packed the bundle, or pack again with this one" },
    );
  }
  return value;
}

function parseJson(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch (cause) {
    throw new SkillsError("bundle-damaged", `Cannot read bundle ${what}: it is not JSON`, { cause });
  }
}

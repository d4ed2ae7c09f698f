/**
 * Owns the record blob: all that is known of one skill, with its small texts inside, so that reading them costs no further read.
 * Never reads storage. FORMAT.md is the normative text.
 */
import * as z from "zod/mini";
import { type Digest, isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { listOf, mapOf } from "../model/list-schema.ts";
import type { SkillFile, SkillRecord, SkillScript } from "../model/record.ts";
import { BUNDLE_FORMAT, parseDocument } from "./index-format.ts";

/** Texts up to this many bytes travel inside the record. */
export const INLINE_FILE_BYTES = 16 * 1024;

/** All inlined texts of a skill together end here, so that a record stays a small read. */
export const INLINE_TOTAL_BYTES = 128 * 1024;

/** A record with the texts that travel inside it, by digest. */
export interface StoredRecord {
  readonly record: SkillRecord;
  readonly texts: ReadonlyMap<Digest, string>;
}

const digest = z.custom<Digest>(isDigest, "not a digest");
const count = z.number().check(z.int(), z.minimum(0));
const file = z.object({
  path: z.string(),
  size: count,
  digest,
  media_type: z.string(),
  text: z.boolean(),
});
const json = z.custom<object>((value) => typeof value === "object" && value !== null, "not an object");
const script = z.object({
  path: z.string(),
  description: z.nullable(z.string()),
  runtime: z.nullable(z.enum(["python", "bash", "javascript"])),
  parameters: json,
  runnable: z.boolean(),
  reason: z.nullable(z.string()),
  compiled: z.nullable(digest),
});

const recordSchema = z.object({
  format: z.literal(BUNDLE_FORMAT),
  name: z.string(),
  aliases: listOf(z.string()),
  digest,
  description: z.string(),
  frontmatter: json,
  metadata: json,
  allowed_tools: listOf(z.string()),
  body: z.string(),
  manifest: file,
  portable: z.optional(file),
  files: listOf(file),
  scripts: listOf(script),
  packages: z.optional(listOf(digest)),
  texts: mapOf(z.string()),
});

/** Writes a record; `textOf` gives the text of a file that is one, by its digest. */
export function encodeRecord(record: SkillRecord, textOf: (file: SkillFile) => string): Uint8Array {
  const texts = new Map<Digest, string>();
  let total = 0;
  for (const item of record.files) {
    const fits = item.text && item.size <= INLINE_FILE_BYTES && total + item.size <= INLINE_TOTAL_BYTES;
    if (fits && !texts.has(item.digest)) {
      texts.set(item.digest, textOf(item));
      total += item.size;
    }
  }
  return new TextEncoder().encode(`${JSON.stringify(documentOf(record, texts))}\n`);
}

/** The document in its one order of keys, whatever order the record was put together in: the order is part of the bytes, so of the digest. */
function documentOf(record: SkillRecord, texts: ReadonlyMap<Digest, string>): object {
  const { name, aliases, digest, description, frontmatter, metadata, allowed_tools, body } = record;
  return {
    format: BUNDLE_FORMAT,
    name,
    aliases,
    digest,
    description,
    frontmatter,
    metadata,
    allowed_tools,
    body,
    manifest: fileDocument(record.manifest),
    ...(record.portable === undefined ? {} : { portable: fileDocument(record.portable) }),
    files: record.files.map(fileDocument),
    scripts: record.scripts.map(scriptDocument),
    ...(record.packages === undefined ? {} : { packages: record.packages }),
    texts: Object.fromEntries(texts),
  };
}

function fileDocument({ path, size, digest, media_type, text }: SkillFile): SkillFile {
  return { path, size, digest, media_type, text };
}

function scriptDocument(script: SkillScript): SkillScript {
  const { path, description, runtime, parameters, runnable, reason, compiled } = script;
  return { path, description, runtime, parameters, runnable, reason, compiled };
}

/** Reads a record. Throws `bundle-format-unknown` or `bundle-damaged`. */
export function decodeRecord(bytes: Uint8Array): StoredRecord {
  const value = parseDocument(bytes, "record");
  const parsed = recordSchema.safeParse(value);
  if (!parsed.success) {
    throw new SkillsError("bundle-damaged", `Cannot read skill record: ${z.prettifyError(parsed.error)}`);
  }
  const { format: _, texts, ...record } = value as { format: 1; texts: Record<Digest, string> } & SkillRecord;
  return { record, texts: new Map(Object.entries(texts) as [Digest, string][]) };
}

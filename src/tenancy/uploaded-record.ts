/**
 * Owns whether a skill's record that somebody sent is one that the packer could have written. The edge trusts records: what it relies on (names,
 * paths, digests, texts inside) is held to here, once. Never reads storage: whether the files are there is uploads' and deploys'.
 */
import { type IndexEntry, indexEntry } from "../bundle/index-format.ts";
import { decodeRecord, encodeRecord, type StoredRecord } from "../bundle/record-format.ts";
import { neededBy } from "../bundle/record-needs.ts";
import { checkLimits } from "../check/limits.ts";
import { checkPaths } from "../check/paths.ts";
import { isTooDeep } from "../model/depth.ts";
import { type Digest, digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { characterCount, isUnsafeName, isValidName } from "../model/name.ts";
import { isManifestName } from "../model/path.ts";
import { comparePaths, type SkillRecord, skillDigestText } from "../model/record.ts";
import { type NamedSize, UPLOAD_LIMITS } from "../model/upload.ts";

/** What a deploy has to know of a record that was sent. */
export interface UploadedRecord {
  /** What the index has to say of the skill. */
  readonly entry: IndexEntry;
  /** Its files, the SKILL.md among them. */
  readonly files: readonly NamedSize[];
  /** Blobs whose size the record does not tell: compiled scripts, packages. */
  readonly blobs: readonly Digest[];
}

/** Characters of a name; the specification allows 64 and the packer warns beyond. */
const MAX_NAME = 256;
const MAX_ALIASES = 16;
/** Bytes of a skill's entry in the index, which every cold isolate reads with all others. */
const MAX_ENTRY_BYTES = 16 * 1024;

const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** Reads a record. Throws `bundle-format-unknown`, or `upload-invalid` saying what is wrong with it. */
export async function readUploadedRecord(bytes: Uint8Array, digest: Digest): Promise<UploadedRecord> {
  const stored = decoded(bytes);
  const { record } = stored;
  const problem =
    (await problemOf(stored)) ?? (isCanonical(stored, bytes) ? null : "it is not written as the packer writes it");
  if (problem !== null) {
    throw new SkillsError("upload-invalid", `Cannot take the record of ${shown(record.name)}: ${problem}`);
  }
  const entry = indexEntry(record, digest);
  if (new TextEncoder().encode(JSON.stringify(entry)).byteLength > MAX_ENTRY_BYTES) {
    throw new SkillsError(
      "upload-invalid",
      `Cannot take the record of ${shown(record.name)}: its frontmatter is too large`,
    );
  }
  const { files, blobs } = neededBy(record);
  if (files.length + blobs.length > UPLOAD_LIMITS.blobs) {
    throw new SkillsError(
      "upload-too-large",
      `Cannot take the record of ${shown(record.name)}: it refers to over ${UPLOAD_LIMITS.blobs} blobs`,
    );
  }
  return { entry, files: files.map((file) => [file.digest, file.size] as const), blobs };
}

function decoded(bytes: Uint8Array): StoredRecord {
  try {
    return decodeRecord(bytes);
  } catch (error) {
    throw SkillsError.is(error) && error.code === "bundle-damaged"
      ? new SkillsError("upload-invalid", error.message)
      : error;
  }
}

/** What is wrong with a record; null when nothing is. */
async function problemOf({ record, texts }: StoredRecord): Promise<string | null> {
  return (
    wrongName(record) ??
    wrongFields(record) ??
    wrongFiles(record) ??
    wrongScripts(record) ??
    (await wrongDigests(record, texts))
  );
}

function wrongName({ name, aliases }: SkillRecord): string | null {
  if (!isValidName(name) || characterCount(name) > MAX_NAME) {
    return "its name is no valid skill name";
  }
  const isOdd = (alias: string): boolean => alias === "" || isUnsafeName(alias) || characterCount(alias) > MAX_NAME;
  return aliases.length > MAX_ALIASES || aliases.some(isOdd) ? "it has other names that cannot be used" : null;
}

function wrongFields({ description, metadata, frontmatter, scripts }: SkillRecord): string | null {
  if (description.trim() === "") {
    return "it has no description";
  }
  if (Object.values(metadata).some((value) => typeof value !== "string")) {
    return "its metadata has values that are no texts";
  }
  const trees = [frontmatter, metadata, ...scripts.map(({ parameters }) => parameters)];
  if (trees.some((tree) => Array.isArray(tree) || isTooDeep(tree))) {
    return "its frontmatter or parameters are no objects, or too deep";
  }
  return null;
}

function wrongFiles(record: SkillRecord): string | null {
  const { manifest, portable, files } = record;
  const paths = [manifest, ...files].map(({ path }) => path).sort(comparePaths);
  if (
    !isManifestName(manifest.path) ||
    !manifest.text ||
    (portable && (portable.path !== "SKILL.md" || !portable.text))
  ) {
    return "its SKILL.md is none";
  }
  if (new Set(paths).size < paths.length || !isSorted(files)) {
    return "its files are not in path order, or a path comes twice";
  }
  const [problem] = [...checkPaths(paths, manifest.path), ...checkLimits([manifest, ...files])].filter(
    ({ severity }) => severity === "error",
  );
  if (problem !== undefined) {
    return `${problem.message} (${problem.code})`;
  }
  const odd = neededBy(record).files.find((file) => !MEDIA_TYPE.test(file.media_type));
  return odd === undefined ? null : `${JSON.stringify(odd.path)} has a media type that is none`;
}

function wrongScripts({ files, scripts }: SkillRecord): string | null {
  const paths = new Set(files.map(({ path }) => path));
  return isSorted(scripts) && scripts.every(({ path }) => paths.has(path))
    ? null
    : "its scripts are not in path order, or have no file";
}

function isSorted(items: readonly { readonly path: string }[]): boolean {
  return items.every((item, i) => i === 0 || comparePaths(items[i - 1]?.path ?? "", item.path) < 0);
}

async function wrongDigests(record: SkillRecord, texts: StoredRecord["texts"]): Promise<string | null> {
  if ((await digestOf(skillDigestText([record.manifest, ...record.files]))) !== record.digest) {
    return "its digest is not that of its files";
  }
  for (const [digest, text] of texts) {
    if ((await digestOf(text)) !== digest) {
      return `the text of ${digest} is another one`;
    }
  }
  return null;
}

/** Written again it is the same: so no key is hidden in it, and just those texts stand inside that have to. */
function isCanonical({ record, texts }: StoredRecord, bytes: Uint8Array): boolean {
  const again = encodeRecord(record, (file) => texts.get(file.digest) ?? "");
  return again.byteLength === bytes.byteLength && again.every((byte, i) => byte === bytes[i]);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

/** Owns the files of a skill that comes as an archive: checked against its digest before it is opened, kept unpacked while there is room. Never fetches by itself. */
import { openSkillArchive } from "../bundle/archive/open-skill-archive.ts";
import { mediaTypeOf } from "../check/media-type.ts";
import { searchableText } from "../check/text.ts";
import { type Digest, digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { AgentSkillResource, AgentSkillsSourceContext } from "../model/skill.ts";
import { ByteCache } from "./byte-cache.ts";
import type { FilesOf } from "./files-skill.ts";

/** Bytes that one source keeps unpacked: an isolate has room for other things too. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Where unpacked archives are kept. One per source. */
export function archiveCache(): ByteCache {
  return new ByteCache(KEPT_BYTES);
}

/** The files of the archive of a digest, fetched when they are asked for. */
export function archiveFiles(
  digest: Digest,
  fetchArchive: (context: AgentSkillsSourceContext) => Promise<Uint8Array>,
  cache: ByteCache,
): FilesOf {
  return async (context) => {
    const kept = cache.get<readonly AgentSkillResource[]>(digest);
    if (kept !== undefined) {
      return kept;
    }
    const archive = await fetchArchive(context);
    if ((await digestOf(archive)) !== digest) {
      throw new SkillsError(
        "bundle-damaged",
        "Cannot use the archive of a skill: its bytes are not those of its digest",
      );
    }
    const files = await Promise.all([...openSkillArchive(archive)].map(([path, bytes]) => fileOf(path, bytes)));
    cache.set(
      digest,
      files,
      files.reduce((sum, { size }) => sum + (size ?? 0), 0),
    );
    return files;
  };
}

async function fileOf(path: string, bytes: Uint8Array): Promise<AgentSkillResource> {
  const { isText } = searchableText(bytes);
  return {
    name: path,
    description: null,
    mediaType: mediaTypeOf(path, isText),
    size: bytes.byteLength,
    digest: await digestOf(bytes),
    text: isText,
    read: async () => bytes,
  };
}

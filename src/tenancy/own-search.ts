/** Owns the search index of a bundle that was sent: the edge makes it of the bundle's skills itself, and takes no other. */
import type { BundleIndex } from "../bundle/index-format.ts";
import { blobKey } from "../bundle/keys.ts";
import { digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { UploadStorage } from "./upload-storage.ts";

/** Stores the search index that a bundle names; none where it names none. Throws `upload-invalid` when its skills make another one. */
export async function keepSearchIndex({ skills, search }: BundleIndex, storage: UploadStorage): Promise<void> {
  if (search === undefined) {
    return;
  }
  const { SearchIndex } = await import("../bundle/search-index.ts");
  const bytes = SearchIndex.of(skills).encode();
  if ((await digestOf(bytes)) !== search) {
    throw new SkillsError("upload-invalid", "Cannot deploy: the search index is not the one that these skills make");
  }
  await storage.put(blobKey(search), bytes);
}

/** Owns finding the files of packed skills by the skills' digests, for a function that has them. Never packs. */
import { decodeIndex } from "../bundle/index-format.ts";
import { decodeRecord } from "../bundle/record-format.ts";
import type { Digest } from "../model/digest.ts";
import type { PackedLayer } from "../pack/pack.ts";

/** The files of each skill of some layers, by path. */
export function shelfOf(layers: readonly PackedLayer[]): ReadonlyMap<Digest, () => ReadonlyMap<string, Uint8Array>> {
  const skills = layers.flatMap(({ index, blobs }) =>
    decodeIndex(index).skills.map(({ digest, record }) => [digest, () => filesOf(blobs, record)] as const),
  );
  return new Map(skills);
}

function filesOf(blobs: PackedLayer["blobs"], digest: Digest): ReadonlyMap<string, Uint8Array> {
  const bytes = (of: Digest): Uint8Array => blobs.get(of) ?? new Uint8Array();
  const { record } = decodeRecord(bytes(digest));
  return new Map([record.manifest, ...record.files].map((file) => [file.path, bytes(file.digest)]));
}

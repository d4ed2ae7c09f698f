/** Owns reading a bundle from a directory. Whatever is read is compared with its digest; what is not asked for is not read. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BundleIndex, decodeIndex } from "../bundle/index-format.ts";
import { blobKey, indexKey } from "../bundle/keys.ts";
import { decodeRecord, type StoredRecord } from "../bundle/record-format.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { BlobMap } from "./blob-map.ts";
import { BUNDLE_FILE, decodeBundleFile, type LayerDigest } from "./bundle-manifest.ts";
import { sha256 } from "./hash.ts";
import type { PackedLayer } from "./pack.ts";

/** A bundle on disk. Every read throws `bundle-damaged` for what is missing or altered, `bundle-format-unknown` for another format. */
export class BundleDirectory {
  /** Over all layers. */
  readonly digest: Digest;
  readonly layers: readonly LayerDigest[];
  readonly #path: string;

  private constructor(path: string, digest: Digest, layers: readonly LayerDigest[]) {
    this.#path = path;
    this.digest = digest;
    this.layers = layers;
  }

  /** Opens a bundle; reads `bundle.json` only. Throws `bundle-unknown` when there is none. */
  static open(path: string): BundleDirectory {
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(join(path, BUNDLE_FILE));
    } catch (cause) {
      throw new SkillsError("bundle-unknown", `"${path}" is not a bundle: it has no ${BUNDLE_FILE}`, { cause });
    }
    const { digest, layers } = decodeBundleFile(bytes);
    return new BundleDirectory(path, digest, layers);
  }

  /** The index of a layer. */
  readIndex(layer: LayerDigest): BundleIndex {
    return decodeIndex(this.#read(indexKey(layer.digest), layer.digest));
  }

  /** A skill's record, by the digest in its index entry. */
  readRecord(digest: Digest): StoredRecord {
    return decodeRecord(this.readBlob(digest));
  }

  /** The bytes of a file, a record or a compiled script. */
  readBlob(digest: Digest): Uint8Array {
    return this.#read(blobKey(digest), digest);
  }

  /** A whole layer in memory, as packing makes it. */
  readLayer(layer: LayerDigest): PackedLayer {
    const index = this.#read(indexKey(layer.digest), layer.digest);
    const { skills, search } = decodeIndex(index);
    const blobs = new BlobMap();
    if (search !== undefined) {
      blobs.addBytes(search, this.readBlob(search));
    }
    for (const entry of skills) {
      for (const digest of [entry.record, ...this.#digestsOf(entry.record)]) {
        blobs.addBytes(digest, blobs.get(digest) ?? this.readBlob(digest));
      }
    }
    return { name: layer.name, digest: layer.digest, index, blobs, skills: skills.length };
  }

  #digestsOf(record: Digest): Digest[] {
    const { manifest, portable, files, scripts, packages = [] } = this.readRecord(record).record;
    const compiled = scripts.flatMap((script) => script.compiled ?? []);
    const own = [manifest, ...(portable ? [portable] : []), ...files].map((file) => file.digest);
    return [...own, ...compiled, ...packages];
  }

  #read(key: string, digest: Digest): Uint8Array {
    let bytes: Buffer;
    try {
      bytes = readFileSync(join(this.#path, key));
    } catch (cause) {
      throw new SkillsError("bundle-damaged", `The bundle "${this.#path}" lacks ${key}`, { cause });
    }
    if (sha256(bytes) !== digest) {
      throw new SkillsError("bundle-damaged", `The bundle "${this.#path}" is damaged: ${key} does not have its digest`);
    }
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

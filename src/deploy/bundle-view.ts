/** Owns reading what a bundle is made of, wherever it lies: its skills, their files, the digests it refers to. Never writes. */
import { decodeIndex, type IndexEntry } from "../bundle/index-format.ts";
import { blobKey, indexKey } from "../bundle/keys.ts";
import { decodeRecord } from "../bundle/record-format.ts";
import { type Digest, isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { SkillRecord } from "../model/record.ts";
import type { DeployableLayer } from "./deployable.ts";
import type { DeployTarget } from "./target.ts";

/** One bundle; what it refers to is read when it is asked for. */
export interface BundleView {
  readonly digest: Digest;
  readonly skills: readonly IndexEntry[];
  /** Blobs that it needs beside those of its skills. */
  readonly own: readonly Digest[];
  /** The record of one of its skills. Throws `bundle-damaged` when it is not there. */
  record(entry: IndexEntry): Promise<SkillRecord>;
  /** The digests of all blobs that one of its skills needs, its record among them. */
  needs(entry: IndexEntry): Promise<Digest[]>;
  /** Both at once; null when its record is not there. */
  find(entry: IndexEntry): Promise<FoundSkill | null>;
}

/** A skill of a bundle as it is stored. */
export interface FoundSkill {
  readonly record: SkillRecord;
  readonly needs: readonly Digest[];
}

/** A packed layer as a view. */
export function viewOfLayer({ digest, index, blobs }: DeployableLayer): BundleView {
  return viewOf(digest, index, async (record) => blobs.get(record) ?? null);
}

/** A bundle of a target as a view; null when its index is not there. */
export async function findStored(target: DeployTarget, bundle: Digest): Promise<BundleView | null> {
  const index = await target.get(indexKey(bundle));
  return index && viewOf(bundle, index, (record) => target.get(blobKey(record)));
}

/** The same. Throws `bundle-damaged` when its index is not there. */
export async function viewOfStored(target: DeployTarget, bundle: Digest): Promise<BundleView> {
  const view = await findStored(target, bundle);
  if (view === null) {
    throw new SkillsError("bundle-damaged", `${target.name} lacks ${indexKey(bundle)}`, {
      hint: "deploy the same skills again with --again",
    });
  }
  return view;
}

function viewOf(bundle: Digest, index: Uint8Array, read: (digest: Digest) => Promise<Uint8Array | null>): BundleView {
  const bytesOf = async ({ name, record }: IndexEntry): Promise<Uint8Array> => {
    const bytes = await read(record);
    if (bytes === null) {
      throw new SkillsError("bundle-damaged", `Bundle ${bundle} lacks the record of "${name}", ${blobKey(record)}`);
    }
    return bytes;
  };
  const { skills, search } = decodeIndex(index);
  return {
    digest: bundle,
    skills,
    own: search === undefined ? [] : [search],
    record: async (entry) => decodeRecord(await bytesOf(entry)).record,
    needs: async (entry) => [entry.record, ...digestsIn(await bytesOf(entry))],
    async find(entry) {
      const bytes = await read(entry.record);
      return bytes && { record: decodeRecord(bytes).record, needs: [entry.record, ...digestsIn(bytes)] };
    },
  };
}

/**
 * Every digest that stands anywhere in a record. More than it refers to, perhaps (a text may name one); never less, whatever keys
 * later versions of the record have.
 */
function digestsIn(record: Uint8Array): Digest[] {
  const found = new TextDecoder().decode(record).match(/sha256:[0-9a-f]{64}/g) ?? [];
  return [...new Set(found)].filter(isDigest);
}

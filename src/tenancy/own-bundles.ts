/**
 * Owns what a tenant has of its own in bundles that are kept: the only proof, beside what it sends, that it holds a file. Never looks whether
 * storage has something, since that would tell what others hold.
 */
import type { BundleIndex, IndexEntry } from "../bundle/index-format.ts";
import type { Pointer } from "../bundle/pointer-format.ts";
import { neededBy, type RecordNeeds } from "../bundle/record-needs.ts";
import type { Digest } from "../model/digest.ts";
import { DEFAULT_CHANNEL } from "../model/layer.ts";
import type { BundleReader } from "../sources/bundle-reader.ts";
import type { UploadStorage } from "./upload-storage.ts";

/** What a tenant holds, as far as it matters for one bundle. */
export interface Holdings {
  /** Skills of its live bundles, by their records. */
  readonly entries: ReadonlyMap<Digest, IndexEntry>;
  /** Files by digest, with their bytes. */
  readonly sizes: ReadonlyMap<Digest, number>;
  /** Compiled scripts and packages. */
  readonly blobs: ReadonlySet<Digest>;
}

/** Records of earlier skills that are read for one bundle. What they would have told beyond is sent again. */
const MAX_RECORDS = 200;

/** A bundle for a channel. */
export interface WantedBundle {
  readonly layer: string;
  readonly channel: string;
  /** Digest of the index. */
  readonly bundle: Digest;
  readonly index: BundleIndex;
}

/** What a tenant holds that a bundle may refer to: from the live bundles of its channel and of the default one, and from itself if one of them had it. */
export async function holdingsFor(
  { layer, channel, bundle, index }: WantedBundle,
  { storage, reader }: { readonly storage: UploadStorage; readonly reader: BundleReader },
): Promise<Holdings> {
  const pointers = await Promise.all(
    [...new Set([channel, DEFAULT_CHANNEL])].map((name) => storage.readPointer(layer, name)),
  );
  const live = pointers.flatMap(({ pointer }) => pointer?.bundle ?? []);
  const had = pointers.some(({ pointer }) => isKept(pointer, bundle)) ? [bundle] : [];
  const kept = (await Promise.all([...new Set([...live, ...had])].map((one) => keptSkills(one, reader)))).flat();
  const entries = new Map(kept.map((entry) => [entry.record, entry]));
  const changed = new Set(index.skills.filter(({ record }) => !entries.has(record)).map(({ name }) => name));
  const earlier = [...entries.values()].filter(({ name }) => changed.has(name)).slice(0, MAX_RECORDS);
  const needs = (await Promise.all(earlier.map(({ record }) => needsOf(record, reader)))).flat();
  return {
    entries,
    sizes: new Map(needs.flatMap(({ files }) => files.map((file) => [file.digest, file.size] as const))),
    blobs: new Set(needs.flatMap(({ blobs }) => blobs)),
  };
}

/** What is damaged proves nothing, and is mended by what is sent instead. */
async function keptSkills(bundle: Digest, reader: BundleReader): Promise<readonly IndexEntry[]> {
  try {
    return (await reader.readIndex(bundle)).index.skills;
  } catch {
    return [];
  }
}

async function needsOf(record: Digest, reader: BundleReader): Promise<readonly RecordNeeds[]> {
  try {
    return [neededBy((await reader.readRecord(record)).record)];
  } catch {
    return [];
  }
}

/** Whether a channel's history has a bundle. */
export function isKept(pointer: Pointer | null, bundle: Digest): boolean {
  return pointer?.history.some((move) => move.bundle === bundle) ?? false;
}

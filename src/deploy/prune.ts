/** Owns removing what nothing refers to any more: no channel, no kept history, no running deploy. Never removes anything while a deploy is under way. */
import { blobKey, indexKey } from "../bundle/keys.ts";
import { HISTORY_LENGTH, type Pointer } from "../bundle/pointer-format.ts";
import { blockedBy } from "../model/blocks.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { viewOfStored } from "./bundle-view.ts";
import { mapLimited } from "./map-limited.ts";
import { moveOrThrow } from "./move-pointer.ts";
import type { DeployTarget, PointerName, ReadPointer } from "./target.ts";
import { noteRemoval, type Waiting, Work } from "./work.ts";

/** How to prune. */
export interface PruneOptions {
  readonly now: () => Date;
  /** How many bundles each channel keeps, the live one among them; what its history has beyond is forgotten. Default: all of its history. */
  readonly keep?: number;
  /** Channels that nobody needs any more: their pointers go, of all layers. */
  readonly drop?: readonly string[];
  /** `dry`: say what would be removed, and remove nothing. Default `write`. */
  readonly mode?: "write" | "dry";
  /** Wait for deploys that are under way; none begins meanwhile. Default: `target-busy` at once. */
  readonly waiting?: Waiting | null;
  readonly onProgress?: (progress: { readonly removed: number; readonly total: number }) => void;
}

/** What was, or would be, removed. */
export interface PruneReport {
  /** Pointers that are gone. */
  readonly dropped: readonly PointerName[];
  /** Channels whose history is shortened. */
  readonly shortened: readonly (PointerName & { readonly forgotten: readonly Digest[] })[];
  readonly removed: { readonly indexes: number; readonly blobs: number };
  readonly kept: { readonly indexes: number; readonly blobs: number };
}

const CONCURRENCY = 16;
/** Keys removed in one go. */
const BATCH = 1_000;

interface Found extends ReadPointer, PointerName {
  readonly pointer: Pointer;
}

/** Removes bytes. Throws `target-busy` while a deploy is under way, `bundle-damaged` when it cannot be told what a kept bundle refers to. */
export async function prune(target: DeployTarget, options: PruneOptions): Promise<PruneReport> {
  if (options.mode === "dry") {
    return sweep(target, options, null);
  }
  const work = await Work.begin(target, "prune", "deploy", options.now, options.waiting);
  try {
    return await sweep(target, options, work);
  } finally {
    await work.end();
  }
}

async function sweep(target: DeployTarget, options: PruneOptions, work: Work | null): Promise<PruneReport> {
  const { keep = HISTORY_LENGTH, drop = [] } = options;
  const all = await readPointers(target);
  const dropped = all.filter(({ channel }) => drop.includes(channel)).map(({ layer, channel }) => ({ layer, channel }));
  const pointers = all.filter(({ channel }) => !drop.includes(channel));
  const shortened = pointers.map((found) => ({ found, ...shorten(found.pointer, keep) }));
  const kept = await referenced(
    target,
    shortened.flatMap(({ pointer }) => pointer.history.map(({ bundle }) => bundle)),
  );
  const stored = [await target.keys("index"), await target.keys("blob")].map((keys) => [...keys]);
  const [indexes = [], blobs = []] = stored.map((keys) => keys.filter((key) => !kept.has(key)));
  if (work !== null) {
    for (const { layer, channel } of dropped) {
      await target.removePointer(layer, channel);
    }
    for (const { found, pointer } of shortened.filter(({ forgotten }) => forgotten.length > 0)) {
      await moveOrThrow(target, found, found, () => pointer);
    }
    await removeAll(target, [...indexes, ...blobs], options, work);
  }
  const [allIndexes = [], allBlobs = []] = stored;
  return {
    dropped,
    shortened: shortened
      .filter(({ forgotten }) => forgotten.length > 0)
      .map(({ found: { layer, channel }, forgotten }) => ({ layer, channel, forgotten })),
    removed: { indexes: indexes.length, blobs: blobs.length },
    kept: { indexes: allIndexes.length - indexes.length, blobs: allBlobs.length - blobs.length },
  };
}

async function readPointers(target: DeployTarget): Promise<Found[]> {
  const read = await mapLimited(CONCURRENCY, await target.listPointers(), async ({ layer, channel }) => {
    const { pointer, version } = await target.readPointer(layer, channel);
    return pointer === null ? [] : [{ layer, channel, pointer, version }];
  });
  return read.flat();
}

/** A pointer with the moves to its newest `keep` bundles only. */
function shorten(pointer: Pointer, keep: number): { pointer: Pointer; forgotten: readonly Digest[] } {
  const bundles = [...new Set(pointer.history.map(({ bundle }) => bundle))];
  const forgotten = bundles.slice(keep);
  const history = pointer.history.filter(({ bundle }) => !forgotten.includes(bundle));
  return { pointer: { ...pointer, history }, forgotten };
}

/** The keys of all that some bundles refer to. What was purged refers to nothing any more. */
async function referenced(target: DeployTarget, bundles: readonly Digest[]): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const seen = new Set<Digest>();
  const blocked = blockedBy((await target.readBlockList()).list);
  for (const bundle of new Set(bundles)) {
    if (blocked.of(bundle) !== null && (await target.get(indexKey(bundle))) === null) {
      continue;
    }
    const view = await viewOfStored(target, bundle);
    keys.add(indexKey(bundle));
    for (const digest of view.own) {
      keys.add(blobKey(digest));
    }
    const fresh = view.skills.filter(({ record }) => !seen.has(record));
    await mapLimited(CONCURRENCY, fresh, async (entry) => {
      seen.add(entry.record);
      const isBlocked = blocked.of(entry.digest, entry.record) !== null;
      const needs = isBlocked ? ((await view.find(entry))?.needs ?? []) : await view.needs(entry);
      for (const digest of needs) {
        keys.add(blobKey(digest));
      }
    });
  }
  return keys;
}

async function removeAll(
  target: DeployTarget,
  keys: readonly string[],
  { now, onProgress }: PruneOptions,
  work: Work,
): Promise<void> {
  for (let at = 0; at < keys.length; at += BATCH) {
    // A note that has run out lets deploys begin: then nothing more may go.
    if (!(await work.renew())) {
      throw new SkillsError(
        "target-busy",
        `Cannot go on removing from ${target.name}: it took so long that deploys may have begun`,
        {
          hint: "prune again: it ends what was begun",
        },
      );
    }
    await noteRemoval(target, now);
    await target.remove(keys.slice(at, at + BATCH));
    onProgress?.({ removed: Math.min(at + BATCH, keys.length), total: keys.length });
  }
}

/**
 * Owns the order of a deploy: blobs, then indexes, then pointers (DESIGN.md §4). Killed at any point, readers see the old bundle or the new one,
 * whole. Never packs; never knows where it writes.
 */
import { blobKey, indexKey } from "../bundle/keys.ts";
import { movePointer, type PointerMove } from "../bundle/pointer-format.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { LazyBytes } from "../pack/blob-map.ts";
import { hasSameMoves } from "./block-list.ts";
import type { DeployableLayer, MovableLayer } from "./deployable.ts";
import { conflictOf, moveOrThrow } from "./move-pointer.ts";
import { refuseBlockedLayers } from "./refuse-blocked.ts";
import type { Delivery, DeployTarget, DueEntry, ReadPointer, StoredEntry } from "./target.ts";
import { currentWork, Work } from "./work.ts";

/** What is to be uploaded: what the target lacks, or everything, to mend what is damaged there. */
export type Upload = "missing" | "all";

/** Where a deploy goes to. */
export interface DeployGoal {
  readonly channel: string;
  /** Default `missing`. */
  readonly upload?: Upload;
}

/** How a deploy goes. */
export interface DeployOptions extends DeployGoal {
  /** Who deploys, for the history. */
  readonly by: string;
  /** When, for the history. */
  readonly now: () => Date;
  /** The git commit the skills come from, for the history; null when it is not known. */
  readonly commit?: string | null;
  readonly onProgress?: (progress: DeployProgress) => void;
}

/** How far a deploy is. */
export interface DeployProgress {
  readonly written: number;
  readonly total: number;
}

/** What a deploy did, or would do. */
export interface DeployReport {
  readonly channel: string;
  readonly layers: readonly LayerReport[];
  readonly blobs: { readonly uploaded: number; readonly unchanged: number; readonly bytes: number };
}

export interface LayerReport {
  readonly layer: string;
  readonly bundle: Digest;
  /** The bundle before; null when there was none. */
  readonly previous: Digest | null;
  readonly moved: boolean;
}

/** What has to be written for some layers, and what is there. */
interface DeployPlan {
  readonly blobs: readonly StoredEntry[];
  readonly indexes: readonly StoredEntry[];
  readonly unchanged: number;
}

/** Written in one go where a target does not say. */
const BATCH = { entries: 256, bytes: 16 * 1024 * 1024 };

/** Finds what has to be written; what lacks although it is live is mended. */
async function planDeploy(
  target: DeployTarget,
  layers: readonly DeployableLayer[],
  { upload = "missing" }: DeployGoal,
): Promise<DeployPlan> {
  const blobs = new Map(layers.flatMap((layer) => [...layer.blobs.sources()]));
  const indexes = new Map(layers.map(({ digest, index }) => [digest, { size: index.byteLength, bytes: index }]));
  const due = async (entries: readonly LazyEntry[]): Promise<readonly LazyEntry[]> =>
    upload === "all" ? entries : target.missing(entries);
  const [dueBlobs, dueIndexes] = await Promise.all([due(entriesOf(blobs, blobKey)), due(entriesOf(indexes, indexKey))]);
  return { blobs: dueBlobs, indexes: dueIndexes, unchanged: blobs.size - dueBlobs.length };
}

function areLive(layers: readonly DeployableLayer[], before: readonly ReadPointer[]): boolean {
  return layers.every((layer, i) => before[i]?.pointer?.bundle === layer.digest);
}

function entriesOf(sources: ReadonlyMap<Digest, LazyBytes>, keyOf: (digest: Digest) => string): LazyEntry[] {
  return [...sources].map(([digest, source]) => new LazyEntry(keyOf(digest), source));
}

/** Most entries of a deploy are there already: their bytes are never read. */
class LazyEntry implements StoredEntry, DueEntry {
  readonly key: string;
  readonly size: number;
  readonly #source: LazyBytes;

  constructor(key: string, source: LazyBytes) {
    this.key = key;
    this.size = source.size;
    this.#source = source;
  }

  get bytes(): Uint8Array {
    return this.#source.bytes;
  }
}

/**
 * Deploys packed layers to a channel. Throws `bundle-blocked`, `skill-blocked` or `file-blocked`, before anything is sent, for what was
 * recalled, `deploy-conflict` when somebody else moves a pointer meanwhile, `target-busy` while bytes are being
 * removed there; blobs written stay, harmless.
 */
export async function deploy(
  target: DeployTarget,
  layers: readonly DeployableLayer[],
  options: DeployOptions,
): Promise<DeployReport> {
  await refuseBlockedLayers(target, layers);
  // Read before anything is written: a pointer that moves meanwhile is then noticed.
  const before = await Promise.all(layers.map((layer) => target.readPointer(layer.name, options.channel)));
  if (target.deliver !== undefined) {
    return deliver(target, layers, before, options);
  }
  if (areLive(layers, before)) {
    // What a pointer leads to is removed by nobody.
    return upload(target, layers, before, options, null);
  }
  const work = await Work.begin(target, "deploy", "prune", options.now);
  try {
    const wasPruned = (await currentWork(target, "pruned", options.now)) !== null;
    return await upload(target, layers, before, wasPruned ? { ...options, upload: "all" } : options, work);
  } finally {
    await work.end();
  }
}

/** A deploy to a target that takes bundles as a whole: it keeps the order, and removals out. */
async function deliver(
  target: DeployTarget,
  layers: readonly DeployableLayer[],
  before: readonly ReadPointer[],
  options: DeployOptions,
): Promise<DeployReport> {
  const delivery = await openDelivery(target, layers, before, options, "write");
  try {
    const total = delivery.due.blobs;
    await delivery.send((written) => options.onProgress?.({ written, total }));
    const moved = await movePointers(target, layers, before, options);
    return { channel: options.channel, layers: moved, blobs: deliveryReport(layers, delivery) };
  } finally {
    await delivery.end();
  }
}

/** What is live already is there. */
async function openDelivery(
  { deliver: open }: DeployTarget,
  layers: readonly DeployableLayer[],
  before: readonly ReadPointer[],
  { channel, upload = "missing" }: DeployGoal,
  mode: "write" | "dry",
): Promise<Delivery> {
  const due = layers.filter((layer, i) => upload === "all" || before[i]?.pointer?.bundle !== layer.digest);
  return (await open?.(due, { channel, upload, mode })) ?? NOTHING_DUE;
}

const NOTHING_DUE: Delivery = {
  due: { blobs: 0, bytes: 0 },
  send: async () => undefined,
  end: async () => undefined,
};

function deliveryReport(layers: readonly DeployableLayer[], { due }: Delivery): DeployReport["blobs"] {
  const all = new Set(layers.flatMap((layer) => [...layer.blobs.keys()]));
  return { uploaded: due.blobs, unchanged: all.size - due.blobs, bytes: due.bytes };
}

async function upload(
  target: DeployTarget,
  layers: readonly DeployableLayer[],
  before: readonly ReadPointer[],
  options: DeployOptions,
  work: Work | null,
): Promise<DeployReport> {
  const plan = await planDeploy(target, layers, options);
  let written = 0;
  const total = plan.blobs.length + plan.indexes.length;
  for (const batch of [plan.blobs, plan.indexes].flatMap((entries) => [...batches(entries, target)])) {
    await target.put(batch);
    written += batch.length;
    options.onProgress?.({ written, total });
    await work?.renew();
  }
  if (work !== null && !(await work.renew())) {
    throw new SkillsError(
      "target-busy",
      `Cannot deploy to ${target.name}: it took so long that bytes may have been removed`,
      {
        hint: "deploy again: what was written is used",
      },
    );
  }
  const moved = await movePointers(target, layers, before, options);
  return { channel: options.channel, layers: moved, blobs: blobReport(plan) };
}

/** Moves the pointers of the layers whose bundle is another one. Looks at all of them first, so that a conflict leaves none moved. */
export async function movePointers(
  target: DeployTarget,
  layers: readonly MovableLayer[],
  before: readonly ReadPointer[],
  { channel, by, now, commit = null }: DeployOptions,
): Promise<LayerReport[]> {
  const current = await Promise.all(layers.map((layer) => target.readPointer(layer.name, channel)));
  const conflict = layers.find((_, i) => !hasSameMoves(current[i]?.pointer ?? null, before[i]?.pointer ?? null));
  if (conflict) {
    throw conflictOf(conflict.name, channel);
  }
  const reports: LayerReport[] = [];
  for (const [i, layer] of layers.entries()) {
    const read = current[i] ?? { pointer: null, version: null };
    const previous = read.pointer?.bundle ?? null;
    const moved = previous !== layer.digest;
    if (moved) {
      const own = layer.commit ?? commit;
      const from = own === null ? {} : { commit: own };
      const move: PointerMove = { bundle: layer.digest, at: now().toISOString(), by, reason: "deploy", ...from };
      await moveOrThrow(target, { layer: layer.name, channel }, read, (pointer) => movePointer(pointer, move));
    }
    reports.push({ layer: layer.name, bundle: layer.digest, previous, moved });
  }
  return reports;
}

/** What a deploy would do; writes nothing. */
export async function dryRun(
  target: DeployTarget,
  layers: readonly DeployableLayer[],
  goal: DeployGoal,
): Promise<DeployReport> {
  const { channel } = goal;
  await refuseBlockedLayers(target, layers);
  const before = await Promise.all(layers.map((layer) => target.readPointer(layer.name, channel)));
  const blobs =
    target.deliver === undefined
      ? blobReport(await planDeploy(target, layers, goal))
      : deliveryReport(layers, await openDelivery(target, layers, before, goal, "dry"));
  const reports = layers.map((layer, i): LayerReport => {
    const previous = before[i]?.pointer?.bundle ?? null;
    return { layer: layer.name, bundle: layer.digest, previous, moved: previous !== layer.digest };
  });
  return { channel, layers: reports, blobs };
}

function blobReport({ blobs, unchanged }: DeployPlan): DeployReport["blobs"] {
  return { uploaded: blobs.length, unchanged, bytes: blobs.reduce((sum, entry) => sum + entry.bytes.byteLength, 0) };
}

function* batches(
  entries: readonly StoredEntry[],
  { batch: most = BATCH }: Pick<DeployTarget, "batch">,
): Generator<StoredEntry[]> {
  let batch: StoredEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (batch.length > 0 && (batch.length >= most.entries || bytes + entry.bytes.byteLength > most.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += entry.bytes.byteLength;
  }
  if (batch.length > 0) {
    yield batch;
  }
}

/** Owns what a deploy needs of a place to deploy to. Implementations: local-target.ts, cloudflare/ and edge/. */
import type { Pointer } from "../bundle/pointer-format.ts";
import type { Block, BlockList } from "../model/blocks.ts";
import type { Digest } from "../model/digest.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import type { TokenStore } from "../model/token.ts";
import type { BlobMap } from "../pack/blob-map.ts";

/** A stored thing with its key (bundle/keys.ts). */
export interface StoredEntry {
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** What is to be stored, by its size alone: its bytes may still lie on a disk. */
export interface DueEntry {
  readonly key: string;
  readonly size: number;
}

/** A pointer as it was read, with what a compare-and-set needs. */
export interface ReadPointer {
  /** Null when the channel has none. */
  readonly pointer: Pointer | null;
  /** Opaque; null when the channel has none. */
  readonly version: string | null;
}

/** The block list as it was read, with what a compare-and-set needs. */
export interface ReadBlockList {
  readonly list: BlockList;
  /** Opaque; null before the first. */
  readonly version: string | null;
}

/** Which pointer. */
export interface PointerName {
  readonly layer: string;
  readonly channel: string;
}

/** What never changes once it is stored. */
export type ImmutableKind = "blob" | "index";

/** What can be listed: the immutable entries, and those of skills put at run time, which no deploy touches. */
export type ListedKind = ImmutableKind | "runtime";

/** Keys of {@link workKey}, each an empty object that others see at once: who works on the target (FORMAT.md, Notes). */
export interface WorkNotes {
  put(key: string): Promise<void>;
  list(): Promise<readonly string[]>;
  remove(key: string): Promise<void>;
}

/** A packed layer, as a deploy needs it. */
export interface PackedBundle {
  readonly name: string;
  /** The bundle: the digest of its index. */
  readonly digest: Digest;
  readonly index: Uint8Array;
  readonly blobs: BlobMap;
}

/** Bundles on their way to a target that takes them as a whole. Ended whatever happens. */
export interface Delivery {
  /** Blobs that have to be sent, and their bytes. */
  readonly due: { readonly blobs: number; readonly bytes: number };
  /** Sends them; told how many were taken each time some are. */
  send(onTaken: (blobs: number) => void): Promise<void>;
  /** Gives up what no pointer was moved to. */
  end(): Promise<void>;
}

/** Recalling at a target that does it by itself. */
export interface RecallDesk {
  /** All that is recalled. */
  list(): Promise<BlockList>;
  /** Recalls a digest, and what goes along with it: blocks of one reason, the digest's own first. */
  add(digest: Digest, blocks: readonly Block[]): Promise<void>;
  /** Lifts a digest's block, and what was blocked along with it. */
  lift(digest: Digest): Promise<void>;
}

/** What is delivered where. `all`: also what is there; `dry`: only `due` is asked for. */
export interface DeliveryGoal {
  readonly channel: string;
  readonly upload: "missing" | "all";
  readonly mode: "write" | "dry";
}

/** A place that bundles are deployed to. Whatever it throws besides SkillsError is the surroundings' fault. */
export interface DeployTarget {
  /** For people: `local (.edge-skills)`. */
  readonly name: string;
  /** How much is best given to one {@link put}; default 256 entries, 16 MiB. */
  readonly batch?: { readonly entries: number; readonly bytes: number };
  /** Those of the entries that are not there yet. */
  missing<Entry extends DueEntry>(entries: readonly Entry[]): Promise<readonly Entry[]>;
  /** Writes immutable entries; writing one again is harmless. */
  put(entries: readonly StoredEntry[]): Promise<void>;
  /** Reads an immutable entry; null when it is not there. */
  get(key: string): Promise<Uint8Array | null>;
  /** The keys of all entries of a kind. */
  keys(kind: ListedKind): Promise<ReadonlySet<string>>;
  /** Removes immutable entries; one that is not there is none. */
  remove(keys: readonly string[]): Promise<void>;
  readPointer(layer: string, channel: string): Promise<ReadPointer>;
  /** Writes a pointer if it is still the version that was read; false when somebody else has moved it. */
  writePointer(layer: string, channel: string, pointer: Pointer, version: string | null): Promise<boolean>;
  /** Removes a pointer, whatever version it is; only for who keeps deploys out ({@link WorkNotes}). */
  removePointer(layer: string, channel: string): Promise<void>;
  /** The block list; empty before anything was blocked. */
  readBlockList(): Promise<ReadBlockList>;
  /** Writes the block list if it is still the version that was read; false when somebody else has changed it. */
  writeBlockList(list: BlockList, version: string | null): Promise<boolean>;
  /** All pointers there are. */
  listPointers(): Promise<readonly PointerName[]>;
  /** Layers that have a pointer in this channel, the platform first. */
  listLayers(channel: string): Promise<string[]>;
  readonly work: WorkNotes;
  /**
   * Only of a target that takes bundles as a whole and keeps removals out by itself: then {@link missing} and {@link put} are not used, and
   * `writePointer` moves to what was delivered, or to what the history has.
   */
  deliver?(bundles: readonly PackedBundle[], goal: DeliveryGoal): Promise<Delivery>;
  /**
   * Only of a target that changes its block list by itself: then {@link readBlockList} may be empty, `writeBlockList` is not used, and bundles are
   * those that a history names.
   */
  readonly recall?: RecallDesk;
  /** The tokens of a tenant. */
  tokensOf(tenant: string): Promise<TokenStore>;
  close(): Promise<void>;
}

/** The layers of one channel, the platform first. */
export function layersIn(pointers: readonly PointerName[], channel: string): string[] {
  return pointers
    .filter((pointer) => pointer.channel === channel)
    .map(({ layer }) => layer)
    .sort((a, b) => Number(b === PLATFORM_LAYER) - Number(a === PLATFORM_LAYER) || (a < b ? -1 : 1));
}

/** The pointer that a key of `channelKey()` names. */
export function pointerOfKey(key: string): readonly PointerName[] {
  const [kind, layer, channel, ...rest] = key.split("/");
  return kind === "channel" && layer && channel && rest.length === 0 ? [{ layer, channel }] : [];
}

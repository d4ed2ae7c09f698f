/** Owns which bundle a channel's pointer names, as an isolate knows it, and the block list where no pointer tells it. Never reads what a pointer leads to. */
import { decodeBlockList } from "../bundle/block-list-format.ts";
import { BLOCK_LIST_KEY, channelKey } from "../bundle/keys.ts";
import { decodePointer, type Pointer } from "../bundle/pointer-format.ts";
import { type BlockList, NO_BLOCKS } from "../model/blocks.ts";
import type { BlobStore } from "./blob-store.ts";
import { type Clock, CurrentDocuments, DEFAULT_POINTER_TIMES, type PointerTimes } from "./current-documents.ts";

/** A pointer as an isolate knows it. */
export interface KnownPointer {
  /** Null when the channel has none. */
  readonly pointer: Pointer | null;
  /** True when storage failed and this is what was known before. */
  readonly stale: boolean;
}

/** Reads pointers through the isolate's memory. */
export class ChannelReader {
  readonly #pointers: CurrentDocuments<Pointer>;
  readonly #blocked: CurrentDocuments<BlockList>;

  constructor(store: BlobStore, clock: Clock = Date.now, times: PointerTimes = DEFAULT_POINTER_TIMES) {
    this.#pointers = new CurrentDocuments({ store, clock, times, decode: decodePointer });
    this.#blocked = new CurrentDocuments({ store, clock, times, decode: decodeBlockList });
  }

  /** The pointer of a channel, no older than the times allow. Throws what storage threw when nothing recent is known. */
  async read(layer: string, channel: string): Promise<KnownPointer> {
    const { document: pointer, stale } = await this.#pointers.read(channelKey(layer, channel));
    return { pointer, stale };
  }

  /** Reads a pointer that will be asked for soon, if it would still be fresh then. */
  async readAhead(layer: string, channel: string): Promise<void> {
    await this.#pointers.readAhead(channelKey(layer, channel));
  }

  /** The same, from storage whatever is known; the last known one, marked, when storage fails. */
  async readNow(layer: string, channel: string): Promise<KnownPointer> {
    const { document: pointer, stale } = await this.#pointers.readNow(channelKey(layer, channel));
    return { pointer, stale };
  }

  /** The block list itself: for who has no pointer, which would have brought a copy. */
  async readBlockList(): Promise<{ readonly list: BlockList; readonly stale: boolean }> {
    const { document, stale } = await this.#blocked.read(BLOCK_LIST_KEY);
    return { list: document ?? NO_BLOCKS, stale };
  }
}

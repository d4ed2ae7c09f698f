/**
 * Owns recalling over the edge's own API: the block list is changed by compare-and-set, then copied into every pointer, a page of them in a request.
 * However that and a move are interleaved every pointer has the newest list in the end: who moves one looks at the list before and after
 * (deploys.ts, deploy/block-list.ts). Never looks for who holds what; removes no bytes.
 */
import { channelPrefix, indexKey } from "../bundle/keys.ts";
import { withBlockList } from "../bundle/pointer-format.ts";
import { type Block, type BlockList, isLiftedWith, nextBlockList, withBlocks } from "../model/blocks.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { BlobStore } from "../sources/blob-store.ts";
import type { UploadStorage } from "./upload-storage.ts";

/** Pointers in one request: each takes two or three of a Worker's 1,000 storage operations. */
const PAGE = 150;

/** Pointers worked on at once. */
const AT_ONCE = 6;

/** How often something is tried again that others change meanwhile. */
const MOST_TRIES = 20;

/** A page that was worked on. */
export interface RecallPage {
  /** Behind which pointer the next page begins; null when there is none. */
  readonly next: string | null;
}

/** What became of the list. */
export interface RecallChange extends RecallPage {
  /** What was blocked, or lifted. */
  readonly blocks: readonly Block[];
}

/** Changes what is recalled. Made once per isolate. */
export class Recalls {
  readonly #storage: UploadStorage;
  readonly #bundles: Pick<BlobStore, "getImmutable">;

  constructor(storage: UploadStorage, bundles: Pick<BlobStore, "getImmutable">) {
    this.#storage = storage;
    this.#bundles = bundles;
  }

  /** All that is recalled. */
  async list(): Promise<BlockList> {
    return (await this.#storage.readBlockList()).list;
  }

  /** Blocks some digests. Throws `usage` when there is no room. */
  async add(blocks: readonly Block[]): Promise<RecallChange> {
    await this.#change((list) => withBlocks(list, blocks));
    return { blocks, ...(await this.spread(null)) };
  }

  /** Lifts a digest's block, and what was blocked along with it. Throws `digest-unknown`, `bundle-gone` for a bundle that was purged and that a history names. */
  async lift(digest: Digest): Promise<RecallChange> {
    const lifted = (await this.list()).blocks.filter((block) => isLiftedWith(digest, block));
    if (!lifted.some((block) => block.digest === digest)) {
      throw new SkillsError("digest-unknown", `Cannot lift ${digest}: it is not blocked`);
    }
    await this.#refusePurged(lifted);
    await this.#change((list) => list.filter((block) => !isLiftedWith(digest, block)));
    return { blocks: lifted, ...(await this.spread(null)) };
  }

  /** Brings the list to a page of pointers. */
  async spread(after: string | null): Promise<RecallPage> {
    const { list } = await this.#storage.readBlockList();
    const { keys, next } = await this.#page(after);
    await inGroups(keys, (key) => this.#bring(key, list));
    return { next };
  }

  async #change(change: (blocks: readonly Block[]) => readonly Block[]): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { list, version } = await this.#storage.readBlockList();
      const next = nextBlockList(list, change(list.blocks));
      if (next === list || (await this.#storage.writeBlockList(next, version))) {
        return;
      }
    }
    throw tooBusy();
  }

  async #bring(key: string, list: BlockList): Promise<void> {
    const [layer, channel] = pointerIn(key);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { pointer, version } = await this.#storage.readPointer(layer, channel);
      const next = pointer && withBlockList(pointer, list);
      if (next === null || next === pointer) {
        return;
      }
      if ((await this.#storage.writePointer(layer, channel, next, version)) !== null) {
        return;
      }
    }
    throw tooBusy();
  }

  /** A bundle without its bytes must stay blocked as long as a channel leads to it. */
  async #refusePurged(lifted: readonly Block[]): Promise<void> {
    const wanted = new Set(lifted.map(({ digest }) => digest));
    const named = new Set<Digest>();
    let page = await this.#page(null);
    for (;;) {
      await inGroups(page.keys, async (key) => {
        const { pointer } = await this.#storage.readPointer(...pointerIn(key));
        for (const { bundle } of pointer?.history ?? []) {
          named.add(bundle);
        }
      });
      if (page.next === null) {
        break;
      }
      page = await this.#page(page.next);
    }
    for (const bundle of [...named].filter((digest) => wanted.has(digest))) {
      if ((await this.#bundles.getImmutable(indexKey(bundle))) === null) {
        throw new SkillsError(
          "bundle-gone",
          `Cannot lift this: its bytes were purged, and a channel's history names ${bundle}`,
        );
      }
    }
  }

  async #page(after: string | null): Promise<{ readonly keys: readonly string[]; readonly next: string | null }> {
    const keys = await this.#storage.keys(channelPrefix(null), { after, limit: PAGE });
    return { keys, next: keys.length < PAGE ? null : (keys.at(-1) ?? null) };
  }
}

function pointerIn(key: string): readonly [layer: string, channel: string] {
  const [, layer = "", channel = ""] = key.split("/");
  return [layer, channel];
}

async function inGroups(keys: readonly string[], act: (key: string) => Promise<void>): Promise<void> {
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    await Promise.all(keys.slice(at, at + AT_ONCE).map(act));
  }
}

function tooBusy(): SkillsError {
  return new SkillsError("deploy-conflict", "Cannot change what is blocked: others change it all the time");
}

/** Owns what a snapshot needs of one layer, and how a layer of deployed bundles gives it. */
import type { Pointer } from "../bundle/pointer-format.ts";
import { type Blocked, type BlockList, NO_BLOCKS } from "../model/blocks.ts";
import { type Digest, hexOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { ChannelReader } from "../sources/channel-reader.ts";
import { type BundleOpener, openBundle } from "../sources/packed-bundle.ts";

/** The live bundle of a layer. */
export interface LiveBundle {
  /** Null for a layer without one. */
  readonly bundle: Digest | null;
  /** True when storage failed and this is what was known before. */
  readonly stale: boolean;
  /** The block list as the layer's pointer has it; null where there is no pointer. */
  readonly blocks: BlockList | null;
}

/** One layer of a caller. */
export interface LayerReader {
  readonly name: string;
  live(): Promise<LiveBundle>;
  /** The kept bundle whose hex digits begin so; undefined when there is none. */
  kept(prefix: string): Promise<Digest | undefined>;
  /** The skills of a bundle; the same array as long as the isolate's cache holds it and the same is blocked. */
  open(bundle: Digest, blocked: Blocked): Promise<readonly AgentSkill[]>;
}

/** A layer that is deployed: the platform's or a tenant's own. */
export class DeployedLayer implements LayerReader {
  readonly name: string;
  readonly #channel: string;
  readonly #channels: ChannelReader;
  readonly #opener: BundleOpener;

  constructor(name: string, channel: string, channels: ChannelReader, opener: BundleOpener) {
    this.name = name;
    this.#channel = channel;
    this.#channels = channels;
    this.#opener = opener;
  }

  async live(): Promise<LiveBundle> {
    const { pointer, stale } = await this.#channels.read(this.name, this.#channel);
    return { bundle: pointer?.bundle ?? null, stale, blocks: pointer && (pointer.blocked ?? NO_BLOCKS) };
  }

  async kept(prefix: string): Promise<Digest | undefined> {
    const { pointer } = await this.#channels.read(this.name, this.#channel);
    // The name may come from an isolate that saw a newer pointer than this one.
    return fromHistory(pointer, prefix) ?? fromHistory(await this.#now(), prefix);
  }

  open(bundle: Digest, blocked: Blocked): Promise<readonly AgentSkill[]> {
    return openBundle(this.#opener, this.name, bundle, blocked);
  }

  /** Throws `storage-unavailable` when nobody can tell: what an isolate does not know may be kept all the same. */
  async #now(): Promise<Pointer | null> {
    const { pointer, stale } = await this.#channels.readNow(this.name, this.#channel);
    if (stale) {
      throw new SkillsError(
        "storage-unavailable",
        "Cannot tell whether this bundle is kept: the pointer cannot be read",
      );
    }
    return pointer;
  }
}

function fromHistory(pointer: Pointer | null, prefix: string): Digest | undefined {
  return pointer?.history.find((move) => hexOf(move.bundle).startsWith(prefix))?.bundle;
}

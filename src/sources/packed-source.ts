/** Owns the storage-backed source: the skills of one channel of one layer, from KV, R2 or memory. Never knows tenants or tokens. */
import { blockedBy, NO_BLOCKS } from "../model/blocks.ts";
import type { ScriptRunner } from "../model/runner.ts";
import type { AgentSkill, AgentSkillsSource } from "../model/skill.ts";
import type { BlobStore } from "./blob-store.ts";
import { BundleReader } from "./bundle-reader.ts";
import { ByteCache } from "./byte-cache.ts";
import { ChannelReader } from "./channel-reader.ts";
import type { Clock, PointerTimes } from "./current-documents.ts";
import { openBundle } from "./packed-bundle.ts";

/** How a packed source reads. */
export interface PackedSourceOptions {
  /** Which layer; default `platform`. */
  readonly layer?: string;
  /** Which channel; default `live`. */
  readonly channel?: string;
  /** What scripts are sent to; without one they are listed but do not run. */
  readonly runner?: ScriptRunner;
  /** Shared with other sources of the isolate; default one of its own, 48 MiB. */
  readonly cache?: ByteCache;
  readonly clock?: Clock;
  readonly pointerTimes?: PointerTimes;
}

const NO_SKILLS: readonly AgentSkill[] = Object.freeze([]);

/**
 * Skills of a deployed channel. Make it once per isolate, not per request: it holds the cache.
 *
 * @example
 * // Deploys put pointers into R2 only, where a move is seen at once.
 * const source = createPackedSource(createTieredStore(createKvStore(env.SKILLS_KV), createR2Store(env.SKILLS_R2)));
 * const skills = await source.getSkills(NO_CONTEXT);
 */
export function createPackedSource(store: BlobStore, options: PackedSourceOptions = {}): AgentSkillsSource {
  const { layer = "platform", channel = "live", runner = null, cache = new ByteCache() } = options;
  const channels = new ChannelReader(store, options.clock, options.pointerTimes);
  const opener = { reader: new BundleReader(store, cache), cache, runner };

  return {
    async getSkills() {
      const { pointer } = await channels.read(layer, channel);
      const blocked = blockedBy(pointer?.blocked ?? NO_BLOCKS);
      return pointer === null || blocked.of(pointer.bundle) !== null
        ? NO_SKILLS
        : openBundle(opener, layer, pointer.bundle, blocked);
    },
  };
}

/**
 * Owns what one request sees: the bundles of the caller's layers, together and unchanged from start to end.
 * Never reads a skill; never shows a bundle that is not in the history of one of the caller's own layers.
 */

import type { Pointer } from "../bundle/pointer-format.ts";
import { type Digest, hexOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { Grant } from "../model/token.ts";
import type { ChannelReader, KnownPointer } from "../sources/channel-reader.ts";
import { type BundleOpener, openBundle } from "../sources/packed-bundle.ts";
import { parseSnapshotName, snapshotName } from "./snapshot-name.ts";

/** The skills of a caller's layers at one moment. */
export interface Snapshot {
  /** Opaque to callers: `bundle` in answers, `X-Skills-Bundle`. */
  readonly name: string;
  /** Nearest layer first; a name may come twice, the first counts. The same array while nothing changed. */
  readonly skills: readonly AgentSkill[];
  /** True when storage failed and this is the last state that was known. */
  readonly stale: boolean;
}

/** Bytes that a joined list takes for each skill, about. */
const JOINED_BYTES = 8;

/** Finds the snapshot of a request. Made once per isolate. */
export class Snapshots {
  readonly #channels: ChannelReader;
  readonly #opener: BundleOpener;

  constructor(channels: ChannelReader, opener: BundleOpener) {
    this.#channels = channels;
    this.#opener = opener;
  }

  /** Reads ahead the pointers that a tenant's caller is likely to need, while the token is still looked up. Never throws, decides nothing. */
  async anticipate(tenant: string, channel: string): Promise<void> {
    await Promise.allSettled(layersOf(tenant).map((layer) => this.#channels.readAhead(layer, channel)));
  }

  /** The live snapshot of a caller, or the one it is pinned to. Throws `bundle-gone` for a name that is not kept any more, or never was. */
  async resolve(grant: Grant, pinned: string | null): Promise<Snapshot> {
    const layers = layersOf(grant.tenant);
    const known = await Promise.all(layers.map((layer) => this.#channels.read(layer, grant.channel)));
    const bundles = pinned === null ? known.map(liveBundle) : await this.#pinned(pinned, layers, grant.channel, known);
    return {
      name: snapshotName(bundles),
      skills: await this.#open(layers, bundles),
      stale: known.some((pointer) => pointer.stale),
    };
  }

  async #pinned(
    name: string,
    layers: readonly string[],
    channel: string,
    known: readonly KnownPointer[],
  ): Promise<(Digest | null)[]> {
    const wanted = parseSnapshotName(name);
    if (wanted?.length !== layers.length) {
      throw gone();
    }
    return Promise.all(
      layers.map(async (layer, i) => {
        const prefix = wanted[i] ?? null;
        const near = fromHistory(known[i]?.pointer ?? null, prefix);
        // The name may come from an isolate that saw a newer pointer than this one.
        const found =
          near !== undefined ? near : fromHistory((await this.#channels.readNow(layer, channel)).pointer, prefix);
        if (found === undefined) {
          throw gone();
        }
        return found;
      }),
    );
  }

  async #open(layers: readonly string[], bundles: readonly (Digest | null)[]): Promise<readonly AgentSkill[]> {
    const lists = await Promise.all(
      layers.map((layer, i) => {
        const bundle = bundles[i] ?? null;
        return bundle === null ? NO_SKILLS : openBundle(this.#opener, layer, bundle);
      }),
    );
    const nearestFirst = lists.reverse().filter((list) => list.length > 0);
    return nearestFirst.length < 2 ? (nearestFirst[0] ?? NO_SKILLS) : this.#join(nearestFirst, layers, bundles);
  }

  #join(
    lists: readonly (readonly AgentSkill[])[],
    layers: readonly string[],
    bundles: readonly (Digest | null)[],
  ): readonly AgentSkill[] {
    const { cache } = this.#opener;
    const key = `joined:${layers.join(",")}:${bundles.join(",")}`;
    const held = cache.get<readonly AgentSkill[]>(key);
    if (held) {
      return held;
    }
    const joined = Object.freeze(lists.flat());
    cache.set(key, joined, joined.length * JOINED_BYTES);
    return joined;
  }
}

const NO_SKILLS: readonly AgentSkill[] = Object.freeze([]);

/** The layers of a tenant, farthest first; the platform sees only its own. */
function layersOf(tenant: string): readonly string[] {
  return tenant === PLATFORM_LAYER ? [PLATFORM_LAYER] : [PLATFORM_LAYER, tenant];
}

function liveBundle({ pointer }: KnownPointer): Digest | null {
  return pointer?.bundle ?? null;
}

/** The bundle of a layer's history that begins with these digits; undefined when there is none. */
function fromHistory(pointer: Pointer | null, prefix: string | null): Digest | null | undefined {
  if (prefix === null) {
    // A layer had no bundle before its first deploy; that stays so for who began then.
    return null;
  }
  return pointer?.history.find((move) => hexOf(move.bundle).startsWith(prefix))?.bundle;
}

function gone(): SkillsError {
  return new SkillsError(
    "bundle-gone",
    "Cannot use this bundle: it is not among those kept for your skills. Begin again without X-Skills-Bundle",
  );
}

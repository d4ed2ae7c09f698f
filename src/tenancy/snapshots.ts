/**
 * Owns what one request sees: the bundles of the caller's layers, together and unchanged from start to end.
 * Never reads a skill; never shows a bundle that is not in the history of one of the caller's own layers.
 */

import { type Blocked, blockedBy, blockedByAny, blockedError, NOTHING_BLOCKED } from "../model/blocks.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { DEFAULT_CHANNEL, PLATFORM_LAYER } from "../model/layer.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { Grant } from "../model/token.ts";
import type { ChannelReader } from "../sources/channel-reader.ts";
import type { BundleOpener } from "../sources/packed-bundle.ts";
import { AccessRules, type View } from "./access-rules.ts";
import { DeployedLayer, type LayerReader, type LiveBundle } from "./layer-reader.ts";
import type { RuntimeSkills } from "./runtime-layer.ts";
import { parseSnapshotName, snapshotName } from "./snapshot-name.ts";

/** The skills of a caller's layers at one moment. */
export interface Snapshot {
  /** Opaque to callers: `bundle` in answers, `X-Skills-Bundle`. */
  readonly name: string;
  /** Nearest layer first, what the caller may not see left out; a name may come twice, the first counts. The same array while nothing changed. */
  readonly skills: readonly AgentSkill[];
  /** True when storage failed and this is the last state that was known. */
  readonly stale: boolean;
  /** What was recalled, as far as this request sees. */
  readonly blocked: Blocked;
  /** True when the live bundle of a layer was recalled, which so has no skills. */
  readonly emptied: boolean;
}

/** Bytes that a joined list takes for each skill, about. */
const JOINED_BYTES = 8;

/** What snapshots are made of beside the deployed layers. */
export interface SnapshotOptions {
  /** Default: everything may be seen. */
  readonly rules?: AccessRules;
  /** Without it there is no runtime layer. */
  readonly runtime?: RuntimeSkills;
}

/** Finds the snapshot of a request. Made once per isolate. */
export class Snapshots {
  readonly #channels: ChannelReader;
  readonly #opener: BundleOpener;
  readonly #rules: AccessRules;
  readonly #runtime: RuntimeSkills | null;

  constructor(channels: ChannelReader, opener: BundleOpener, options: SnapshotOptions = {}) {
    this.#channels = channels;
    this.#opener = opener;
    this.#rules = options.rules ?? new AccessRules();
    this.#runtime = options.runtime ?? null;
  }

  /** Reads ahead the pointers that a tenant's caller is likely to need, while the token is still looked up. Never throws, decides nothing. */
  async anticipate(tenant: string, channel: string): Promise<void> {
    await Promise.allSettled(deployedLayers(tenant).map((layer) => this.#channels.readAhead(layer, channel)));
  }

  /**
   * The live snapshot of a caller, or the one it is pinned to. A layer whose live bundle was recalled has no skills. Throws `bundle-gone`
   * for a name that is not kept any more, or never was, and `bundle-blocked` for one that was recalled.
   */
  async resolve(grant: Grant, pinned: string | null): Promise<Snapshot> {
    const layers = this.#layersOf(grant);
    const known = await Promise.all(layers.map((layer) => layer.live()));
    const isEmpty = known.every(({ bundle }) => bundle === null);
    const { blocked, stale } = isEmpty ? NONE_RECALLED : await this.#recalledFor(known);
    const bundles =
      pinned === null ? liveBundles(known, blocked) : await pinnedBundles(pinned, layers, { known, blocked });
    return {
      name: snapshotName(bundles),
      skills: await this.#open(layers, bundles, { grant, blocked }),
      stale: stale || known.some((layer) => layer.stale),
      blocked,
      emptied: blocked.of(...known.map(({ bundle }) => bundle)) !== null,
    };
  }

  /** What is recalled for a tenant's callers now. */
  async blockedFor(tenant: string): Promise<Blocked> {
    const grant: Grant = { token: "", tenant, scopes: [], channel: DEFAULT_CHANNEL };
    const known = await Promise.all(this.#layersOf(grant).map((layer) => layer.live()));
    return (await this.#recalledFor(known)).blocked;
  }

  /** The list comes with the pointers; who has none, and so nothing to read of them, reads the list itself. */
  async #recalledFor(known: readonly LiveBundle[]): Promise<Recalled> {
    const lists = known.flatMap(({ blocks }) => blocks ?? []);
    if (lists.length > 0) {
      return { blocked: blockedByAny(lists), stale: false };
    }
    const { list, stale } = await this.#channels.readBlockList();
    return { blocked: blockedBy(list), stale };
  }

  /** The skills of some layers that anybody may discover: what is live, through the rules for all tenants and for the layer's own. */
  async resolvePublic(names: readonly string[]): Promise<readonly AgentSkill[]> {
    const nearestFirst = [...names].sort((a, b) => Number(a === PLATFORM_LAYER) - Number(b === PLATFORM_LAYER));
    const layers = nearestFirst.map((name) => new DeployedLayer(name, DEFAULT_CHANNEL, this.#channels, this.#opener));
    const known = await Promise.all(layers.map((layer) => layer.live()));
    const { blocked } = await this.#recalledFor(known);
    const bundles = liveBundles(known, blocked);
    const key = `public:${nearestFirst.join(",")}:${bundles.join(",")}:${blocked.key}`;
    const held = this.#opener.cache.get<readonly AgentSkill[]>(key);
    if (held) {
      return held;
    }
    const lists = await Promise.all(layers.map((layer, i) => this.#openPublic(layer, bundles[i] ?? null, blocked)));
    const joined = Object.freeze(lists.flat());
    this.#opener.cache.set(key, joined, joined.length * JOINED_BYTES);
    return joined;
  }

  async #openPublic(layer: LayerReader, bundle: Digest | null, blocked: Blocked): Promise<readonly AgentSkill[]> {
    const grant: Grant = { token: "", tenant: layer.name, scopes: [], channel: DEFAULT_CHANNEL };
    return bundle === null ? NO_SKILLS : this.#rules.viewOf(grant).select(await layer.open(bundle, blocked));
  }

  /** The layers of a caller, farthest first; the platform sees only its own. */
  #layersOf({ tenant, channel }: Grant): readonly LayerReader[] {
    const deployed = deployedLayers(tenant).map(
      (name) => new DeployedLayer(name, channel, this.#channels, this.#opener),
    );
    return this.#runtime === null ? deployed : [...deployed, this.#runtime.layerOf(tenant)];
  }

  async #open(
    layers: readonly LayerReader[],
    bundles: readonly (Digest | null)[],
    { grant, blocked }: { readonly grant: Grant; readonly blocked: Blocked },
  ): Promise<readonly AgentSkill[]> {
    const lists = await Promise.all(
      layers.map((layer, i) => {
        const bundle = bundles[i] ?? null;
        return bundle === null ? NO_SKILLS : layer.open(bundle, blocked);
      }),
    );
    const nearestFirst = lists.reverse().filter((list) => list.length > 0);
    const view = this.#rules.viewOf(grant);
    const [only = NO_SKILLS] = nearestFirst;
    return nearestFirst.length < 2 && view.selectsAll
      ? only
      : this.#join(nearestFirst, view, `${grant.tenant}:${view.key}:${bundles.join(",")}:${blocked.key}`);
  }

  #join(lists: readonly (readonly AgentSkill[])[], view: View, name: string): readonly AgentSkill[] {
    const { cache } = this.#opener;
    const key = `joined:${name}`;
    const held = cache.get<readonly AgentSkill[]>(key);
    if (held) {
      return held;
    }
    const joined = Object.freeze(lists.flatMap((list) => view.select(list)));
    cache.set(key, joined, joined.length * JOINED_BYTES);
    return joined;
  }
}

/** What was recalled, and whether that is the last that was known while storage fails. */
interface Recalled {
  readonly blocked: Blocked;
  readonly stale: boolean;
}

const NONE_RECALLED: Recalled = { blocked: NOTHING_BLOCKED, stale: false };

const NO_SKILLS: readonly AgentSkill[] = Object.freeze([]);

function deployedLayers(tenant: string): readonly string[] {
  return tenant === PLATFORM_LAYER ? [PLATFORM_LAYER] : [PLATFORM_LAYER, tenant];
}

/** What a request may know before it looks at a pinned name. */
interface Known {
  readonly known: readonly LiveBundle[];
  readonly blocked: Blocked;
}

function liveBundles(known: readonly LiveBundle[], blocked: Blocked): (Digest | null)[] {
  return known.map(({ bundle }) => (blocked.of(bundle) === null ? bundle : null));
}

async function pinnedBundles(
  name: string,
  layers: readonly LayerReader[],
  { known, blocked }: Known,
): Promise<(Digest | null)[]> {
  const wanted = parseSnapshotName(name);
  if (wanted?.length !== layers.length) {
    throw gone();
  }
  const bundles = await Promise.all(
    layers.map((layer, i) => pinnedBundle(layer, wanted[i] ?? null, known[i]?.bundle ?? null)),
  );
  const block = blocked.of(...bundles);
  if (block !== null) {
    throw blockedError("bundle-blocked", "this bundle", block);
  }
  return bundles;
}

async function pinnedBundle(layer: LayerReader, prefix: string | null, live: Digest | null): Promise<Digest | null> {
  if (prefix === null) {
    // A layer had no bundle before its first deploy; that stays so for who began then.
    return null;
  }
  const kept = live?.startsWith(`sha256:${prefix}`) ? live : await layer.kept(prefix);
  if (kept === undefined) {
    throw gone();
  }
  return kept;
}

function gone(): SkillsError {
  return new SkillsError(
    "bundle-gone",
    "Cannot use this bundle: it is not among those kept for your skills. Begin again without X-Skills-Bundle",
  );
}

/** Owns promoting: what one channel has becomes what another has, by pointer moves alone. Uploads nothing. */
import { indexKey } from "../bundle/keys.ts";
import { SkillsError } from "../model/errors.ts";
import { type LayerReport, movePointers } from "./deploy.ts";
import type { MovableLayer } from "./deployable.ts";
import { refuseBlockedBundles } from "./refuse-blocked.ts";
import type { DeployTarget } from "./target.ts";
import { Work } from "./work.ts";

/** What to promote. */
export interface PromoteOptions {
  readonly from: string;
  readonly to: string;
  /** One layer, or all that the channel has for null. */
  readonly layer: string | null;
  readonly by: string;
  readonly now: () => Date;
  /** `dry`: say what would move, and do nothing. Default `write`. */
  readonly mode?: "write" | "dry";
}

/**
 * Promotes the layers of a channel. Throws `bundle-unknown` when it has none, `bundle-gone` when bytes of one are gone, `bundle-blocked` when one was recalled, `deploy-conflict`
 * when somebody else moves a pointer meanwhile.
 */
export async function promote(target: DeployTarget, options: PromoteOptions): Promise<LayerReport[]> {
  // A prune must not remove what is about to be live.
  const work = options.mode === "dry" ? null : await Work.begin(target, "deploy", "prune", options.now);
  try {
    const layers = await layersOf(target, options);
    await refuseBlockedBundles(target, layers);
    const before = await Promise.all(layers.map(({ name }) => target.readPointer(name, options.to)));
    const { to: channel, by, now } = options;
    if (work !== null) {
      return await movePointers(target, layers, before, { channel, by, now });
    }
    return layers.map(({ name, digest }, i) => {
      const previous = before[i]?.pointer?.bundle ?? null;
      return { layer: name, bundle: digest, previous, moved: previous !== digest };
    });
  } finally {
    await work?.end();
  }
}

async function layersOf(target: DeployTarget, { from, layer }: PromoteOptions): Promise<MovableLayer[]> {
  const names = (await target.listLayers(from)).filter((name) => layer === null || name === layer);
  const layers: MovableLayer[] = [];
  for (const name of names) {
    const { pointer } = await target.readPointer(name, from);
    if (pointer !== null) {
      if ((await target.get(indexKey(pointer.bundle))) === null) {
        throw new SkillsError(
          "bundle-gone",
          `Cannot promote channel "${from}": ${pointer.bundle} of layer "${name}" was removed`,
          {
            hint: "deploy the skills it was packed from again",
          },
        );
      }
      layers.push({ name, digest: pointer.bundle, commit: pointer.history[0]?.commit ?? null });
    }
  }
  if (layers.length === 0) {
    const what = layer === null ? `channel "${from}"` : `channel "${from}" of layer "${layer}"`;
    throw new SkillsError("bundle-unknown", `Cannot promote: nothing was deployed to ${what}`, {
      candidates: [...new Set((await target.listPointers()).map(({ channel }) => channel))].sort(),
    });
  }
  return layers;
}

/** Owns what a side of `diff` can be: a directory, a packed bundle, a channel, or a bundle in the history. Never compares. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type BundleView, viewOfLayer, viewOfStored } from "../deploy/bundle-view.ts";
import { matchingBundle } from "../deploy/rollback.ts";
import type { DeployTarget } from "../deploy/target.ts";
import { SkillsError } from "../model/errors.ts";
import { isChannelName, PLATFORM_LAYER } from "../model/layer.ts";
import { isBundle } from "../pack/write-bundle.ts";
import type { CommandContext, Flags } from "./command.ts";
import { forTenant } from "./for-tenant.ts";
import { describeErrors, packInput, readBundleLayers } from "./pack-input.ts";

/** Bundles by layer. */
export type Side = ReadonlyMap<string, BundleView>;

/** What of a side is there without a target; null for what only a target knows: a channel, a digest. */
export async function sideOnDisk(
  what: string,
  tenant: string | null,
  flags: Flags,
  context: CommandContext,
): Promise<Side | null> {
  const path = resolve(context.cwd, what);
  if (!existsSync(path) || !statSync(path).isDirectory()) {
    return null;
  }
  if (isBundle(path)) {
    return sideOf(forTenant(readBundleLayers(path), tenant));
  }
  const packed = await packInput([what], flags, context);
  describeErrors(packed, what, context.terminal);
  return sideOf(forTenant(packed.layers, tenant));
}

function sideOf(layers: ReturnType<typeof forTenant>): Side {
  return new Map(layers.map((layer) => [layer.name, viewOfLayer(layer)]));
}

/** A channel, or one bundle of the tenant's (or the platform's) layer, of which six digits are enough. Throws `bundle-unknown`. */
export async function sideDeployed(target: DeployTarget, what: string, tenant: string | null): Promise<Side> {
  const layers = isChannelName(what) ? await target.listLayers(what) : [];
  if (layers.length > 0) {
    return channelSide(
      target,
      what,
      layers.filter((layer) => tenant === null || layer === tenant),
    );
  }
  const layer = tenant ?? PLATFORM_LAYER;
  const kept = await keptBundles(target, layer);
  const bundle = matchingBundle(kept, what);
  if (bundle === undefined) {
    throw new SkillsError(
      "bundle-unknown",
      `Cannot compare "${what}": it is no directory, no channel, and no bundle of layer "${layer}"`,
      { candidates: kept },
    );
  }
  return new Map([[layer, await viewOfStored(target, bundle)]]);
}

/** What a channel has of some layers. */
export async function channelSide(target: DeployTarget, channel: string, layers: readonly string[]): Promise<Side> {
  const views = new Map<string, BundleView>();
  for (const layer of layers) {
    const { pointer } = await target.readPointer(layer, channel);
    if (pointer !== null) {
      views.set(layer, await viewOfStored(target, pointer.bundle));
    }
  }
  return views;
}

/** The bundles in the history of any channel of a layer, newest first. */
async function keptBundles(target: DeployTarget, layer: string) {
  const own = (await target.listPointers()).filter((name) => name.layer === layer);
  const read = await Promise.all(own.map(({ channel }) => target.readPointer(layer, channel)));
  const moves = read.flatMap(({ pointer }) => pointer?.history ?? []).sort((a, b) => (a.at < b.at ? 1 : -1));
  return [...new Set(moves.map(({ bundle }) => bundle))];
}

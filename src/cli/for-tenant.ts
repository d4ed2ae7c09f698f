/** Owns what `--tenant` means for layers that were packed or read. Never packs. */
import type { DeployableLayer } from "../deploy/deployable.ts";
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";

/** With a tenant, what has no layers is that tenant's, and of layers only its own is meant. Throws `usage` when it has none. */
export function forTenant(layers: readonly DeployableLayer[], tenant: string | null): readonly DeployableLayer[] {
  if (tenant === null) {
    return layers;
  }
  const own = layers.filter((layer) => layer.name === tenant);
  const [only] = layers;
  if (own.length > 0) {
    return own;
  }
  if (only && layers.length === 1 && only.name === PLATFORM_LAYER) {
    return [{ ...only, name: tenant }];
  }
  throw new SkillsError(
    "usage",
    `Cannot use these skills for tenant "${tenant}": there are layers, and none of this name`,
    {
      candidates: layers.map((layer) => layer.name),
    },
  );
}

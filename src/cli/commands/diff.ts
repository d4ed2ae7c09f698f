/** Owns `edge-skills diff`: what changes from one bundle, channel or directory to another. */
import { diffLayer, type LayerDiff } from "../../deploy/diff.ts";
import { PLATFORM_LAYER } from "../../model/layer.ts";
import { comparePaths } from "../../model/record.ts";
import { type Side, sideDeployed, sideOnDisk } from "../bundle-side.ts";
import type { CommandSpec } from "../command.ts";
import { diffLines } from "../describe-diff.ts";
import { meantTenant } from "../edge-address.ts";
import { isOn, JSON_FLAG, TARGET_FLAGS, TENANT_FLAG } from "../flags.ts";
import { WHEELS_FLAG } from "../packages-flags.ts";
import { withTarget } from "../with-target.ts";

const WHAT = "a directory of skills, a packed bundle, a channel, or a deployed bundle's digest (six digits are enough)";

export const diff: CommandSpec = {
  name: "diff",
  summary: "show which skills and files differ between two bundles, channels or directories",
  arguments: [
    ["<a>", `before: ${WHAT}`],
    ["<b>", "after: likewise"],
  ],
  options: [TENANT_FLAG, WHEELS_FLAG, ...TARGET_FLAGS, JSON_FLAG],
  examples: ["diff live skills-bundle", "diff live preview", "diff 3f9a2c live --tenant tenant-a --json"],
  async run([a, b], flags, context) {
    const tenant = meantTenant(flags, context);
    const [before, after] = [String(a), String(b)];
    const onDisk = [
      await sideOnDisk(before, tenant, flags, context),
      await sideOnDisk(after, tenant, flags, context),
    ] as const;
    const layers = onDisk.includes(null)
      ? await withTarget(flags, context, async (target) =>
          diffSides(
            onDisk[0] ?? (await sideDeployed(target, before, tenant)),
            onDisk[1] ?? (await sideDeployed(target, after, tenant)),
          ),
        )
      : await diffSides(onDisk[0] ?? new Map(), onDisk[1] ?? new Map());
    if (isOn(flags, "json")) {
      context.terminal.json({ a: before, b: after, layers });
      return 0;
    }
    for (const line of diffLines(layers, context.terminal)) {
      context.terminal.result(line);
    }
    return 0;
  },
};

/** Compares every layer that one of the sides has, the platform first. */
export async function diffSides(before: Side, after: Side): Promise<LayerDiff[]> {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort(
    (a, b) => Number(b === PLATFORM_LAYER) - Number(a === PLATFORM_LAYER) || comparePaths(a, b),
  );
  return Promise.all(names.map((name) => diffLayer(name, before.get(name) ?? null, after.get(name) ?? null)));
}

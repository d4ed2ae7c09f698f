/** Owns `edge-skills status` and `history`: what is live, and what was. */

import { decodeIndex } from "../../bundle/index-format.ts";
import { indexKey } from "../../bundle/keys.ts";
import type { Pointer } from "../../bundle/pointer-format.ts";
import type { DeployTarget } from "../../deploy/target.ts";
import { counted } from "../../model/counted.ts";
import { DEFAULT_CHANNEL, PLATFORM_LAYER } from "../../model/layer.ts";
import type { CommandSpec } from "../command.ts";
import { meantTenant } from "../edge-address.ts";
import { CHANNEL_FLAG, channelFlag, isOn, JSON_FLAG, TARGET_FLAGS, TENANT_FLAG } from "../flags.ts";
import { printable } from "../source-line.ts";
import { withTarget } from "../with-target.ts";

export const status: CommandSpec = {
  name: "status",
  summary: "show what is live in each layer",
  arguments: [],
  options: [CHANNEL_FLAG, ...TARGET_FLAGS, JSON_FLAG],
  examples: ["status", "status --channel preview --json"],
  async run(_args, flags, context) {
    const channel = channelFlag(flags);
    const layers = await withTarget(flags, context, (target) => liveLayers(target, channel));
    if (isOn(flags, "json")) {
      context.terminal.json({ channel, layers });
      return 0;
    }
    if (layers.length === 0) {
      const flag = channel === DEFAULT_CHANNEL ? "" : ` --channel ${channel}`;
      context.terminal.say(`Nothing is deployed to channel "${channel}". Try: edge-skills deploy skills-bundle${flag}`);
    }
    for (const { layer, bundle, skills, at, by } of layers) {
      context.terminal.result(
        `${layer}  ${bundle}  ${skills === null ? "? skills" : counted(skills, "skill")}  ${at}  ${by}`,
      );
    }
    return 0;
  },
};

export const history: CommandSpec = {
  name: "history",
  summary: "show which bundles a layer's channel has had, newest first",
  arguments: [],
  options: [TENANT_FLAG, CHANNEL_FLAG, ...TARGET_FLAGS, JSON_FLAG],
  examples: ["history", "history --tenant tenant-a"],
  async run(_args, flags, context) {
    const channel = channelFlag(flags);
    const layer = meantTenant(flags, context) ?? PLATFORM_LAYER;
    const { pointer } = await withTarget(flags, context, (target) => target.readPointer(layer, channel));
    const moves = pointer?.history ?? [];
    if (isOn(flags, "json")) {
      context.terminal.json({ layer, channel, history: moves });
      return 0;
    }
    if (moves.length === 0) {
      context.terminal.say(`Nothing was deployed to channel "${channel}" of layer "${layer}".`);
    }
    for (const [i, { bundle, at, by, reason, commit }] of moves.entries()) {
      const from = commit === undefined ? "" : `  ${printable(commit)}`;
      context.terminal.result(`${i === 0 ? "live" : "    "}  ${bundle}  ${reason}  ${at}  ${printable(by)}${from}`);
    }
    return 0;
  },
};

async function liveLayers(target: DeployTarget, channel: string) {
  const layers = await target.listLayers(channel);
  const read = await Promise.all(
    layers.map(async (layer) => ({ layer, ...(await target.readPointer(layer, channel)) })),
  );
  return Promise.all(
    read.flatMap(({ layer, pointer }) => (pointer === null ? [] : [liveLayer(target, layer, pointer)])),
  );
}

async function liveLayer(target: DeployTarget, layer: string, { bundle, history: moves }: Pointer) {
  const index = await target.get(indexKey(bundle));
  const skills = index === null ? null : decodeIndex(index).skills.length;
  return { layer, bundle, skills, at: moves[0]?.at ?? null, by: moves[0]?.by ?? null };
}

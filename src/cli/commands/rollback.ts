/** Owns `edge-skills rollback`: back to an earlier bundle, by one write. */

import { rollback as rollBack } from "../../deploy/rollback.ts";
import { PLATFORM_LAYER } from "../../model/layer.ts";
import type { CommandSpec } from "../command.ts";
import { meantTenant } from "../edge-address.ts";
import { CHANNEL_FLAG, channelFlag, DRY_RUN_FLAG, isOn, JSON_FLAG, TARGET_FLAGS, TENANT_FLAG } from "../flags.ts";
import { whoDeploys } from "../who.ts";
import { withTarget } from "../with-target.ts";

export const rollback: CommandSpec = {
  name: "rollback",
  summary: "move a layer's channel back to an earlier bundle",
  arguments: [
    ["[digest]", "the bundle, or the first six or more digits of it; without it, the one before the live one"],
  ],
  options: [TENANT_FLAG, CHANNEL_FLAG, ...TARGET_FLAGS, DRY_RUN_FLAG, JSON_FLAG],
  examples: ["rollback", "rollback 3f9a2c --tenant tenant-a"],
  async run([digest], flags, context) {
    const channel = channelFlag(flags);
    const layer = meantTenant(flags, context) ?? PLATFORM_LAYER;
    const to = typeof digest === "string" ? digest : null;
    const by = whoDeploys(context.env);
    const mode = isOn(flags, "dryRun") ? "dry" : "write";
    const report = await withTarget(flags, context, (target) =>
      rollBack(target, { layer, channel, to, by, now: () => new Date(), mode }),
    );
    if (isOn(flags, "json")) {
      context.terminal.json(report);
    }
    context.terminal.say(`${layer}: ${report.previous} → ${report.bundle}${mode === "dry" ? " (not done)" : ""}`);
    return 0;
  },
};

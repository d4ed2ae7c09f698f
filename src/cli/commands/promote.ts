/** Owns `edge-skills promote`: what was tried in a preview channel becomes live, by pointer moves alone. */
import { Option } from "commander";
import { promote as promoteChannel } from "../../deploy/promote.ts";
import { SkillsError } from "../../model/errors.ts";
import { DEFAULT_CHANNEL, isChannelName } from "../../model/layer.ts";
import type { CommandSpec } from "../command.ts";
import { DRY_RUN_FLAG, isOn, JSON_FLAG, TARGET_FLAGS, TENANT_FLAG, tenantFlag, textFlag } from "../flags.ts";
import { whoDeploys } from "../who.ts";
import { withTarget } from "../with-target.ts";

const TO_FLAG = new Option("--to <channel>", "which channel moves").default(DEFAULT_CHANNEL);

export const promote: CommandSpec = {
  name: "promote",
  summary: "make live what a preview channel has; uploads nothing",
  arguments: [["<channel>", "the channel that was tried"]],
  options: [TO_FLAG, TENANT_FLAG, ...TARGET_FLAGS, DRY_RUN_FLAG, JSON_FLAG],
  examples: ["promote preview-123", "promote preview-123 --tenant tenant-a --dry-run", "promote staging --to live"],
  async run([channel], flags, context) {
    const [from, to] = [String(channel), textFlag(flags, "to")];
    const wrong = [from, to].find((name) => !isChannelName(name)) ?? (from === to ? from : undefined);
    if (wrong !== undefined) {
      throw new SkillsError("usage", `Cannot promote "${from}" to "${to}": two channels are needed`);
    }
    const layers = await withTarget(flags, context, (target) =>
      promoteChannel(target, {
        from,
        to,
        layer: tenantFlag(flags),
        by: whoDeploys(context.env),
        now: () => new Date(),
        mode: isOn(flags, "dryRun") ? "dry" : "write",
      }),
    );
    if (isOn(flags, "json")) {
      context.terminal.json({ from, to, layers, dry_run: isOn(flags, "dryRun") });
      return 0;
    }
    for (const { layer, bundle, previous, moved } of layers) {
      const words = moved ? `was ${previous ?? "empty"}` : "unchanged";
      context.terminal.result(`${layer}  ${to}  ${bundle}  ${words}`);
    }
    return 0;
  },
};

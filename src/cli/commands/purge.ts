/** Owns `edge-skills purge`: removes the bytes of what is recalled, after telling every bundle that breaks. */

import { type PurgePlan, planPurge, purge as purgeDigest } from "../../deploy/purge.ts";
import { digestMeant } from "../../deploy/recall.ts";
import type { DeployTarget } from "../../deploy/target.ts";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import type { CommandContext, CommandSpec, Flags } from "../command.ts";
import { confirm, YES_FLAG } from "../confirm.ts";
import { DRY_RUN_FLAG, isOn, JSON_FLAG, TARGET_FLAGS } from "../flags.ts";
import { withTarget } from "../with-target.ts";
import { DIGEST_ARGUMENT, REASON_FLAG, recallOptions } from "./block.ts";

export const purge: CommandSpec = {
  name: "purge",
  summary: "recall a bundle, skill or file and remove its bytes for good; first tells every bundle that breaks",
  arguments: [["<digest>", DIGEST_ARGUMENT[1]]],
  options: [REASON_FLAG, YES_FLAG, DRY_RUN_FLAG, ...TARGET_FLAGS, JSON_FLAG],
  examples: [
    'purge 3f9a2c --reason "has personal data" --dry-run',
    'purge 3f9a2c --reason "has personal data" --yes --target production',
  ],
  async run([wanted], flags, context) {
    const options = recallOptions(flags, context);
    const isDry = options.mode === "dry";
    const plan = await withTarget(flags, context, async (target) => {
      refuseEdge(target);
      const digest = await digestMeant(target, String(wanted));
      const planned = await planPurge(target, digest);
      tell(planned, flags, context);
      if (isDry) {
        return planned;
      }
      await confirm(flags, context, `Remove ${counted(planned.keys.length, "value")} from ${target.name} for good?`);
      return purgeDigest(target, digest, options);
    });
    const { digest, kind, breaks, keys } = plan;
    if (isOn(flags, "json")) {
      context.terminal.json({ digest, kind, breaks, removed: keys, dry_run: isDry });
      return 0;
    }
    context.terminal.result(
      `${counted(keys.length, "value")} ${isDry ? "would be removed" : "removed"}, ${digest} is ${isDry ? "not " : ""}recalled`,
    );
    return 0;
  },
};

/** Telling what breaks means reading the records of every bundle, and removing needs the storage: more than a request to an edge may do. */
function refuseEdge({ name, recall }: DeployTarget): void {
  if (recall !== undefined) {
    throw new SkillsError("usage", `Cannot purge over ${name}: an edge cannot tell all that breaks within a request`, {
      hint: "recall it with `edge-skills block` at once, and purge with --target of the Cloudflare account, as its operator",
    });
  }
}

/** What breaks is told before anything is done; with `--json` it is part of the document. */
function tell({ digest, kind, breaks }: PurgePlan, flags: Flags, { terminal }: CommandContext): void {
  const print = (text: string): void => (isOn(flags, "json") ? terminal.say(text) : terminal.result(text));
  print(`${digest}  ${kind}: breaks ${counted(breaks.length, "bundle")}`);
  for (const { bundle, places, skills } of breaks) {
    const where = places.map(({ layer, channel, live }) => `${layer}/${channel}${live ? " (live)" : ""}`);
    print(`  ${bundle}  ${where.join(" ") || "in no history"}  ${skills === null ? "all of it" : skills.join(", ")}`);
  }
}

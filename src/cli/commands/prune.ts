/** Owns `edge-skills prune`: removes bytes that no channel, no history and no running deploy needs. */
import { setTimeout } from "node:timers/promises";
import { Option } from "commander";
import { type PruneReport, prune as pruneTarget } from "../../deploy/prune.ts";
import type { Waiting } from "../../deploy/work.ts";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import { DEFAULT_CHANNEL, isChannelName } from "../../model/layer.ts";
import type { CommandContext, CommandSpec, Flags } from "../command.ts";
import { DRY_RUN_FLAG, isOn, JSON_FLAG, numberFlag, TARGET_FLAGS } from "../flags.ts";
import { withTarget } from "../with-target.ts";

const KEEP_FLAG = new Option(
  "--keep <n>",
  "bundles that each channel keeps, the live one among them; its history forgets the others; default: all of its history",
);

const DROP_FLAG = new Option(
  "--drop <channel>",
  "a channel that nobody needs any more, of all layers; may be given several times",
).argParser((channel: string, earlier: readonly string[] = []) => [...earlier, channel]);

const WAIT_FLAG = new Option(
  "--wait <minutes>",
  "wait for deploys that are under way, at most so long; none begins meanwhile, and uploads of tenants end within 10",
);

export const prune: CommandSpec = {
  name: "prune",
  summary: "remove bytes that no channel, no kept history and no running deploy needs",
  arguments: [],
  options: [KEEP_FLAG, DROP_FLAG, WAIT_FLAG, DRY_RUN_FLAG, ...TARGET_FLAGS, JSON_FLAG],
  examples: ["prune --dry-run", "prune --keep 10", "prune --drop preview-123", "prune --wait 15"],
  async run(_args, flags, context) {
    const keep = numberFlag(flags, "keep");
    if (keep === 0) {
      throw new SkillsError("usage", "Cannot keep 0 bundles: the live one is always kept");
    }
    const drop = Array.isArray(flags.drop) ? flags.drop.map(String) : [];
    const wrong = drop.find((channel) => channel === DEFAULT_CHANNEL || !isChannelName(channel));
    if (wrong !== undefined) {
      throw new SkillsError(
        "usage",
        `Cannot drop channel "${wrong}": ${wrong === DEFAULT_CHANNEL ? "callers see it" : "it is no name of one"}`,
      );
    }
    const report = await withTarget(flags, context, (target) =>
      pruneTarget(target, {
        now: () => new Date(),
        drop,
        mode: isOn(flags, "dryRun") ? "dry" : "write",
        ...(keep === null ? {} : { keep }),
        waiting: waitingFor(numberFlag(flags, "wait"), context),
        onProgress: ({ removed, total }) => context.terminal.progress({ what: "removing", done: removed, total }),
      }),
    );
    tell(report, flags, context);
    return 0;
  },
};

function waitingFor(minutes: number | null, { signal, terminal }: CommandContext): Waiting | null {
  return minutes === null
    ? null
    : {
        ms: minutes * 60_000,
        sleep: (ms) => setTimeout(ms, undefined, { signal }),
        onWait: (until) =>
          terminal.say(`Waiting for a deploy to end; it has time until ${new Date(until).toISOString()}`),
      };
}

function tell(report: PruneReport, flags: Flags, { terminal }: CommandContext): void {
  const isDry = isOn(flags, "dryRun");
  if (isOn(flags, "json")) {
    terminal.json({ ...report, dry_run: isDry });
    return;
  }
  for (const { layer, channel } of report.dropped) {
    terminal.result(`${layer}  ${channel}  ${isDry ? "would be dropped" : "dropped"}`);
  }
  for (const { layer, channel, forgotten } of report.shortened) {
    terminal.result(
      `${layer}  ${channel}  ${isDry ? "would forget" : "forgot"} ${counted(forgotten.length, "bundle")}`,
    );
  }
  const { removed, kept } = report;
  const words = isDry ? "would be removed" : "removed";
  terminal.result(
    `${counted(removed.indexes, "bundle")} and ${counted(removed.blobs, "blob")} ${words}, ${kept.indexes} and ${kept.blobs} kept`,
  );
}

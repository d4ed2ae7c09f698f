/** Owns `edge-skills block`: recalls a bundle, a skill or a file, lists what is recalled, and lifts it. */

import { Option } from "commander";
import type { Holder } from "../../deploy/holders.ts";
import { block as blockDigest, blockListOf, digestMeant, lift, type RecallReport } from "../../deploy/recall.ts";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import type { CommandContext, CommandSpec, ExitStatus, Flags } from "../command.ts";
import { DRY_RUN_FLAG, isOn, JSON_FLAG, optionalText, TARGET_FLAGS } from "../flags.ts";
import { whoDeploys } from "../who.ts";
import { withTarget } from "../with-target.ts";

export const REASON_FLAG = new Option("--reason <text>", "why; callers who ask for it are told");
const LIST_FLAG = new Option("--list", "list what is recalled");
const LIFT_FLAG = new Option("--lift", "serve it again");

export const DIGEST_ARGUMENT = [
  "[digest]",
  "of a bundle, a skill, a file or a compiled script; the first six digits of one that is there are enough",
] as const;

export const block: CommandSpec = {
  name: "block",
  summary: "recall a bundle, skill or file: within 10 seconds nobody gets it or runs it, at any door",
  arguments: [DIGEST_ARGUMENT],
  options: [REASON_FLAG, LIST_FLAG, LIFT_FLAG, DRY_RUN_FLAG, ...TARGET_FLAGS, JSON_FLAG],
  examples: [
    'block 3f9a2c --reason "tells a wrong dose"',
    "block --list",
    "block --lift 3f9a2c",
    "block --list --target https://skills.example.com",
  ],
  async run([digest], flags, context) {
    if (isOn(flags, "list")) {
      return list(flags, context);
    }
    if (typeof digest !== "string") {
      throw new SkillsError("usage", "Cannot block nothing: give a digest, or --list");
    }
    return isOn(flags, "lift") ? liftBlock(digest, flags, context) : recall(digest, flags, context);
  },
};

async function recall(wanted: string, flags: Flags, context: CommandContext): Promise<ExitStatus> {
  const options = recallOptions(flags, context);
  const report = await withTarget(flags, context, async (target) =>
    blockDigest(target, await digestMeant(target, wanted), options),
  );
  if (isOn(flags, "json")) {
    context.terminal.json({ ...report, holders: report.holders.map(shown), dry_run: options.mode === "dry" });
    return 0;
  }
  tell(report, options.mode, context);
  return 0;
}

/** What flags and environment say of a recall. Throws `usage` without a reason. */
export function recallOptions(flags: Flags, { env }: Pick<CommandContext, "env">) {
  const reason = optionalText(flags, "reason");
  if (reason === null) {
    throw new SkillsError("usage", "Cannot recall this without --reason: callers who ask for it are told why");
  }
  const mode = isOn(flags, "dryRun") ? "dry" : "write";
  return { reason, by: whoDeploys(env), now: () => new Date(), mode } as const;
}

function shown({ bundle, places, skills, itself }: Holder) {
  return { bundle, places, skills: itself ? null : skills.map(({ name }) => name) };
}

function tell(
  { digest, kind, reason, holders }: RecallReport,
  mode: "write" | "dry",
  { terminal }: CommandContext,
): void {
  const isDry = mode === "dry";
  terminal.result(`${digest}  ${kind}  ${isDry ? "would be recalled" : "recalled"}: ${reason}`);
  for (const { bundle, places, skills, itself } of holders) {
    const where = places.map(({ layer, channel, live }) => `${layer}/${channel}${live ? " (live)" : ""}`);
    const what = itself ? "all of it" : skills.map(({ name }) => name).join(", ");
    terminal.result(`  ${bundle}  ${where.join(" ") || "in no history"}  ${what}`);
  }
  const live = holders.find(({ itself, places }) => itself && places.some((place) => place.live));
  if (live !== undefined) {
    terminal.say("It is live: its layer has no skills until you deploy or roll back.");
  }
  if (!isDry) {
    terminal.say("Within 10 seconds nobody gets it. A run that has begun ends by itself, or when its time is up.");
  }
}

async function list(flags: Flags, context: CommandContext): Promise<ExitStatus> {
  const { blocks } = await withTarget(flags, context, blockListOf);
  if (isOn(flags, "json")) {
    context.terminal.json({ blocks });
    return 0;
  }
  for (const { digest, reason, at, by, with: along } of blocks) {
    context.terminal.result(`${digest}  ${at}  ${by}  ${along === undefined ? "" : `with ${along}: `}${reason}`);
  }
  context.terminal.say(`recalled: ${counted(blocks.length, "digest")}`);
  return 0;
}

async function liftBlock(wanted: string, flags: Flags, context: CommandContext): Promise<ExitStatus> {
  const isDry = isOn(flags, "dryRun");
  const lifted = await withTarget(flags, context, (target) => lift(target, wanted, { mode: isDry ? "dry" : "write" }));
  if (isOn(flags, "json")) {
    context.terminal.json({ lifted, dry_run: isDry });
    return 0;
  }
  for (const { digest, reason } of lifted) {
    context.terminal.result(`${digest}  ${isDry ? "would be lifted" : "lifted"}; it was recalled for: ${reason}`);
  }
  return 0;
}

/** Owns `edge-skills deploy`: from directories or a packed bundle to a live channel. */

import { resolve } from "node:path";
import { Option } from "commander";
import { viewOfLayer } from "../../deploy/bundle-view.ts";
import { type DeployReport, deploy as deployLayers, dryRun, type LayerReport } from "../../deploy/deploy.ts";
import type { DeployableLayer } from "../../deploy/deployable.ts";
import type { LayerDiff } from "../../deploy/diff.ts";
import { refuseUnknown, requireKnownFormat } from "../../deploy/known-format.ts";
import type { DeployTarget } from "../../deploy/target.ts";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import { DEFAULT_CHANNEL } from "../../model/layer.ts";
import { isBundle } from "../../pack/write-bundle.ts";
import { channelSide } from "../bundle-side.ts";
import type { CommandContext, CommandSpec, Flags } from "../command.ts";
import { diffLines, summaryOf } from "../describe-diff.ts";
import { isAddress, meantTenant } from "../edge-address.ts";
import {
  CHANNEL_FLAG,
  channelFlag,
  DIRECTORIES,
  DRY_RUN_FLAG,
  isOn,
  JSON_FLAG,
  TARGET_FLAG,
  TARGET_FLAGS,
  TENANT_FLAG,
  textFlag,
} from "../flags.ts";
import { forTenant } from "../for-tenant.ts";
import { commitOf } from "../git-commit.ts";
import { deployedFormats } from "../open-cloudflare.ts";
import { keepPackCache, openPackCache } from "../pack-cache.ts";
import { describeProblems, directoriesOf, type PackedInput, packInput, readBundleLayers } from "../pack-input.ts";
import { WHEELS_FLAG } from "../packages-flags.ts";
import { readSettings } from "../settings.ts";
import type { Terminal } from "../terminal.ts";
import { whoDeploys } from "../who.ts";
import { withTarget } from "../with-target.ts";
import { diffSides } from "./diff.ts";

const ALLOW_ERRORS_FLAG = new Option(
  "--allow-errors",
  "deploy the good skills although others have errors; the exit status stays 1",
);
const AGAIN_FLAG = new Option("--again", "upload everything, also what is there: mends damaged storage");

export const deploy: CommandSpec = {
  name: "deploy",
  summary: "pack, upload what is missing, and move the channel",
  arguments: [[DIRECTORIES[0], `${DIRECTORIES[1]}; or a bundle that was packed before`]],
  options: [
    CHANNEL_FLAG,
    TENANT_FLAG,
    WHEELS_FLAG,
    ...TARGET_FLAGS,
    DRY_RUN_FLAG,
    ALLOW_ERRORS_FLAG,
    AGAIN_FLAG,
    JSON_FLAG,
  ],
  examples: [
    "deploy",
    "deploy skills-bundle --channel preview",
    "deploy ./bundle",
    "deploy ./acme-skills --tenant acme --dry-run",
    "deploy ./acme-skills --target https://skills.example.com",
  ],
  async run([dirs], flags, context) {
    const channel = channelFlag(flags);
    const packed = await deployable(directoriesOf(dirs), flags, context);
    if (packed.errors > 0 && !isOn(flags, "allowErrors")) {
      throw new SkillsError("skills-invalid", `Cannot deploy: the skills have ${counted(packed.errors, "error")}`, {
        hint: "mend them, or deploy the good ones with --allow-errors",
      });
    }
    const { layers } = packed;
    const upload = isOn(flags, "again") ? "all" : "missing";
    await requireFormat(flags, context);
    await withTarget(flags, context, async (target) => {
      const changes = await changesIn(target, channel, layers, context);
      if (isOn(flags, "dryRun")) {
        tell(await dryRun(target, layers, { channel, upload }), changes, flags, context);
        return;
      }
      for (const { layer, skills } of changes) {
        context.terminal.say(`${layer}: ${summaryOf(skills)}`);
      }
      const report = await deployLayers(target, layers, {
        channel,
        upload,
        by: whoDeploys(context.env),
        now: () => new Date(),
        commit: await commitOf(packed.directories, context),
        onProgress: ({ written, total }) => context.terminal.progress({ what: "uploading", done: written, total }),
      });
      tell(report, changes, flags, context);
    });
    return packed.errors > 0 ? 1 : 0;
  },
};

/** What is to be deployed, and how many errors were found on the way. */
interface Deployable {
  readonly layers: readonly DeployableLayer[];
  readonly errors: number;
  /** Where they come from; none for a bundle. */
  readonly directories: readonly string[];
}

/** Where the target says where its edge is, that is asked first whether it reads such bundles; else Cloudflare is, what it knows of the Worker. */
async function requireFormat(flags: Flags, context: CommandContext): Promise<void> {
  const target = textFlag(flags, "target");
  const url = edgeUrlOf(target, flags, context);
  if (url === null && target !== TARGET_FLAG.defaultValue) {
    const formats = await deployedFormats(target, readSettings(flags, context).config.targets, context);
    if (formats !== null) {
      refuseUnknown(target, formats);
    }
    return;
  }
  if (url !== null && (await requireKnownFormat(target, new URL(url))) === "unasked") {
    context.terminal.say(`No edge answers at ${url} yet: whether it reads these bundles is not known`);
  }
}

/** What would change; what is damaged there cannot be compared, and can be mended all the same. */
async function changesIn(
  target: DeployTarget,
  channel: string,
  layers: readonly DeployableLayer[],
  { terminal }: CommandContext,
): Promise<LayerDiff[]> {
  const after = new Map(layers.map((layer) => [layer.name, viewOfLayer(layer)]));
  try {
    return await diffSides(await channelSide(target, channel, [...after.keys()]), after);
  } catch (error) {
    if (!SkillsError.is(error) || error.code !== "bundle-damaged") {
      throw error;
    }
    terminal.say(`${terminal.style("yellow", "warning")} cannot tell what changes: ${error.message}`);
    return [];
  }
}

/** Packs directories, or reads a bundle that was packed before. */
async function deployable(directories: readonly string[], flags: Flags, context: CommandContext): Promise<Deployable> {
  const tenant = meantTenant(flags, context);
  const paths = directories.map((directory) => resolve(context.cwd, directory));
  const [bundle] = paths.filter(isBundle);
  if (bundle === undefined) {
    const packed = await packQuickly(directories, flags, context);
    describeProblems(packed, context.terminal);
    return { layers: forTenant(packed.layers, tenant), errors: packed.errors, directories };
  }
  if (paths.length > 1) {
    throw new SkillsError("usage", "Cannot deploy a bundle together with other directories: it is whole by itself");
  }
  return { layers: forTenant(readBundleLayers(bundle), tenant), errors: 0, directories: [] };
}

/** Packs with what earlier deploys of this state remember. */
async function packQuickly(
  directories: readonly string[],
  flags: Flags,
  context: CommandContext,
): Promise<PackedInput> {
  const state = resolve(context.cwd, textFlag(flags, "state"));
  const memory = openPackCache(state);
  const packed = await packInput(directories, flags, context, { memory });
  if (!isOn(flags, "dryRun")) {
    keepPackCache(state, memory);
  }
  return packed;
}

function tell(report: DeployReport, changes: readonly LayerDiff[], flags: Flags, context: CommandContext): void {
  const { terminal } = context;
  if (isOn(flags, "json")) {
    const address = addressOf(report.channel, flags, context);
    terminal.json({ ...report, changes, address, dry_run: isOn(flags, "dryRun") });
    return;
  }
  const address = addressOf(report.channel, flags, context);
  if (address !== null) {
    terminal.say(`channel "${report.channel}" is at ${address}`);
  }
  for (const line of isOn(flags, "dryRun") ? diffLines(changes, terminal) : []) {
    terminal.result(line);
  }
  const { uploaded, unchanged, bytes } = report.blobs;
  const would = isOn(flags, "dryRun") ? "would be " : "";
  terminal.say(`${counted(uploaded, "blob")} ${would}uploaded (${bytes} bytes), ${unchanged} unchanged`);
  for (const layer of report.layers) {
    terminal.result(`${layer.layer}  ${report.channel}  ${layer.bundle}  ${moveWords(layer, terminal)}`);
  }
}

/** Where the edge answers for a channel; null when the settings do not say where it is. */
function addressOf(channel: string, flags: Flags, context: CommandContext): string | null {
  const url = edgeUrlOf(textFlag(flags, "target"), flags, context);
  const path = channel === DEFAULT_CHANNEL ? "/" : `/c/${channel}/`;
  return url === null ? null : new URL(path, url).href;
}

function moveWords({ moved, previous }: LayerReport, terminal: Terminal): string {
  if (!moved) {
    return "unchanged";
  }
  return terminal.styleResult("green", previous === null ? "new" : `was ${previous}`);
}

/** Where a target's edge is; null when nobody says. */
function edgeUrlOf(target: string, flags: Flags, context: CommandContext): string | null {
  return isAddress(target) ? target : (readSettings(flags, context).config.targets.get(target)?.url ?? null);
}

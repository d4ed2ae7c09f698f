/** Owns `edge-skills deploy`: from directories or a packed bundle to a live channel. */

import { resolve } from "node:path";
import { Option } from "commander";
import { type DeployableLayer, type DeployReport, deploy as deployLayers, dryRun } from "../../deploy/deploy.ts";
import { SkillsError } from "../../model/errors.ts";
import { PLATFORM_LAYER } from "../../model/layer.ts";
import { isBundle } from "../../pack/write-bundle.ts";
import type { CommandContext, CommandSpec, Flags } from "../command.ts";
import {
  CHANNEL_FLAG,
  channelFlag,
  DIRECTORIES,
  isOn,
  JSON_FLAG,
  STATE_FLAG,
  TARGET_FLAG,
  TENANT_FLAG,
  tenantFlag,
} from "../flags.ts";
import { describeProblems, directoriesOf, packInput, readBundleLayers } from "../pack-input.ts";
import type { Terminal } from "../terminal.ts";
import { whoDeploys } from "../who.ts";
import { withTarget } from "../with-target.ts";

const DRY_RUN_FLAG = new Option("--dry-run", "say what would be done, and do nothing");
const ALLOW_ERRORS_FLAG = new Option("--allow-errors", "deploy the good skills although others have errors");
const AGAIN_FLAG = new Option("--again", "upload everything, also what is there: mends damaged storage");

export const deploy: CommandSpec = {
  name: "deploy",
  summary: "pack, upload what is missing, and move the channel",
  arguments: [[DIRECTORIES[0], `${DIRECTORIES[1]}; or a bundle that was packed before`]],
  options: [CHANNEL_FLAG, TENANT_FLAG, TARGET_FLAG, STATE_FLAG, DRY_RUN_FLAG, ALLOW_ERRORS_FLAG, AGAIN_FLAG, JSON_FLAG],
  examples: [
    "deploy",
    "deploy skills-bundle --channel preview",
    "deploy ./bundle",
    "deploy ./acme-skills --tenant acme --dry-run",
  ],
  async run([dirs], flags, context) {
    const channel = channelFlag(flags);
    const packed = await deployable(directoriesOf(dirs), flags, context);
    if (packed.errors > 0 && !isOn(flags, "allowErrors")) {
      throw new SkillsError("skills-invalid", `Cannot deploy: the skills have ${packed.errors} errors`, {
        hint: "mend them, or deploy the good ones with --allow-errors",
      });
    }
    const upload = isOn(flags, "again") ? "all" : "missing";
    const report = await withTarget(flags, context, (target) =>
      isOn(flags, "dryRun")
        ? dryRun(target, packed.layers, { channel, upload })
        : deployLayers(target, packed.layers, {
            channel,
            upload,
            by: whoDeploys(context.env),
            now: () => new Date(),
            onProgress: ({ written, total }) => context.terminal.progress(`uploading ${written}/${total}`),
          }),
    );
    tell(report, flags, context);
    return packed.errors > 0 ? 1 : 0;
  },
};

/** What is to be deployed, and how many errors were found on the way. */
interface Deployable {
  readonly layers: readonly DeployableLayer[];
  readonly errors: number;
}

/** Packs directories, or reads a bundle that was packed before. */
async function deployable(directories: readonly string[], flags: Flags, context: CommandContext): Promise<Deployable> {
  const tenant = tenantFlag(flags);
  const paths = directories.map((directory) => resolve(context.cwd, directory));
  const [bundle] = paths.filter(isBundle);
  if (bundle === undefined) {
    const packed = await packInput(directories, context);
    describeProblems(packed, context.terminal);
    return { layers: forTenant(packed.layers, tenant), errors: packed.errors };
  }
  if (paths.length > 1) {
    throw new SkillsError("usage", "Cannot deploy a bundle together with other directories: it is whole by itself");
  }
  return { layers: forTenant(readBundleLayers(bundle), tenant), errors: 0 };
}

/** With `--tenant` what has no layers is that tenant's. */
function forTenant(layers: readonly DeployableLayer[], tenant: string | null): readonly DeployableLayer[] {
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
  throw new SkillsError("usage", `Cannot deploy for tenant "${tenant}": there are layers, and none of this name`, {
    candidates: layers.map((layer) => layer.name),
  });
}

function tell(report: DeployReport, flags: Flags, { terminal }: CommandContext): void {
  if (isOn(flags, "json")) {
    terminal.json({ ...report, dry_run: isOn(flags, "dryRun") });
    return;
  }
  const { uploaded, unchanged, bytes } = report.blobs;
  const would = isOn(flags, "dryRun") ? "would be " : "";
  terminal.say(`${uploaded} blobs ${would}uploaded (${bytes} bytes), ${unchanged} unchanged`);
  for (const { layer, bundle, previous, moved } of report.layers) {
    terminal.result(`${layer}  ${report.channel}  ${bundle}  ${moveWords(moved, previous, terminal)}`);
  }
}

function moveWords(moved: boolean, previous: string | null, terminal: Terminal): string {
  if (!moved) {
    return "unchanged";
  }
  return terminal.styleResult("green", previous === null ? "new" : `was ${previous}`);
}

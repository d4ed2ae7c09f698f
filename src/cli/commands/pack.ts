/** Owns `edge-skills check`, `pack` and `deploy`: from directories to diagnostics, to a bundle, to a live channel. */

import { resolve } from "node:path";
import { Option } from "commander";
import { type DeployReport, deploy as deployLayers, dryRun } from "../../deploy/deploy.ts";
import { SkillsError } from "../../model/errors.ts";
import { PLATFORM_LAYER } from "../../model/layer.ts";
import { writeBundle } from "../../pack/write-bundle.ts";
import type { CommandContext, CommandSpec, Flags } from "../command.ts";
import {
  CHANNEL_FLAG,
  channelFlag,
  isOn,
  JSON_FLAG,
  STATE_FLAG,
  TARGET_FLAG,
  TENANT_FLAG,
  tenantFlag,
  textFlag,
} from "../flags.ts";
import { checkDocument, describeProblems, directoriesOf, type PackedInput, packInput } from "../pack-input.ts";
import type { Terminal } from "../terminal.ts";
import { whoDeploys } from "../who.ts";
import { withTarget } from "../with-target.ts";

const DIRECTORIES = [
  "[dir...]",
  "directories of skills; platform/ and tenants/<name>/ below one are layers; default skills-bundle",
] as const;
const OUT_FLAG = new Option("-o, --out <dir>", "where to write the bundle").makeOptionMandatory();
const STRICT_FLAG = new Option("--strict", "warnings fail too");
const DRY_RUN_FLAG = new Option("--dry-run", "say what would be done, and do nothing");
const ALLOW_ERRORS_FLAG = new Option("--allow-errors", "deploy the good skills although others have errors");

export const check: CommandSpec = {
  name: "check",
  summary: "read skills as the packer would, and tell everything that is wrong with them",
  arguments: [DIRECTORIES],
  options: [STRICT_FLAG, JSON_FLAG],
  examples: ["check", "check my-skill --strict"],
  async run([dirs], flags, context) {
    const packed = await packInput(directoriesOf(dirs), context);
    if (isOn(flags, "json")) {
      context.terminal.json(checkDocument(packed));
    } else {
      describeProblems(packed, context.terminal);
      context.terminal.say(`${packed.skills.length} skills, ${packed.errors} errors, ${packed.warnings} warnings`);
    }
    return packed.errors > 0 || (isOn(flags, "strict") && packed.warnings > 0) ? 1 : 0;
  },
};

export const pack: CommandSpec = {
  name: "pack",
  summary: "write skills as an immutable bundle; the same input gives the same bytes",
  arguments: [DIRECTORIES],
  options: [OUT_FLAG, JSON_FLAG],
  examples: ["pack skills-bundle -o bundle", "pack ./skills -o out --json"],
  async run([dirs], flags, context) {
    const packed = await packInput(directoriesOf(dirs), context);
    describeProblems(packed, context.terminal);
    const out = textFlag(flags, "out");
    await writeBundle(packed.layers, resolve(context.cwd, out));
    const layers = Object.fromEntries(packed.layers.map((layer) => [layer.name, layer.digest]));
    if (isOn(flags, "json")) {
      const { skills, diagnostics } = checkDocument(packed);
      context.terminal.json({ digest: packed.digest, layers, skills, diagnostics });
    } else {
      context.terminal.result(packed.digest);
      context.terminal.say(`Packed ${packed.served.length} skills in ${packed.layers.length} layers to ${out}`);
    }
    return packed.errors > 0 ? 1 : 0;
  },
};

export const deploy: CommandSpec = {
  name: "deploy",
  summary: "pack, upload what is missing, and move the channel",
  arguments: [DIRECTORIES],
  options: [CHANNEL_FLAG, TENANT_FLAG, TARGET_FLAG, STATE_FLAG, DRY_RUN_FLAG, ALLOW_ERRORS_FLAG, JSON_FLAG],
  examples: ["deploy", "deploy skills-bundle --channel preview", "deploy ./acme-skills --tenant acme --dry-run"],
  async run([dirs], flags, context) {
    const channel = channelFlag(flags);
    const packed = forTenant(await packInput(directoriesOf(dirs), context), tenantFlag(flags));
    describeProblems(packed, context.terminal);
    if (packed.errors > 0 && !isOn(flags, "allowErrors")) {
      throw new SkillsError("skills-invalid", `Cannot deploy: the skills have ${packed.errors} errors`, {
        hint: "mend them, or deploy the good ones with --allow-errors",
      });
    }
    const report = await withTarget(flags, context, (target) =>
      isOn(flags, "dryRun")
        ? dryRun(target, packed.layers, channel)
        : deployLayers(target, packed.layers, {
            channel,
            by: whoDeploys(context.env),
            now: () => new Date(),
            onProgress: ({ written, total }) => context.terminal.progress(`uploading ${written}/${total}`),
          }),
    );
    tell(report, flags, context);
    return packed.errors > 0 ? 1 : 0;
  },
};

/** With `--tenant` a directory without layers is that tenant's. */
function forTenant(packed: PackedInput, tenant: string | null): PackedInput {
  if (tenant === null) {
    return packed;
  }
  const own = packed.layers.filter((layer) => layer.name === tenant);
  const [only] = packed.layers;
  if (own.length > 0) {
    return { ...packed, layers: own };
  }
  if (only && packed.layers.length === 1 && only.name === PLATFORM_LAYER) {
    return { ...packed, layers: [{ ...only, name: tenant }] };
  }
  throw new SkillsError(
    "usage",
    `Cannot deploy for tenant "${tenant}": the directory has layers, and none of this name`,
    {
      candidates: packed.layers.map((layer) => layer.name),
    },
  );
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
  return terminal.style("green", previous === null ? "new" : `was ${previous}`);
}

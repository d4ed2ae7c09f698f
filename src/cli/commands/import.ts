/** Owns `edge-skills import`: skills from directories, archives and sites into a directory. Never runs what it brings. */
import { relative, resolve } from "node:path";
import { Option } from "commander";
import { counted } from "../../model/counted.ts";
import { type Diagnostic, diagnostic } from "../../model/diagnostics.ts";
import type { SkillsError } from "../../model/errors.ts";
import { type Placement, placeSkills } from "../../pack/import/place-skills.ts";
import { readSource } from "../../pack/import/read-source.ts";
import type { FoundImport } from "../../pack/import/read-tree.ts";
import type { CommandContext, CommandSpec } from "../command.ts";
import { isOn, JSON_FLAG, textFlag } from "../flags.ts";
import { countSeverity, describeDiagnostics } from "../pack-input.ts";

const TO_FLAG = new Option("--to <dir>", "where to put the skills").default(".");
const FORCE_FLAG = new Option("--force", "replace skills that are there and differ");

/** What became of one skill. */
interface ImportedSkill {
  readonly name: string | null;
  /** Where it lies now, relative to the current directory; for one that was not imported, where it lies in its source. */
  readonly path: string;
  readonly ok: boolean;
  readonly digest?: string;
  readonly files?: readonly string[];
  readonly placement?: Placement;
  /** Why a site did not give it. */
  readonly error?: { readonly code: string; readonly message: string };
  readonly diagnostics: readonly Diagnostic[];
}

export const importSkills: CommandSpec = {
  name: "import",
  summary: "bring skills from directories, archives or sites; what has an error is left out and told of",
  arguments: [["<src...>", "a directory or git checkout, a .zip, .skill, .tar.gz or .tgz, or the address of a site"]],
  options: [TO_FLAG, FORCE_FLAG, JSON_FLAG],
  examples: [
    "import bird-log.skill --to skills-bundle/platform",
    "import ../other-project/.agents/skills --to skills",
    "import https://docs.example.com --to skills",
  ],
  async run([sources], flags, context) {
    const to = textFlag(flags, "to");
    const readings = [];
    for (const source of sources ?? []) {
      readings.push(await readSource(source, context.cwd, context.signal));
    }
    const found = withoutTwins(readings.flatMap((reading) => reading.skills));
    const failed = readings.flatMap((reading) => reading.failed);
    const diagnostics = readings.flatMap((reading) => reading.diagnostics);

    const good = found.flatMap((skill) => (skill.ok && skill.name !== null ? [{ ...skill, name: skill.name }] : []));
    context.signal.throwIfAborted();
    const directory = resolve(context.cwd, to);
    const placements = await placeSkills(good, directory, isOn(flags, "force") ? "replace" : "refuse");
    const placed = good.map((skill, at) => imported(skill, shown(context, directory, skill.name), placements[at]));
    const left = found.filter((skill) => !skill.ok).map((skill) => imported(skill, skill.path || ".", undefined));
    const skills = [...placed, ...left, ...failed.map(unavailable)];

    const all = [...skills.flatMap((skill) => skill.diagnostics), ...diagnostics];
    const summary = {
      skills: placed.length,
      errors: countSeverity(all, "error") + failed.length,
      warnings: countSeverity(all, "warning"),
    };
    if (isOn(flags, "json")) {
      context.terminal.json({ skills, diagnostics, summary });
    } else {
      describe(skills, diagnostics, context);
      context.terminal.say(
        `${counted(placed.length, "skill")} imported to ${to}, ${left.length + failed.length} left out`,
      );
    }
    return summary.errors > 0 ? 1 : 0;
  },
};

/** The first skill of a name is imported; the others are told of and left out. */
function withoutTwins(skills: readonly FoundImport[]): FoundImport[] {
  const names = new Map<string, string>();
  return skills.map((skill) => {
    const first = skill.ok && skill.name !== null ? names.get(skill.name) : undefined;
    if (skill.ok && skill.name !== null && first === undefined) {
      names.set(skill.name, skill.path || ".");
    }
    if (first === undefined) {
      return skill;
    }
    const message = `"${skill.name}" is already the name of the skill in "${first}", which is imported`;
    const hint = "rename one of the two, or import it into another directory";
    return {
      ...skill,
      ok: false,
      diagnostics: [diagnostic("duplicate-skill", message, { hint }), ...skill.diagnostics],
    };
  });
}

function imported(skill: FoundImport, path: string, placement: Placement | undefined): ImportedSkill {
  const { name, ok, digest, files, diagnostics } = skill;
  return {
    name,
    path,
    ok,
    digest,
    files: [...files.keys()],
    ...(placement === undefined ? {} : { placement }),
    diagnostics,
  };
}

function unavailable({ name, error }: { readonly name: string; readonly error: SkillsError }): ImportedSkill {
  return { name, path: name, ok: false, error: { code: error.code, message: error.message }, diagnostics: [] };
}

function shown({ cwd }: CommandContext, directory: string, name: string): string {
  return relative(cwd, resolve(directory, name)).replaceAll("\\", "/");
}

function describe(skills: readonly ImportedSkill[], diagnostics: readonly Diagnostic[], context: CommandContext): void {
  const { terminal } = context;
  for (const { name, path, placement, error, diagnostics } of skills) {
    if (placement !== undefined) {
      terminal.result(`${path}  ${placement}`);
    } else if (error !== undefined) {
      terminal.say(`${terminal.style("red", "error")} ${name}: ${error.message} (${error.code})`);
    }
    describeDiagnostics({ path, name, diagnostics }, terminal);
  }
  describeDiagnostics({ path: ".", name: null, diagnostics }, terminal);
}

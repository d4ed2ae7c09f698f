/** Owns `edge-skills check`: from directories to everything that is wrong with the skills in them. Never writes a bundle. */
import { join } from "node:path";
import { Option } from "commander";
import { PROFILES, type Profile, underProfile } from "../../check/profiles.ts";
import { counted } from "../../model/counted.ts";
import type { Diagnostic } from "../../model/diagnostics.ts";
import type { CommandSpec } from "../command.ts";
import { CONFIG_FLAG, DIRECTORIES, isOn, JSON_FLAG, textFlag } from "../flags.ts";
import { annotations } from "../github-annotations.ts";
import { checkDocument, countSeverity, describeProblems, type PackedInput } from "../pack-input.ts";
import { WHEELS_FLAG } from "../packages-flags.ts";
import { type LocatedDiagnostic, sarifDocument } from "../sarif.ts";
import { packAsked, SCOPES_FLAG, TRUST_FLAG } from "../scope-flags.ts";
import { SourceLines } from "../source-line.ts";
import { version } from "../version.ts";

const PROFILE_FLAG = new Option("--profile <profile>", "whose rules decide the exit status")
  .choices([...PROFILES])
  .default("lenient");
const STRICT_FLAG = new Option("--strict", "warnings fail too");
const SARIF_FLAG = new Option("--sarif", "print a SARIF 2.1.0 report on standard output").conflicts("json");
const GITHUB_FLAG = new Option("--github", "print annotations for GitHub Actions on standard output").conflicts([
  "json",
  "sarif",
]);

export const check: CommandSpec = {
  name: "check",
  summary: "read skills as the packer would, and tell everything that is wrong with them",
  arguments: [DIRECTORIES],
  options: [
    PROFILE_FLAG,
    STRICT_FLAG,
    SCOPES_FLAG,
    TRUST_FLAG,
    WHEELS_FLAG,
    SARIF_FLAG,
    GITHUB_FLAG,
    CONFIG_FLAG,
    JSON_FLAG,
  ],
  examples: ["check", "check my-skill --strict", "check skills --profile spec", "check skills --sarif > skills.sarif"],
  async run([dirs], flags, context) {
    const profile = textFlag(flags, "profile") as Profile;
    const packed = judged(await packAsked(dirs, flags, context, { purpose: "report" }), profile);
    if (isOn(flags, "json")) {
      context.terminal.json(checkDocument(packed));
    } else if (isOn(flags, "sarif")) {
      context.terminal.json(sarifDocument(located(packed), version()));
    } else {
      for (const line of isOn(flags, "github") ? annotations(located(packed)) : []) {
        context.terminal.result(line);
      }
      describeProblems(packed, context.terminal, sourceOf(context.cwd));
      context.terminal.say(
        `${counted(packed.skills.length, "skill")}, ${counted(packed.errors, "error")}, ${counted(packed.warnings, "warning")}`,
      );
    }
    return packed.errors > 0 || (isOn(flags, "strict") && packed.warnings > 0) ? 1 : 0;
  },
};

/** The same findings under a profile: severities change, what is served does not. */
function judged(packed: PackedInput, profile: Profile): PackedInput {
  const judge = (problem: Diagnostic) => underProfile(problem, profile);
  const skills = packed.skills.map((skill) => ({ ...skill, diagnostics: skill.diagnostics.map(judge) }));
  const diagnostics = packed.diagnostics.map(judge);
  const all = [...skills.flatMap((skill) => skill.diagnostics), ...diagnostics];
  const [errors, warnings] = [countSeverity(all, "error"), countSeverity(all, "warning")];
  return { ...packed, skills, diagnostics, errors, warnings };
}

function located({ skills, diagnostics }: PackedInput): LocatedDiagnostic[] {
  const ofSkills = skills.flatMap((skill) =>
    skill.diagnostics.map((problem) => ({ problem, path: joined(skill.path, problem.file ?? "SKILL.md") })),
  );
  return [...ofSkills, ...diagnostics.map((problem) => ({ problem, path: problem.file ?? "SKILL.md" }))];
}

function joined(directory: string, file: string): string {
  return directory === "." ? file : `${directory}/${file}`;
}

/** The line of a problem and a caret below it, for those that stand at a column. */
function sourceOf(cwd: string): (path: string, problem: Diagnostic) => readonly string[] {
  const lines = new SourceLines();
  return (path, { file, line, column }) => {
    const isPlaced = file !== undefined && line !== undefined && column !== undefined;
    return (isPlaced && lines.show(join(cwd, path, file), line, column)) || [];
  };
}

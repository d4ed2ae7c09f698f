/** Owns `--scopes`: packing what a local agent would see, in place of the directories that are named. */
import { homedir } from "node:os";
import { relative, resolve } from "node:path";
import { Option } from "commander";
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import { findScopes, type Scope } from "../pack/scopes.ts";
import type { CommandContext, Flags } from "./command.ts";
import { isOn } from "./flags.ts";
import { directoriesOf, type PackedInput, type PackInputOptions, packInput, packLayers } from "./pack-input.ts";
import { TrustList } from "./trust-list.ts";

export const SCOPES_FLAG = new Option(
  "--scopes",
  "what a local agent sees: .<client>/skills and .agents/skills of the project (the argument, else here) and of the user",
);
export const TRUST_FLAG = new Option("--trust", "with --scopes: trust the project's own skills from now on");

/** A scope, and whether its skills are read. */
export interface ReportedScope extends Scope {
  readonly trusted: boolean;
}

/** Packs the directories that are named or, with `--scopes`, what a local agent would see. */
export async function packAsked(
  dirs: string | readonly string[] | undefined,
  flags: Flags,
  context: CommandContext,
  options: PackInputOptions = {},
): Promise<PackedInput> {
  if (!isOn(flags, "scopes")) {
    if (isOn(flags, "trust")) {
      throw new SkillsError("usage", "Cannot use --trust without --scopes: directories that are named are trusted");
    }
    return packInput(directoriesOf(dirs), flags, context, options);
  }
  const named = Array.isArray(dirs) ? dirs : [];
  if (named.length > 1) {
    throw new SkillsError("usage", `Cannot use --scopes with ${named.length} directories: one project is looked at`);
  }
  const scopes = scopesOf(resolve(context.cwd, named[0] ?? "."), flags, context);
  tell(scopes, context);
  const roots = scopes.filter(({ trusted }) => trusted).map(({ path }) => path);
  const layers = [{ name: PLATFORM_LAYER, roots }];
  const packed = await packLayers(layers, flags, context, { ...options, precedence: "roots" });
  return { ...packed, scopes: scopes.map((scope) => ({ ...scope, path: shown(scope.path, context) })) };
}

function scopesOf(project: string, flags: Flags, { env }: CommandContext): ReportedScope[] {
  const home = env.HOME ?? env.USERPROFILE ?? homedir();
  const scopes = findScopes(project, home);
  const list = TrustList.open(home, env);
  if (isOn(flags, "trust")) {
    list.add(project);
  }
  return scopes.map((scope) => ({ ...scope, trusted: scope.scope === "user" || list.has(project) }));
}

function tell(scopes: readonly ReportedScope[], context: CommandContext): void {
  const { terminal } = context;
  const left = scopes.filter(({ trusted }) => !trusted);
  for (const { path } of left) {
    const word = terminal.style("yellow", "untrusted");
    terminal.say(`${word} ${shown(path, context)} is left out: a project's skills are read when it is trusted`);
  }
  if (left.length > 0) {
    terminal.say("    look at them, then add --trust");
  }
}

function shown(path: string, { cwd }: CommandContext): string {
  return relative(cwd, path).replaceAll("\\", "/") || ".";
}

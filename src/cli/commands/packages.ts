/** Owns `edge-skills packages`: making the directory of wheels that `--wheels` names, and the lock that holds their digests. */
import { existsSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { Option } from "commander";
import { packageName } from "../../check/python-requirements.ts";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import { DEBIAN_PACKAGES, debianWheels } from "../../pack/python/debian-wheels.ts";
import { type Lock, lockOf, readLock, writeLock } from "../../pack/python/lock.ts";
import { DEFAULT_INDEX, PackageIndex } from "../../pack/python/package-index.ts";
import { PythonPackages } from "../../pack/python/packages.ts";
import { parseRequirement, type Requirement } from "../../pack/python/requirement.ts";
import { resolvePackages } from "../../pack/python/resolve.ts";
import { openWheel, type Wheel } from "../../pack/python/wheel.ts";
import { writeWheels } from "../../pack/python/write-wheels.ts";
import type { CommandContext, CommandSpec, Flags } from "../command.ts";
import { CONFIG_FLAG, isOn, JSON_FLAG, optionalText, textFlag } from "../flags.ts";
import { lockPath, WHEELS_FLAG, wheelsDirectory } from "../packages-flags.ts";

const OUT_FLAG = new Option("-o, --out <dir>", "where to write the wheels").default("wheels");
const INDEX_FLAG = new Option("--from-index <url>", "the package index to ask").default(DEFAULT_INDEX);
const DEBIAN_FLAG = new Option("--debian", "make them of Debian's python3 packages, as apt has them");
const REQUIREMENTS_FLAG = new Option("-r, --requirements <file>", "a requirements.txt that names further packages");

/** What scripts of skills use most. Newer versions of jsonschema need compiled code. */
const DEFAULT_PACKAGES =
  "requests pyyaml python-dotenv defusedxml jinja2 markdown beautifulsoup4 openpyxl pypdf click typer rich tabulate httpx " +
  "python-dateutil jsonschema<4.18";

export const packagesBuild: CommandSpec = {
  name: "packages build",
  summary:
    "make a directory of wheels, with all that they need, and lock it; without names: what is locked, else a usual set",
  arguments: [["[package...]", 'names, with versions where they matter: requests "pyyaml>=6"']],
  options: [OUT_FLAG, INDEX_FLAG, DEBIAN_FLAG, REQUIREMENTS_FLAG, CONFIG_FLAG, JSON_FLAG],
  examples: [
    'packages build requests "pyyaml>=6"',
    "packages build -r requirements.txt -o wheels",
    "packages build --debian",
  ],
  async run([names], flags, context) {
    const out = resolve(context.cwd, textFlag(flags, "out"));
    const asked = [...(Array.isArray(names) ? names : []), ...requirementLines(flags, context)];
    const wheels = isOn(flags, "debian") ? debianSet(asked) : await indexSet(asked, flags, context);
    const opened = new PythonPackages([...wheels].map(([file, bytes]) => openWheel(file, bytes))).wheels;
    writeWheels(out, wheels);
    writeLock(lockPath(flags, context), lockOf(opened));
    tell(opened, out, flags, context);
    return 0;
  },
};

export const packagesLock: CommandSpec = {
  name: "packages lock",
  summary: "write edge-skills.lock for a directory of wheels as it is",
  arguments: [],
  options: [WHEELS_FLAG, CONFIG_FLAG, JSON_FLAG],
  examples: ["packages lock --wheels wheels"],
  async run(_args, flags, context) {
    const directory = wheelsDirectory(flags, context);
    if (directory === null) {
      throw new SkillsError("usage", "Cannot lock wheels: neither --wheels nor the settings name a directory of them");
    }
    const { wheels } = PythonPackages.open(directory);
    writeLock(lockPath(flags, context), lockOf(wheels));
    tell(wheels, directory, flags, context);
    return 0;
  },
};

/** Debian's packages by their own names or by the names that Python knows. */
function debianSet(asked: readonly string[]): Map<string, Uint8Array> {
  const names = asked.map((name) => (name.startsWith("python3-") ? name : `python3-${packageName(name)}`));
  return debianWheels(names.length > 0 ? names : DEBIAN_PACKAGES);
}

async function indexSet(
  asked: readonly string[],
  flags: Flags,
  context: CommandContext,
): Promise<Map<string, Uint8Array>> {
  const index = new PackageIndex(textFlag(flags, "fromIndex"), context.signal);
  const lock = readLock(lockPath(flags, context));
  if (asked.length === 0 && lock !== null) {
    return lockedSet(lock, index, context);
  }
  const wanted = (asked.length > 0 ? asked : DEFAULT_PACKAGES.split(" ")).map(requirementOf);
  let done = 0;
  const onFetch = () => context.terminal.progress({ what: "fetching packages", done: ++done, total: null });
  const resolved = await resolvePackages(wanted, index, onFetch);
  return new Map(resolved.map(({ wheel, bytes }) => [wheel.file, bytes]));
}

async function lockedSet(lock: Lock, index: PackageIndex, { terminal }: CommandContext) {
  const wheels = new Map<string, Uint8Array>();
  for (const locked of lock.packages) {
    terminal.progress({ what: "fetching packages", done: wheels.size, total: lock.packages.length });
    wheels.set(locked.file, await index.downloadLocked(locked));
  }
  return wheels;
}

function requirementLines(flags: Flags, { cwd }: CommandContext): string[] {
  const name = optionalText(flags, "requirements");
  if (name === null) {
    return [];
  }
  const file = resolve(cwd, name);
  if (!existsSync(file)) {
    throw new SkillsError("usage", `Cannot read requirements "${name}": there is no such file`);
  }
  const lines = readFileSync(file, "utf8").split(/\r\n?|\n/);
  return lines.map((line) => line.replace(/(?:^|\s)#.*$/, "").trim()).filter((line) => line !== "");
}

function requirementOf(text: string): Requirement {
  const requirement = parseRequirement(text);
  if (requirement === null) {
    throw new SkillsError(
      "usage",
      `Cannot use "${text}": a package is named as in requests>=2, without options or addresses`,
    );
  }
  return requirement;
}

function tell(wheels: readonly Wheel[], directory: string, flags: Flags, context: CommandContext): void {
  const { terminal, cwd } = context;
  const shown = relative(cwd, directory).replaceAll("\\", "/") || ".";
  const lock = relative(cwd, lockPath(flags, context)).replaceAll("\\", "/");
  if (isOn(flags, "json")) {
    terminal.json({ wheels: shown, lock, packages: lockOf(wheels).packages });
    return;
  }
  for (const { name, version, digest } of wheels) {
    terminal.result(`${name} ${version}  ${digest}`);
  }
  const compiled = wheels.filter(({ hasCompiledParts }) => hasCompiledParts).map(({ name }) => name);
  if (compiled.length > 0) {
    terminal.say(`compiled parts are left out, and what needs them fails when it is imported: ${compiled.join(", ")}`);
  }
  terminal.say(`${counted(wheels.length, "wheel")} in ${shown}, locked in ${lock}; use them with --wheels ${shown}`);
}

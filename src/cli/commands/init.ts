/** Owns `edge-skills init`: a new skill that checks clean and runs. Never touches what is there. */

import { readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { formatSkillMd } from "../../check/format-skill-md.ts";
import { SkillsError } from "../../model/errors.ts";
import { isPortableName, MAX_NAME_LENGTH, servedName } from "../../model/name.ts";
import { makeDirectory } from "../../pack/make-directory.ts";
import type { CommandSpec } from "../command.ts";
import { isOn, JSON_FLAG } from "../flags.ts";

export const init: CommandSpec = {
  name: "init",
  summary: "write a new skill from a template: it checks clean and runs",
  arguments: [["[dir]", "where; its name is the skill's name; default the current directory, if it is empty"]],
  options: [JSON_FLAG],
  examples: ["init skills-bundle/platform/bird-log", "init bird-log"],
  async run([dir], flags, { cwd, terminal }) {
    const directory = resolve(cwd, typeof dir === "string" ? dir : ".");
    const name = nameOf(directory);
    const files = templateOf(name);
    writeNew(directory, files);
    const path = relative(cwd, directory).replaceAll("\\", "/") || ".";
    if (isOn(flags, "json")) {
      terminal.json({ name, path, files: Object.keys(files) });
    } else {
      terminal.result(path);
      terminal.say(`Wrote the skill "${name}" (${Object.keys(files).join(", ")}). Try:`);
      terminal.say(`  edge-skills check ${path}`);
      terminal.say(`  edge-skills run ${name} greet --from ${path} -- --name Ada`);
    }
    return 0;
  },
};

function nameOf(directory: string): string {
  const name = basename(directory);
  if (isPortableName(name) && name.length <= MAX_NAME_LENGTH) {
    return name;
  }
  const better = servedName(name);
  const usable = isPortableName(better) && better.length <= MAX_NAME_LENGTH;
  throw new SkillsError(
    "usage",
    `Cannot call a skill ${JSON.stringify(name)}: a–z, 0–9 and single hyphens make a name`,
    {
      hint: usable ? `try: edge-skills init ${better}` : "name a directory, for example: edge-skills init bird-log",
    },
  );
}

/** Writes files into a directory that is empty or not there; when that fails, nothing is left. */
function writeNew(directory: string, files: Readonly<Record<string, string>>): void {
  const there = statSync(directory, { throwIfNoEntry: false });
  if (there !== undefined && (!there.isDirectory() || readdirSync(directory).length > 0)) {
    throw new SkillsError("output-exists", `Cannot write a skill to "${directory}": something is there`, {
      hint: "name a directory that is empty or not there yet",
    });
  }
  const made = there === undefined ? makeDirectory(directory) : undefined;
  try {
    const top = realpathSync(directory);
    for (const [path, text] of Object.entries(files)) {
      makeDirectory(dirname(join(top, path)));
      writeFileSync(join(top, path), text, { flag: "wx" });
    }
  } catch (cause) {
    for (const path of made === undefined ? Object.keys(files).map((file) => join(directory, file)) : [made]) {
      rmSync(path, { recursive: true, force: true });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SkillsError("storage-unavailable", `Cannot write a skill to "${directory}": ${reason}`, { cause });
  }
}

/** The files of a new skill. */
function templateOf(name: string): Record<string, string> {
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
  return {
    "SKILL.md": formatSkillMd({
      fields: {
        name,
        description:
          "Greets a person by name. Say here what the skill does, and when to use it, since a model sees no more than this at first.",
        metadata: { version: "0.1.0" },
      },
      body: BODY.replaceAll("{title}", () => title),
    }),
    "references/styles.md": STYLES,
    "scripts/greet.py": SCRIPT,
  };
}

const BODY = `
# {title}

Say here how the job is done, step by step. A model reads this when a task matches the description.

## Steps

1. Find out whom to greet.
2. Run \`scripts/greet.py\`. The styles it knows are described in [references/styles.md](references/styles.md).
3. Answer with the line it prints.

## Example

Run \`scripts/greet.py\` with

\`\`\`json
{ "name": "Ada", "style": "formal" }
\`\`\`

It prints \`Good day, Ada.\`
`;

const STYLES = `# Styles

| style | greeting |
|---|---|
| plain | Hello, Ada! |
| formal | Good day, Ada. |
`;

const SCRIPT = `#!/usr/bin/env python3
"""Prints a greeting for one person."""

import argparse

GREETINGS = {"plain": "Hello, {name}!", "formal": "Good day, {name}."}


def main():
    parser = argparse.ArgumentParser(description="Prints a greeting for one person.")
    parser.add_argument("--name", required=True, help="whom to greet")
    parser.add_argument("--style", choices=["plain", "formal"], default="plain", help="how to greet")
    arguments = parser.parse_args()
    print(GREETINGS[arguments.style].format(name=arguments.name))


if __name__ == "__main__":
    main()
`;

/** Owns `edge-skills check` and `pack`: from directories to diagnostics, and to a bundle. */

import { resolve } from "node:path";
import { Option } from "commander";
import { writeBundle } from "../../pack/write-bundle.ts";
import type { CommandSpec } from "../command.ts";
import { DIRECTORIES, isOn, JSON_FLAG, textFlag } from "../flags.ts";
import { checkDocument, describeProblems, directoriesOf, packInput } from "../pack-input.ts";

const OUT_FLAG = new Option("-o, --out <dir>", "where to write the bundle").makeOptionMandatory();
const STRICT_FLAG = new Option("--strict", "warnings fail too");

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
    if (packed.served.length > 0) {
      await writeBundle(packed.layers, resolve(context.cwd, out));
    }
    const layers = Object.fromEntries(packed.layers.map((layer) => [layer.name, layer.digest]));
    if (isOn(flags, "json")) {
      const { skills, diagnostics } = checkDocument(packed);
      context.terminal.json({ digest: packed.digest, layers, skills, diagnostics });
    } else if (packed.served.length > 0) {
      context.terminal.result(packed.digest);
      context.terminal.say(`Packed ${packed.served.length} skills in ${packed.layers.length} layers to ${out}`);
    }
    if (packed.served.length === 0) {
      context.terminal.say(`Nothing is written to ${out}: there is no skill to serve`);
    }
    return packed.errors > 0 ? 1 : 0;
  },
};

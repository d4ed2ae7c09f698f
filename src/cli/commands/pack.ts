/** Owns `edge-skills pack`: from directories to a bundle on disk. */

import { resolve } from "node:path";
import { Option } from "commander";
import { counted } from "../../model/counted.ts";
import { writeBundle } from "../../pack/write-bundle.ts";
import type { CommandSpec } from "../command.ts";
import { CONFIG_FLAG, DIRECTORIES, isOn, JSON_FLAG, textFlag } from "../flags.ts";
import { checkDocument, describeProblems } from "../pack-input.ts";
import { WHEELS_FLAG } from "../packages-flags.ts";
import { packAsked, SCOPES_FLAG, TRUST_FLAG } from "../scope-flags.ts";

const OUT_FLAG = new Option("-o, --out <dir>", "where to write the bundle").makeOptionMandatory();

export const pack: CommandSpec = {
  name: "pack",
  summary: "write skills as an immutable bundle; the same input gives the same bytes",
  arguments: [DIRECTORIES],
  options: [OUT_FLAG, SCOPES_FLAG, TRUST_FLAG, WHEELS_FLAG, CONFIG_FLAG, JSON_FLAG],
  examples: [
    "pack skills-bundle -o bundle",
    "pack ./skills -o out --json",
    "pack --scopes -o bundle",
    "pack skills-bundle -o bundle --wheels wheels",
  ],
  async run([dirs], flags, context) {
    const packed = await packAsked(dirs, flags, context);
    describeProblems(packed, context.terminal);
    const out = textFlag(flags, "out");
    if (packed.served.length > 0) {
      await writeBundle(packed.layers, resolve(context.cwd, out));
    }
    const layers = Object.fromEntries(packed.layers.map((layer) => [layer.name, layer.digest]));
    if (isOn(flags, "json")) {
      const { summary: _, ...found } = checkDocument(packed);
      context.terminal.json({ digest: packed.digest, layers, ...found });
    } else if (packed.served.length > 0) {
      context.terminal.result(packed.digest);
      context.terminal.say(
        `Packed ${counted(packed.served.length, "skill")} in ${counted(packed.layers.length, "layer")} to ${out}`,
      );
    }
    if (packed.served.length === 0) {
      context.terminal.say(`Nothing is written to ${out}: there is no skill to serve`);
    }
    return packed.errors > 0 ? 1 : 0;
  },
};

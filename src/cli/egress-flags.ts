/** Owns the flags about the network of scripts: `--allow ORIGIN` and `--egress FILE`. What rules mean is model/egress.ts's. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Option } from "commander";
import type { Config } from "../model/config.ts";
import { isRuleOrigin, parseEgressTrial } from "../model/egress.ts";
import { SkillsError } from "../model/errors.ts";
import type { CommandContext, Flags } from "./command.ts";
import { optionalText } from "./flags.ts";

export const ALLOW_FLAG = new Option(
  "--allow <origin>",
  "let the script reach an origin (https://api.example.com), beside what the settings allow; may be given several times",
).argParser((origin: string, earlier: readonly string[] = []) => [...earlier, origin]);

export const EGRESS_FLAG = new Option(
  "--egress <file>",
  "network rules to try out, in place of the settings': JSON of { allow, stub }; stub answers stand in for the outside",
);

/** The rules to try out, as the local edge takes them; null when the settings alone count. Throws `usage`, `config-invalid`. */
export function egressText(flags: Flags, config: Config, { cwd }: CommandContext): string | null {
  const name = optionalText(flags, "egress");
  if (name !== null) {
    const text = readText(resolve(cwd, name), name);
    parseEgressTrial(text, name);
    return text;
  }
  const origins = Array.isArray(flags.allow) ? flags.allow.map(String) : [];
  if (origins.length === 0) {
    return null;
  }
  return JSON.stringify({ allow: [...config.egress.allow, ...origins.map(originOf)] });
}

function readText(file: string, name: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new SkillsError("usage", `Cannot read network rules "${name}"`, { cause });
  }
}

/** An origin as a rule spells it: a bare slash at the end is meant well. */
function originOf(given: string): string {
  const origin = given.replace(/\/$/, "");
  if (!isRuleOrigin(origin)) {
    throw new SkillsError("usage", `Cannot use --allow "${given}": it is no origin`, {
      hint: "an origin is scheme, host and port: https://api.example.com",
    });
  }
  return origin;
}

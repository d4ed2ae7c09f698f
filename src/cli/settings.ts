/** Owns reading `edge-skills.json` for a command. What it may hold is model/config.ts's. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Config, DEFAULT_CONFIG, parseConfig } from "../model/config.ts";
import { SkillsError } from "../model/errors.ts";
import type { CommandContext, Flags } from "./command.ts";
import { CONFIG_FLAG, textFlag } from "./flags.ts";

/** Settings, and the text they came from for the edge Worker; no text when there is no file. */
export interface Settings {
  readonly config: Config;
  readonly text: string | null;
}

/** Reads the settings a command was pointed at. The default file may be absent; one that was named may not. */
export function readSettings(flags: Flags, { cwd }: CommandContext): Settings {
  const name = textFlag(flags, "config");
  const file = resolve(cwd, name);
  if (!existsSync(file)) {
    if (name !== CONFIG_FLAG.defaultValue) {
      throw new SkillsError("usage", `Cannot read settings "${name}": there is no such file`);
    }
    return { config: DEFAULT_CONFIG, text: null };
  }
  const text = readFileSync(file, "utf8");
  return { config: parseConfig(text, name), text };
}

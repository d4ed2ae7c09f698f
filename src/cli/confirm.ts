/** Owns asking a person before what cannot be undone. Never takes silence for a yes. */
import { createInterface } from "node:readline/promises";
import { Option } from "commander";
import { SkillsError } from "../model/errors.ts";
import type { CommandContext, Flags } from "./command.ts";
import { isOn } from "./flags.ts";

export const YES_FLAG = new Option("--yes", "do it without asking");

/** Goes on when `--yes` was given, or a person at a terminal types `yes`. Throws `usage` otherwise. */
export async function confirm(flags: Flags, { terminal, signal }: CommandContext, question: string): Promise<void> {
  if (isOn(flags, "yes")) {
    return;
  }
  if (!(process.stdin.isTTY && terminal.isInteractive)) {
    throw new SkillsError("usage", "Cannot do this without being sure: nobody can be asked here", {
      hint: "look at it with --dry-run, then give --yes",
    });
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} Type yes to go on: `, { signal });
    if (answer.trim().toLowerCase() !== "yes") {
      throw new SkillsError("usage", "Nothing was done: the answer was not yes");
    }
  } finally {
    lines.close();
  }
}

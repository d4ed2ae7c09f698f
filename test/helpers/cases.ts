/** Reads the acceptance cases: data with the right answers, copied from the project's shared folder. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** All cases of one file of test/fixtures/cases, by its name without extension. */
export function readCases<Case>(name: string): Case[] {
  const file = fileURLToPath(new URL(`../fixtures/cases/${name}.json`, import.meta.url).href);
  return JSON.parse(readFileSync(file, "utf8"));
}

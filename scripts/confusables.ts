/** Owns making src/tenancy/confusables.json: what of Unicode's confusables can stand in a skill's name, small enough for the edge Worker. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import all from "unhomoglyph/data.json" with { type: "json" };
import { writeConfusables } from "../src/tenancy/confusables.ts";

const TABLE = fileURLToPath(new URL("../src/tenancy/confusables.json", import.meta.url));

/** A served name holds letters, their marks and digits of any script, and hyphens; it is compared in NFD and lower case. */
const IN_A_NAME = /^[\p{L}\p{M}\p{N}-]+$/u;

/** Confusable characters with their prototypes: the table of the package `unhomoglyph`, less what no name can hold. */
export function confusablesOfNames(): Map<string, string> {
  const kept = Object.entries(all).filter(
    ([character]) => IN_A_NAME.test(character) && character === character.toLowerCase().normalize("NFD"),
  );
  return new Map(kept);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(TABLE, `${JSON.stringify(writeConfusables(confusablesOfNames()))}\n`);
}

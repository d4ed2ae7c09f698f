import { describe, expect, test } from "vitest";
import { throwIfMisplaced } from "../../../src/sources/input-places.ts";

const OWN = ["SKILL.md", "scripts/main.sh", "data/in/a.csv"];

describe("throwIfMisplaced()", () => {
  test("lets files lie over the skill's, beside them and in directories of their own", () => {
    const given = ["scripts/main.sh", "data/in/b.csv", "new/deep/er.txt", "a".repeat(255), "__proto__/constructor"];
    expect(() => throwIfMisplaced(OWN, given)).not.toThrow();
  });

  test.each([
    ["below a file", "scripts/main.sh/x", '"scripts/main.sh" is a file, not a directory'],
    ["over a directory", "scripts", "there is a directory of that name"],
    ["over a directory below one", "data/in", "there is a directory of that name"],
    ["over the directory of another one", "other", "there is a directory of that name"],
    ["of a long name", `${"a".repeat(256)}/x`, "its path is too long"],
    ["of a long path", `${"a/".repeat(3_000)}a`, "its path is too long"],
    ["of half a character", "half\ud800", "its path holds half a character"],
  ])("refuses one %s", (_, path, problem) => {
    const shown = path.toWellFormed().slice(0, 255);
    expect(() => throwIfMisplaced(OWN, [path, "other/file"])).toThrow(`Cannot use file "${shown}": ${problem}`);
  });
});

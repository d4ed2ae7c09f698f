import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type PackOptions, packSkills } from "../../../src/pack/pack.ts";
import { PackMemory } from "../../../src/pack/pack-memory.ts";
import { manifest, plant } from "../../helpers/directories.ts";

/** Counts what is compiled. */
function counting(): { readonly compiled: string[]; readonly compile: NonNullable<PackOptions["compile"]> } {
  const compiled: string[] = [];
  return {
    compiled,
    compile: async ({ path, files }) => {
      compiled.push(new TextDecoder().decode(files.get(path)));
      return { code: `compiled ${compiled.at(-1)}` };
    },
  };
}

describe("packSkills() with a PackMemory", () => {
  it("compiles only the skill that changed, and gives what a pack without one gives, whatever happens to the tree", async () => {
    const root = plant({
      "a/SKILL.md": manifest("a"),
      "a/scripts/run.js": "of a",
      "b/SKILL.md": manifest("b"),
      "b/scripts/run.js": "of b",
      "c/SKILL.md": "---\nname: c\n---\n",
    });
    const { compiled, compile } = counting();
    const memory = new PackMemory();
    const steps: readonly [what: string, change: () => void, compiled: readonly string[]][] = [
      ["the first", () => undefined, ["of a", "of b"]],
      ["nothing", () => undefined, []],
      ["a script", () => plant({ "a/scripts/run.js": "of a, new" }, root), ["of a, new"]],
      ["another file", () => plant({ "b/notes.md": "notes" }, root), ["of b"]],
      ["what was broken", () => plant({ "c/SKILL.md": manifest("c"), "c/scripts/run.js": "of c" }, root), ["of c"]],
      ["a duplicate comes first", () => plant({ "aa/SKILL.md": manifest("b") }, root), []],
      ["it goes again", () => rmSync(join(root, "aa"), { recursive: true }), []],
      ["a directory's name", () => renameSync(join(root, "a"), join(root, "z")), ["of a, new"]],
      // Left out, but its scripts are looked at all the same.
      ["a secret comes", () => plant({ "b/.env": "KEY=1" }, root), ["of b"]],
    ];
    for (const [what, change, expected] of steps) {
      change();
      compiled.length = 0;
      const quick = await packSkills({ roots: [root] }, { base: root, compile, memory });
      const seen = [...compiled].sort();
      expect([what, quick]).toEqual([what, await packSkills({ roots: [root] }, { base: root, compile })]);
      expect([what, seen]).toEqual([what, expected]);
    }
  });

  it("remembers no skill that is gone", async () => {
    const root = plant({ "a/SKILL.md": manifest("a"), "a/scripts/run.js": "of a" });
    const { compiled, compile } = counting();
    const memory = new PackMemory();
    const pack = () => packSkills({ roots: [root] }, { compile, memory });
    await pack();
    renameSync(join(root, "a"), join(root, ".hidden"));
    rmSync(join(root, ".hidden"), { recursive: true });
    await pack();
    plant({ "a/SKILL.md": manifest("a"), "a/scripts/run.js": "of a" }, root);
    await pack();
    expect(compiled).toEqual(["of a", "of a"]);
  });
});

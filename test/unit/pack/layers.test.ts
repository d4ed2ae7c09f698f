/** Which layers some directories hold. */
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { layersOf } from "../../../src/pack/layers.ts";
import { manifest, plant } from "../../helpers/directories.ts";

function layers(texts: Readonly<Record<string, string>>, directories: readonly string[] = [""]) {
  const top = plant(texts);
  const found = layersOf(directories.map((directory) => join(top, directory)));
  return found.map(({ name, roots }) => [name, ...roots.map((root) => relative(top, root))]);
}

describe("the layers of a directory", () => {
  test.each([
    [
      "platform and tenants",
      { "platform/a/SKILL.md": "", "tenants/b/x/SKILL.md": "", "tenants/a/x/SKILL.md": "" },
      [
        ["platform", "platform"],
        ["a", "tenants/a"],
        ["b", "tenants/b"],
      ],
    ],
    ["the platform alone", { "platform/a/SKILL.md": "", "README.md": "" }, [["platform", "platform"]]],
    ["tenants alone", { "tenants/a/x/SKILL.md": "", "tenants/README.md": "" }, [["a", "tenants/a"]]],
    ["skills", { "a/SKILL.md": "", "b/SKILL.md": "" }, [["platform", ""]]],
    ["a skill called platform", { "platform/SKILL.md": manifest("platform") }, [["platform", ""]]],
    ["a skill called tenants", { "tenants/SKILL.md": "", "tenants/scripts/x": "" }, [["platform", ""]]],
    ["a skill with such directories", { "skill.md": "", "platform/x": "", "tenants/y/z": "" }, [["platform", ""]]],
    ["a group called platform beside others", { "platform/a/SKILL.md": "", "web/b/SKILL.md": "" }, [["platform", ""]]],
  ])("%s", (_, texts, expected) => {
    expect(layers(texts)).toEqual(expected);
  });

  test.each(["platform", "runtime", "Acme", "a_b", "a".repeat(64)])("%s cannot be a tenant", (name) => {
    expect(() => layers({ [`tenants/${name}/x/SKILL.md`]: "" })).toThrow(expect.objectContaining({ code: "usage" }));
  });
});

test("several directories are merged in their order", () => {
  const texts = { "two/platform/a/SKILL.md": "", "two/tenants/t/b/SKILL.md": "", "one/c/SKILL.md": "" };
  expect(layers(texts, ["two", "one"])).toEqual([
    ["platform", "two/platform", "one"],
    ["t", "two/tenants/t"],
  ]);
});

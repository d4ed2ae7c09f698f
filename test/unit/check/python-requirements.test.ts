/** What a Python script asks for, and how that shows in the reason it cannot run. */
import { describe, expect, test } from "vitest";
import { checkSkill } from "../../../src/check/check-skill.ts";
import { listedRequirements, requirementOf, scriptRequirements } from "../../../src/check/python-requirements.ts";
import { textSkill } from "../../helpers/skill-files.ts";

const block = (...lines: string[]) =>
  ["#!/usr/bin/env -S uv run", "# /// script", ...lines.map((line) => `# ${line}`), "# ///", "import x"].join("\n");

describe("a PEP 723 block", () => {
  test.each([
    [block("dependencies = [\"PyYAML>=6\", 'rich']"), ["pyyaml", "rich"]],
    [
      block(
        'requires-python = ">=3.11"',
        "dependencies = [",
        '  "requests[socks]<3",  # network',
        "  \"a.b_c ; python_version < '4'\",",
        "]",
      ),
      ["requests", "a-b-c"],
    ],
    [block("dependencies = [", "  'left',  # it's the \"left\" one", '  "right",', "]"), ["left", "right"]],
    [block("dependencies = []"), []],
    [block('name = "dependencies"'), []],
    ['x = """\n# not a block\n"""\ndependencies = ["a"]', []],
    [block('dependencies = ["a"').replace("# ///\n", ""), []],
  ])("%j asks for %j", (source, names) => {
    expect(scriptRequirements(source).map(({ name }) => name)).toEqual(names);
  });
});

test("requirements.txt is read without options, addresses and comments", () => {
  const text =
    "# tools\r\nPyYAML==6.0.1 # parser\n-r more.txt\n--hash=sha256:0\nhttps://example.test/x.whl\nPillow\n\nnumpy>=1,<3 ; os_name == 'x'\n";
  expect(listedRequirements(text).map(({ text, name }) => [text, name])).toEqual([
    ["PyYAML==6.0.1", "pyyaml"],
    ["Pillow", "pillow"],
    ["numpy>=1,<3 ; os_name == 'x'", "numpy"],
  ]);
});

test.each([
  ["yaml", "PyYAML"],
  ["PIL", "pillow"],
  ["google_auth", "google.auth"],
  ["sklearn", "scikit_learn"],
])("the module %s is brought by %s", (module, name) => {
  expect(requirementOf(module, listedRequirements(`other\n${name}`))?.text).toBe(name);
});

describe("the reason a script cannot run", () => {
  const reasonOf = (files: Readonly<Record<string, string>>) =>
    checkSkill(...textSkill("x", { "SKILL.md": "---\nname: x\ndescription: x\n---\n", ...files })).skill?.scripts[0]
      ?.reason;

  test.each<[string, Record<string, string>, string]>([
    [
      "its own block",
      { "scripts/a.py": block('dependencies = ["torch>=2"]').replace("import x", "import torch") },
      'line 5; the script asks for the package "torch>=2"',
    ],
    [
      "the list beside it",
      { "scripts/a.py": "import torch", "scripts/requirements.txt": "torch==2" },
      '; scripts/requirements.txt asks for the package "torch==2"',
    ],
    [
      "the skill's list",
      { "scripts/a.py": "import torch", "requirements.txt": "torch" },
      '; requirements.txt asks for the package "torch"',
    ],
    ["nothing", { "scripts/a.py": "import torch", "requirements.txt": "numpy" }, "(scripts/a.py, line 1)"],
  ])("names %s", (_, files, part) => {
    expect(reasonOf(files)).toContain(part);
  });

  test("is none when what is asked for is not imported, or is provided", () => {
    expect(reasonOf({ "scripts/a.py": "import yaml", "requirements.txt": "torch\nPyYAML" })).toBeNull();
  });
});

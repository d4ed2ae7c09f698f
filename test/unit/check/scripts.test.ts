/** Scripts: what runs them, what they lack, what they say of themselves. */
import { describe, expect, test } from "vitest";
import { checkSkill } from "../../../src/check/check-skill.ts";
import type { SkillScript } from "../../../src/model/record.ts";
import { textSkill } from "../../helpers/skill-files.ts";

const MANIFEST = "---\nname: x\ndescription: x\n---\n";

function scriptsOf(files: Readonly<Record<string, string>>): readonly SkillScript[] {
  return checkSkill(...textSkill("x", { "SKILL.md": MANIFEST, ...files })).skill?.scripts ?? [];
}

const only = (path: string, text: string, more: Readonly<Record<string, string>> = {}) =>
  scriptsOf({ [path]: text, ...more }).find((script) => script.path === path);

describe("the runtime", () => {
  test.each([
    ["a.py", "", "python"],
    ["a", "#!/usr/bin/env python3\n", "python"],
    ["a.sh", "#!/usr/bin/env -S python3 -u\r\n", "python"],
    ["a", "#! /usr/local/bin/python3.12 -I", "python"],
    ["a", "#!/usr/bin/env -S uv run --script\n", "python"],
    ["a", "#!/usr/bin/env -S PATH=/x FOO=1 node --flag\n", "javascript"],
    ["a", "#!/bin/sh -e\n", "bash"],
    ["a.py", "#!/bin/dash\n", "bash"],
    ["a.ts", "", "javascript"],
    ["a.MJS", "", "javascript"],
    ["a.rb", "", null],
    ["a.py", "#!/usr/bin/perl\n", null],
    ["a", "#!\n", null],
  ])("of %s with %j is %s", (name, text, runtime) => {
    expect(only(`scripts/${name}`, text)?.runtime).toBe(runtime);
  });

  test.each(["scripts/a.txt", "scripts/a.d.ts", "scripts/notes", "a.py", "lib/scripts/a.py"])(
    "%s is no script",
    (path) => {
      expect(scriptsOf({ [path]: "" })).toEqual([]);
    },
  );
});

describe("Python lacks nothing", () => {
  test.each([
    "import json, os.path as p; import sys",
    "from __future__ import annotations",
    "from . import helper",
    "try:\n    import torch\nexcept ImportError:\n    torch = None",
    "def f():\n    import torch",
    "if TYPE_CHECKING:\n    import torch",
    '"""\nimport torch\n"""',
    "x = 'import torch'",
    "# import torch",
    "import helper",
    "from lib.tools import x",
    "import \\\n  json",
  ])("with %j", (text) => {
    const files = { "scripts/helper.py": "", "lib/tools.py": "", "scripts/a.py": text };
    const modules = checkSkill(textSkill("x", { "SKILL.md": MANIFEST, ...files })[0], {
      sandbox: {
        pythonModules: new Set(["json", "os", "sys", "__future__"]),
        shellCommands: new Set(),
        nodeModules: new Set(),
        nodeMissing: new Map(),
      },
    });
    expect(modules.skill?.scripts.map(({ reason }) => reason)).toEqual([null, null]);
  });
});

describe("Python lacks a module", () => {
  test.each([
    ["import torch", "scripts/a.py, line 1"],
    ["import json\nfrom torch.nn import (\n  a,\n  b)", "line 2"],
    ["import json, torch as t", "line 1"],
    ["try:\n    import torch\nexcept ImportError as e:\n    print(e)\n    sys.exit(1)", "line 2"],
    ['if __name__ == "__main__":\n    import torch', "line 2"],
    ["x = [\n1,\n]\nimport torch", "line 4"],
  ])("with %j", (text, where) => {
    const script = only("scripts/a.py", text);
    expect(script?.runnable).toBe(false);
    expect(script?.reason).toContain('"torch"');
    expect(script?.reason).toContain(where);
  });

  test("through a module of its own, also through itself", () => {
    const scripts = scriptsOf({
      "scripts/a.py": "import b",
      "scripts/b.py": "import a\nfrom pkg import c",
      "scripts/pkg/__init__.py": "import torch",
      "scripts/pkg/c.py": "",
    });
    expect(scripts.map(({ path, runnable }) => [path, runnable])).toEqual([
      ["scripts/a.py", false],
      ["scripts/b.py", false],
      ["scripts/pkg/__init__.py", false],
      ["scripts/pkg/c.py", true],
    ]);
  });
});

describe("a shell script lacks nothing", () => {
  test.each([
    'helper() { echo "$1"; }\nhelper hi | sort',
    "function go { echo; }; go",
    "go () {\n  echo\n}\ngo",
    "cat <<'EOF'\nffmpeg is a program\nEOF",
    "# ffmpeg\necho ffmpeg 'ffmpeg; ffmpeg' \"ffmpeg\" # ffmpeg",
    'case "$1" in\n  ffmpeg|gimp) echo a;;\n  (*) echo b ;;\nesac',
    "for f in ffmpeg gimp; do echo $f; done",
    "if command -v ffmpeg >/dev/null 2>&1; then ffmpeg -i x; fi",
    'X=ffmpeg\n$X -i\n"$X" -i\n./ffmpeg\n"$DIR/ffmpeg"',
    "names=(ffmpeg gimp)\ndeclare -A m=([a]=ffmpeg)",
    "alias ffmpeg='echo'\nffmpeg",
    "while read -r l; do echo; done < <(sort x) >out 2>&1",
    "[[ $a == ffmpeg && -f x ]] && ((i++)) || true",
    `echo $((1 + 2)) $\{x:-ffmpeg} $'a\\'ffmpeg'`,
    ". ./lib.sh\nfrom_lib",
    "/usr/bin/env bash x\n/usr/bin/jq .",
  ])("with %j", (text) => {
    const script = only("scripts/a.sh", text, { "scripts/lib.sh": "from_lib() { :; }" });
    expect(script?.reason).toBeNull();
  });
});

describe("a shell script lacks a command", () => {
  test.each([
    'set -e\nffmpeg -i "$1" out.mp4',
    "x=$(ffmpeg -i x)",
    'echo "a `ffmpeg` b"',
    "echo | ffmpeg",
    "A=1 B=2 ffmpeg",
    "if ! ffmpeg; then echo; fi",
    "exec ffmpeg",
    "(cd x && ffmpeg)",
    "2>/dev/null ffmpeg",
    "case x in\n a) ffmpeg;;\nesac",
    "x() { ffmpeg; }",
    "diff <(ffmpeg) x || ffmpeg",
    "if ! command -v ffmpeg >/dev/null; then exit 1; fi\nffmpeg",
    "command -v ffmpeg >/dev/null || exit 1\nffmpeg",
    "cat <<EOF\nx\nEOF\nffmpeg",
    "/usr/bin/ffmpeg",
    "'ffmpeg' x",
  ])("with %j", (text) => {
    expect(only("scripts/a.sh", text, { "scripts/lib.sh": "" })?.runnable).toBe(false);
  });
});

describe("JavaScript", () => {
  test.each([
    'import fs from "node:fs";\nimport { join } from "path";\nconst p = require("fs/promises");',
    'import x from "./lib.js";',
    'const t = `\nimport x from "left-pad";\n`;',
    'import type { X } from "left-pad";',
    'async function f() {\n  await import("left-pad");\n}',
    '// import "left-pad"\n/*\nimport "left-pad";\n*/',
  ])("lacks nothing with %j", (text) => {
    expect(only("scripts/a.js", text, { "scripts/lib.js": "" })?.reason).toBeNull();
  });

  test.each([
    ['import pad from "left-pad";', "left-pad"],
    ['import {\n  a,\n  b,\n} from "@scope/pkg/sub";', "@scope/pkg"],
    ['import "left-pad";', "left-pad"],
    ['export * from "left-pad";', "left-pad"],
    ['const pad = require("left-pad");', "left-pad"],
    ['import x from "https://x.test/y.js";', "https://x.test/y.js"],
    ['import x from "./lib.js";', "left-pad"],
  ])("lacks a package with %j", (text, name) => {
    const script = only("scripts/a.js", text, { "scripts/lib.ts": 'import "left-pad";' });
    expect(script?.reason).toContain(`"${name}"`);
  });
});

describe("the description", () => {
  test.each([
    ["a.py", '#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n"""Counts words. Then stops."""', "Counts words."],
    ["a.py", "'''\nCounts words\nin a file.\n\nUsage: x\n'''", "Counts words in a file."],
    ["a.py", "# /// script\n# dependencies = []\n# ///\n# Counts words\nimport json", "Counts words"],
    [
      "a.py",
      '"""For readers."""\nimport argparse\np = argparse.ArgumentParser("x", description="Counts words. Fast.")',
      "Counts words.",
    ],
    ["a.py", '"""Counts words."""\nimport argparse\np = argparse.ArgumentParser(description=__doc__)', "Counts words."],
    ["a.py", "ArgumentParser(description='one')\nArgumentParser(description='two')", null],
    ["a.py", "import json\n# Counts words", null],
    ["a.sh", "#!/bin/bash\n# Copyright 2026 X\n#\n# Counts e.g. words.\nset -e", "Counts e.g. words."],
    ["a.sh", "#!/bin/bash\n# ----------\n# Counts words\n# ----------\n", "Counts words"],
    ["a.js", "#!/usr/bin/env node\n/**\n * Counts words.\n * @param x\n */", "Counts words."],
    ["a.js", "// eslint-disable-next-line\n// Counts words\n", "Counts words"],
    ["a.sh", "set -e", null],
  ])("of %s with %j", (name, text, description) => {
    expect(only(`scripts/${name}`, text)?.description).toBe(description);
  });
});

test.each(["$(", '"', "`", "${", "((", "case x in ", "cat <<A\n", "(", '"$(', "a=(", "$((", "a()", "if ", "\\"])(
  "a shell script of nothing but %j is read in time",
  { timeout: 5_000 },
  (piece) => {
    only("scripts/a.sh", piece.repeat(200_000 / piece.length));
  },
);

test.each(['"', "'''", "(", "import a\n", "  import a\n", "try:\n", "\\\n", "#"])(
  "a Python script of nothing but %j is read in time",
  { timeout: 5_000 },
  (piece) => {
    only("scripts/a.py", piece.repeat(200_000 / piece.length));
  },
);

test.each(['"', "`", "/*", "import a,\n", "export ", "import {a,", "const a "])(
  "JavaScript of nothing but %j is read in time",
  { timeout: 5_000 },
  (piece) => {
    only("scripts/a.js", piece.repeat(200_000 / piece.length));
  },
);

describe("JavaScript cannot wait for a program without letting go", () => {
  test.each([
    ['import { execSync } from "node:child_process";', "execSync", "await with promisify(exec)"],
    ['import { exec, execFileSync as run } from "child_process";', "execFileSync", "await with promisify(execFile)"],
    ['const { spawnSync: run } = require("child_process");', "spawnSync", "spawn, and its event close"],
    ['import fs from "fs";\nimport {\n  fork,\n} from "node:child_process";', "fork", "spawn"],
  ])("with %j", (text, name, instead) => {
    const script = only("scripts/a.mjs", text);
    expect(script?.runnable).toBe(false);
    expect(script?.reason).toMatch(`it uses ${name} of "`);
    expect(script?.reason).toContain(`use ${instead} (scripts/a.mjs, line `);
  });

  test.each([
    'import { exec, spawn } from "node:child_process";',
    'import * as child from "child_process"; // child.execSync',
    'import { execSync } from "./own.mjs";',
    'import type { execSync } from "node:child_process";',
    "const { exec } = require('child_process');",
  ])("and lacks nothing with %j", (text) => {
    expect(only("scripts/a.mjs", text, { "scripts/own.mjs": "export const execSync = 1;" })?.reason).toBeNull();
  });
});

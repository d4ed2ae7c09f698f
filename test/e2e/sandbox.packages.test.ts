/** Owns Python packages from a wheel to a run: chosen by what a skill imports or asks for, compiled, stored as blobs, imported. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalEdge, startEdge } from "../../scripts/local-edge.ts";
import { decodeIndex } from "../../src/bundle/index-format.ts";
import { decodeRecord } from "../../src/bundle/record-format.ts";
import type { RunResult } from "../../src/model/run.ts";
import { packSkills } from "../../src/pack/pack.ts";
import { PythonPackages } from "../../src/pack/python/packages.ts";

let directory: string;
let edge: LocalEdge;

const WHEELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Greeter_Kit-1.2-py3-none-any.whl": {
    "greeter/__init__.py":
      "from .words import HELLO\nimport lowest\ndef greet(name): return lowest.lower(f'{HELLO} {name}')\n",
    "greeter/words.py": "HELLO = 'Hello'\n",
    "greeter/data.txt": "data\n",
    "greeter/_fast.so": "no Python",
    "Greeter_Kit-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: Greeter_Kit\nVersion: 1.2\n",
    "Greeter_Kit-1.2.dist-info/RECORD": "",
  },
  "lowest-0.1-py3-none-any.whl": { "lowest.py": "def lower(text): return text.lower()\n" },
  "unused-0.1-py3-none-any.whl": { "unused.py": "raise SystemExit('imported')\n" },
};

const SKILLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  imports: {
    "scripts/main.py":
      "import greeter, importlib.metadata, importlib.resources, sys\n" +
      "print(greeter.greet('ADA'), importlib.metadata.version('greeter-kit'))\n" +
      "print(importlib.resources.files('greeter').joinpath('data.txt').read_text().strip(), greeter.__file__)\n" +
      "print(greeter.words.__cached__)\n",
    "scripts/shell.sh": "python3 -c 'import greeter; print(greeter.greet(\"SH\"))'\n",
  },
  asks: {
    "scripts/main.py":
      "# /// script\n# dependencies = ['lowest>=0.1']\n# ///\nimport importlib\nprint(importlib.import_module('lowest').lower('PEP'))\n",
  },
  lists: {
    "requirements.txt": "lowest==0.1\n",
    "scripts/main.py": "import importlib\nprint(importlib.import_module('lowest').lower('LIST'))\n",
  },
  compiled: {
    "scripts/main.py":
      "import importlib\nfor name in ('greeter._fast', 'numpy', '_ctypes', 'lzma', 'nowhere'):\n" +
      "    try: importlib.import_module(name)\n    except ImportError as error: print(type(error).__name__, error.name, error)\n" +
      "import importlib.util, greeter\nprint(importlib.util.find_spec('numpy'))\n",
  },
  none: { "scripts/main.py": "import os\nprint(os.path.exists('/usr/lib/python3.13/site-packages/lowest.py'))\n" },
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "packages-"));
  mkdirSync(join(directory, "wheels"));
  for (const [name, files] of Object.entries(WHEELS)) {
    const contents = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)]));
    writeFileSync(join(directory, "wheels", name), zipSync(contents));
  }
  for (const [name, files] of Object.entries(SKILLS)) {
    const manifest = `---\nname: ${name}\ndescription: Uses packages.\n---\n`;
    for (const [path, text] of Object.entries({ "SKILL.md": manifest, ...files })) {
      const file = join(directory, "skills", name, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  edge = await startEdge([
    join(directory, "skills"),
    "--state",
    join(directory, "state"),
    "--wheels",
    join(directory, "wheels"),
  ]);
});

afterAll(async () => {
  await edge?.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function run(skill: string, script = "main.py"): Promise<Pick<RunResult, "exit_code" | "stdout" | "stderr">> {
  const response = await fetch(`${edge.url}/v1/tools/run_skill_script`, {
    method: "POST",
    headers: { Authorization: `Bearer ${edge.token}` },
    body: JSON.stringify({ skill_name: skill, script_name: script }),
  });
  const answer = (await response.json()) as { readonly run?: RunResult };
  const { exit_code = null, stdout = "", stderr = JSON.stringify(answer) } = answer.run ?? {};
  return { exit_code, stdout, stderr };
}

test("skills are packed with the packages they use, each stored once, and are runnable", async () => {
  const packages = PythonPackages.open(join(directory, "wheels"));
  const { layers, skills } = await packSkills({ roots: [join(directory, "skills")] }, { packages });
  const [layer] = layers;
  const used = decodeIndex(layer?.index ?? new Uint8Array()).skills.map(({ name, record }) => {
    const own = decodeRecord(layer?.blobs.get(record) ?? new Uint8Array()).record;
    return [name, own.packages?.length ?? 0, own.scripts.every((script) => script.runnable)];
  });
  expect(used).toEqual([
    ["asks", 1, true],
    ["compiled", 2, true],
    ["imports", 2, true],
    ["lists", 1, true],
    ["none", 0, true],
  ]);
  expect(skills.flatMap((skill) => skill.diagnostics.map(({ code }) => code))).toEqual([]);
});

test("a skill's own digest says nothing of packages", async () => {
  const digests = [{}, { packages: PythonPackages.open(join(directory, "wheels")) }].map(async (options) => {
    const { layers } = await packSkills({ roots: [join(directory, "skills")] }, options);
    return decodeIndex(layers[0]?.index ?? new Uint8Array()).skills.map(({ digest }) => digest);
  });
  const [without, withSet] = await Promise.all(digests);
  expect(withSet).toEqual(without);
});

test.each([
  [
    "imports",
    "main.py",
    "hello ada 1.2\ndata /usr/lib/python3.13/site-packages/greeter/__init__.py\n" +
      "/usr/lib/python3.13/site-packages/greeter/__pycache__/words.cpython-313.pyc\n",
  ],
  ["imports", "shell.sh", "hello sh\n"],
  ["asks", "main.py", "pep\n"],
  ["lists", "main.py", "list\n"],
  [
    "compiled",
    "main.py",
    "ModuleNotFoundError greeter._fast No module named 'greeter._fast': it is compiled, and the sandbox runs packages of pure Python only\n" +
      "ModuleNotFoundError numpy No module named 'numpy': it has compiled parts, and the sandbox runs packages of pure Python only\n" +
      "ModuleNotFoundError _ctypes No module named '_ctypes': the sandbox runs no compiled code but Python's own, and has no terminal\n" +
      "ModuleNotFoundError _lzma No module named '_lzma': the sandbox runs no compiled code but Python's own, and has no terminal\n" +
      "ModuleNotFoundError nowhere No module named 'nowhere'\nNone\n",
  ],
  ["none", "main.py", "False\n"],
])("%s %s runs at the edge with what it asked for and nothing else", async (skill, script, stdout) => {
  expect(await run(skill, script)).toEqual({ exit_code: 0, stdout, stderr: "" });
});

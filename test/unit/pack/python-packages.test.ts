/** Python packages as part of the input: reading wheels, what is needed where, versions that go together, the lock. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SkillsError } from "../../../src/model/errors.ts";
import { checkLock, lockOf } from "../../../src/pack/python/lock.ts";
import { PackageIndex } from "../../../src/pack/python/package-index.ts";
import { PythonPackages } from "../../../src/pack/python/packages.ts";
import { appliesToSandbox, parseRequirement, requirementsIn } from "../../../src/pack/python/requirement.ts";
import { resolvePackages } from "../../../src/pack/python/resolve.ts";
import { openWheel } from "../../../src/pack/python/wheel.ts";
import { directoryOf } from "../../helpers/cli.ts";
import { serveSite } from "../../helpers/http-site.ts";
import { serveIndex, wheelBytes } from "../../helpers/wheels.ts";

const signal = new AbortController().signal;
const requirements = (...texts: string[]) => texts.flatMap((text) => parseRequirement(text) ?? []);

test.each([
  ["requests", { name: "requests", extras: [], versions: "", marker: "" }],
  ["Typing_Extensions >= 4.0, < 5", { name: "typing-extensions", extras: [], versions: ">=4.0,<5", marker: "" }],
  ["a[x, Y_z]~=1.2", { name: "a", extras: ["x", "y-z"], versions: "~=1.2", marker: "" }],
  ["b (>=1) ; extra == 'c'", { name: "b", extras: [], versions: ">=1", marker: "extra == 'c'" }],
  ["a @ https://example.test/a.whl", null],
  ["--hash=sha256:0", null],
  ["", null],
])("parseRequirement(%j)", (text, expected) => {
  expect(parseRequirement(text)).toEqual(expected);
});

test.each([
  ["", [], true],
  ["python_version < '3.8'", [], false],
  ["python_version >= '3.8' and python_version < '4'", [], true],
  ["python_version >= '3.10'", [], true],
  ["sys_platform == 'win32' or os_name == 'posix'", [], true],
  ["(sys_platform == 'win32' or os_name == 'nt') and python_version > '3'", [], false],
  ["extra == 'socks'", [], false],
  ["extra == 'socks'", ["socks"], true],
  ["platform_machine in 'x86_64 wasm32'", [], true],
  ["sys_platform not in 'win32 cygwin'", [], true],
  ["something_new == 'x'", [], true],
])("appliesToSandbox() of the marker %j with %j is %j", (marker, extras, expected) => {
  expect(appliesToSandbox({ name: "a", extras: [], versions: "", marker }, extras)).toBe(expected);
});

test("requirementsIn() reads the facts of a package, not its text", () => {
  const metadata = "Name: a\r\nRequires-Dist: b>=1\r\nrequires-dist: c; extra == 'd'\r\n\r\nRequires-Dist: e\r\n";
  expect(requirementsIn(metadata).map(({ name }) => name)).toEqual(["b", "c"]);
});

test("openWheel() keeps the pure part of a wheel, and says what it lets scripts import", () => {
  const wheel = openWheel(
    "Some_Kit-1.2.3-cp313-cp313-manylinux_2_17_x86_64.whl",
    wheelBytes({
      "kit/__init__.py": "",
      "kit/data.txt": "data",
      "kit/_fast.cpython-313-x86_64-linux-gnu.so": "no Python",
      "kit/__pycache__/a.cpython-313.pyc": "made elsewhere",
      "kit/tests/test_a.py": "",
      "Some_Kit-1.2.3.data/purelib/moved.py": "",
      "Some_Kit-1.2.3.data/scripts/tool": "",
    }),
  );
  const { name, version, modules, hasCompiledParts } = wheel;
  expect({ name, version, modules, hasCompiledParts, files: [...wheel.files().keys()].sort() }).toEqual({
    name: "some-kit",
    version: "1.2.3",
    modules: ["kit", "moved"],
    hasCompiledParts: true,
    files: ["kit/__init__.py", "kit/_fast.py", "kit/data.txt", "moved.py", "x.dist-info/METADATA"],
  });
});

test.each([
  ["a.whl", wheelBytes({}), /its name is not that of a wheel/],
  ["a-1-py3-none-any.whl", new Uint8Array([1, 2, 3]), /it cannot be read/],
  ["a-1-py3-none-any.whl", wheelBytes({ "../up.py": "" }), /it holds the path "\.\.\/up\.py"/],
])("openWheel() refuses %s", (file, bytes, message) => {
  expect(() => openWheel(file, bytes)).toThrow(
    expect.objectContaining({ code: "packages-invalid", message: expect.stringMatching(message) }),
  );
});

test("PythonPackages.needed() follows what packages state and import, and nothing else", () => {
  const directory = directoryOf({});
  mkdirSync(join(directory, "wheels"));
  for (const [file, bytes] of Object.entries({
    "top-1-py3-none-any.whl": wheelBytes({ "top.py": "def f():\n    import low\n" }, [
      "stated>=1",
      "other; sys_platform == 'win32'",
    ]),
    "low-1-py3-none-any.whl": wheelBytes({ "low.py": "" }),
    "stated-1-py3-none-any.whl": wheelBytes({ "stated.py": "" }),
    "other-1-py3-none-any.whl": wheelBytes({ "other.py": "" }),
  })) {
    writeFileSync(join(directory, "wheels", file), bytes);
  }
  const packages = PythonPackages.open(join(directory, "wheels"));
  const text = (source: string) => new Map([["scripts/a.py", new TextEncoder().encode(source)]]);
  expect(packages.needed(text("import top")).map(({ name }) => name)).toEqual(["low", "stated", "top"]);
  expect(packages.needed(text("import json")).map(({ name }) => name)).toEqual([]);
  expect([...packages.modules].sort()).toEqual(["low", "other", "stated", "top"]);
});

test("PythonPackages.layerOf() makes the same bytes of the same wheel", async () => {
  const wheel = openWheel("a-1-py3-none-any.whl", wheelBytes({ "a/__init__.py": "x = 1\n", "a/odd.py": "def (\n" }));
  const [first, second] = [new PythonPackages([wheel]), new PythonPackages([wheel])];
  const [one, two] = [await first.layerOf(wheel), await second.layerOf(wheel)];
  expect(two[0]).toBe(one[0]);
  expect(Buffer.from(two[1]).equals(one[1])).toBe(true);
});

test("PythonPackages refuses two wheels of one package, and a directory that is not there", () => {
  const [one, two] = [
    openWheel("a-1-py3-none-any.whl", wheelBytes({ "a.py": "" })),
    openWheel("A-2-py3-none-any.whl", wheelBytes({ "a.py": "" })),
  ];
  expect(() => new PythonPackages([one, two])).toThrow(/Cannot use both/);
  expect(() => PythonPackages.open("/nowhere/wheels")).toThrow(expect.objectContaining({ code: "directory-missing" }));
});

test("checkLock() names every wheel that is missing, changed, of another version or not locked", () => {
  const wheel = (file: string, source = "") => openWheel(file, wheelBytes({ "m.py": source }));
  const lock = lockOf([
    wheel("same-1-py3-none-any.whl"),
    wheel("changed-1-py3-none-any.whl"),
    wheel("newer-1-py3-none-any.whl"),
    wheel("gone-1-py3-none-any.whl"),
  ]);
  const now = [
    wheel("same-1-py3-none-any.whl"),
    wheel("changed-1-py3-none-any.whl", "import os\n"),
    wheel("newer-2-py3-none-any.whl"),
    wheel("extra-1-py3-none-any.whl"),
  ];
  expect(() => checkLock(now, lock, "/some/edge-skills.lock")).toThrow(
    expect.objectContaining({
      code: "packages-invalid",
      message: expect.stringMatching(
        /^The wheels are not those of edge-skills\.lock: changed-1\S+ has the digest sha256:\w+, not sha256:\w+; gone 1 is missing; newer is 2, not 1; extra-1\S+ is not locked$/,
      ),
    }),
  );
  expect(() => checkLock(now.slice(0, 1), lockOf(now.slice(0, 1)), "x")).not.toThrow();
});

const W = (needs: readonly string[] = []) => ({ bytes: wheelBytes({ "m.py": "" }, needs) });

test("resolvePackages() takes the newest versions that all agree to, also when a later need changes an earlier choice", async () => {
  const { index } = await serveIndex({
    "app-1.0-py3-none-any.whl": W(["lib", "tool[fast]>=1", "windows; sys_platform == 'win32'"]),
    "lib-1.0-py3-none-any.whl": W(),
    "lib-2.0-py3-none-any.whl": W(["only-of-lib-2"]),
    "lib-3.0rc1-py3-none-any.whl": W(),
    "only_of_lib_2-1-py3-none-any.whl": W(),
    "tool-1.5-py3-none-any.whl": W(["lib<2", "speed; extra == 'fast'", "slow; extra == 'slow'"]),
    "tool-1.6-py3-none-any.whl": { ...W(), yanked: "broken" },
    "tool-1.7-py3-none-any.whl": { ...W(), python: ">=3.14" },
    "speed-1-cp313-cp313-win_amd64.whl": W(),
    "speed-1-cp313-cp313-manylinux_2_17_x86_64.whl": W(),
    "speed-1-py3-none-any.whl": W(),
  });
  const resolved = await resolvePackages(requirements("app"), new PackageIndex(index, signal));
  expect(resolved.map(({ wheel }) => wheel.file).sort()).toEqual([
    "app-1.0-py3-none-any.whl",
    "lib-1.0-py3-none-any.whl",
    "speed-1-py3-none-any.whl",
    "tool-1.5-py3-none-any.whl",
  ]);
});

test.each([
  ["a package that is not there", ["nowhere"], /has no "nowhere"/],
  [
    "versions that cannot be",
    ["app", "lib>1"],
    /"lib" for Python 3\.13 and >1 \(you\), <2 \(app 1\.0\); the index has 2\.0, 1\.0/,
  ],
  ["wheels for other systems only", ["native"], /"native" for Python 3\.13 and any version; the index has none/],
  [
    "a wheel that was changed on its way",
    ["changed"],
    /"changed-1-py3-none-any\.whl" has the digest sha256:\w+, not sha256:0{64}/,
  ],
])("resolvePackages() refuses %s", async (_, names, message) => {
  const { index } = await serveIndex({
    "app-1.0-py3-none-any.whl": W(["lib<2"]),
    "lib-1.0-py3-none-any.whl": W(),
    "lib-2.0-py3-none-any.whl": W(),
    "native-1-cp313-cp313-win_amd64.whl": W(),
    "changed-1-py3-none-any.whl": { ...W(), sha256: "0".repeat(64) },
  });
  const failure = await resolvePackages(requirements(...names), new PackageIndex(index, signal)).catch(
    (error) => error,
  );
  expect(SkillsError.is(failure) && { code: failure.code, message: failure.message }).toEqual({
    code: "packages-invalid",
    message: expect.stringMatching(message),
  });
});

test("a requirement of blanks or letters without end is read in one go, and is none", () => {
  for (const text of [`a${" ".repeat(200_000)}@`, `${"a".repeat(200_000)}@`, `a; ${"(".repeat(200_000)}`]) {
    expect(parseRequirement(text)).toBeNull();
  }
});

test("openWheel() refuses a wheel that promises more than it should unpack to", () => {
  const bytes = wheelBytes({ "kit/__init__.py": "x = 1\n" });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = Array.from(bytes.keys()).find((i) => i + 4 <= bytes.length && view.getUint32(i, true) === 0x02014b50) ?? 0;
  view.setUint32(at + 24, 0xfffffff0, true);
  expect(() => openWheel("kit-1-py3-none-any.whl", bytes)).toThrow("it unpacks to over 268435456 bytes or 50000 files");
});

test("openWheel() refuses a wheel in which a path comes twice", () => {
  const bytes = wheelBytes({ "kit/a.py": "1", "kit/b.py": "2" });
  const text = Buffer.from(bytes).toString("latin1").replaceAll("kit/b.py", "kit/a.py");
  expect(() => openWheel("kit-1-py3-none-any.whl", Buffer.from(text, "latin1"))).toThrow("it holds a path twice");
});

test("an index that lists another package's wheel offers none", async () => {
  const files = [{ filename: "evil-9-py3-none-any.whl", url: "evil-9-py3-none-any.whl", hashes: {} }];
  const url = await serveSite(() => Response.json({ files }));
  expect(await new PackageIndex(`${url}/simple`, signal).wheelsOf("kit")).toEqual([]);
});

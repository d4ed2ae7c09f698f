/** Scripts that do not compile, in each language: a diagnostic with file and line, and the skill is served all the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { PythonSyntax } from "../../../src/pack/python/syntax.ts";
import { shellFault } from "../../../src/pack/shell-syntax.ts";
import { fidelityScripts } from "../../fidelity/scripts.ts";
import { cliJson, directoryOf, skillMd } from "../../helpers/cli.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What `check` and `pack` say of one skill's scripts; both say the same. */
async function said(files: Readonly<Record<string, string>>): Promise<unknown> {
  const cwd = directoryOf({
    "skills/a/SKILL.md": skillMd("a"),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`skills/a/${path}`, text])),
  });
  const [check, pack] = [
    await cliJson(["check", "skills"], { cwd }),
    await cliJson(["pack", "skills", "-o", "out"], { cwd }),
  ].map(({ status, document }) => {
    const { skills } = document as { skills: { ok: boolean; diagnostics: Record<string, unknown>[] }[] };
    const [{ ok, diagnostics }] = skills as [(typeof skills)[number]];
    return { status, ok, diagnostics: diagnostics.map(({ code, file, line, message }) => [code, file, line, message]) };
  });
  expect(pack).toEqual(check);
  return check;
}

const NOT_RUNNABLE = "script-not-runnable";

test.each([
  [
    "Python",
    { "scripts/a.py": "import json\nif json:\nprint(1)\n" },
    [
      "scripts/a.py",
      3,
      "The script cannot run here: it does not compile: expected an indented block after 'if' statement on line 2 (scripts/a.py, line 3)",
    ],
  ],
  [
    "Python of the last decade",
    { "scripts/a.py": '"""Says a."""\nprint "a"\n' },
    ["scripts/a.py", 2, expect.stringContaining("Missing parentheses in call to 'print'")],
  ],
  [
    "Python that returns from nowhere",
    { "scripts/a.py": "x = 1\nreturn x\n" },
    ["scripts/a.py", 2, expect.stringContaining("'return' outside function")],
  ],
  [
    "JavaScript",
    { "scripts/a.js": "const a = 1;\nconst b = ;\n" },
    ["scripts/a.js", 2, 'The script cannot run here: it does not compile: Unexpected ";" (scripts/a.js, line 2)'],
  ],
  [
    "TypeScript",
    { "scripts/a.ts": "const x: = 1;\n" },
    ["scripts/a.ts", 1, expect.stringMatching(/does not compile: .*\(scripts\/a\.ts, line 1\)/)],
  ],
  [
    "a module that TypeScript imports",
    {
      "scripts/a.ts": 'import { b } from "../lib/b.ts";\nconsole.log(b);\n',
      "lib/b.ts": "export const a = 1;\nexport const b = ;\n",
    },
    ["lib/b.ts", 2, 'The script scripts/a.ts cannot run here: it does not compile: Unexpected ";" (lib/b.ts, line 2)'],
  ],
  [
    "Python that lacks a module",
    { "scripts/a.py": "import json\nimport lib\n", "scripts/lib.py": "\n\nimport torch\n" },
    [
      "scripts/lib.py",
      3,
      expect.stringContaining('The script scripts/a.py cannot run here: it imports the Python module "torch"'),
    ],
  ],
  [
    "a shell script",
    { "scripts/a.sh": "#!/bin/bash\r\nset -e\r\nif [ -f x ]; then\r\n  cat x\r\n" },
    [
      "scripts/a.sh",
      5,
      "The script cannot run here: it does not compile: expected `fi', got the end (scripts/a.sh, line 5)",
    ],
  ],
  [
    "a quote that a shell script leaves open",
    { "scripts/a.sh": "echo 'a\nb\n" },
    ["scripts/a.sh", 1, expect.stringContaining("unexpected EOF while looking for matching `''")],
  ],
  [
    "a substitution of a shell script",
    { "scripts/a.sh": "\n\nx=$(for)\n" },
    ["scripts/a.sh", undefined, expect.stringMatching(/, in a substitution \(scripts\/a\.sh\)$/)],
  ],
  [
    "a shell script with a bracket too many",
    { "scripts/a.sh": "a() {\n  echo 1\n}\n}\n" },
    ["scripts/a.sh", undefined, expect.stringContaining("syntax error near unexpected token `}'")],
  ],
  [
    "what the sandbox's shell does not have",
    { "scripts/a.sh": "echo 1\nselect x in a b; do echo $x; done\n" },
    ["scripts/a.sh", 2, expect.stringContaining("the sandbox's shell has no `select'")],
  ],
  [
    "a shell script that lacks a command",
    { "scripts/a.sh": "set -e\nffmpeg -i x\n" },
    ["scripts/a.sh", 2, expect.stringContaining('"ffmpeg"')],
  ],
])("%s is told with file and line", async (_, files, [file, line, message]) => {
  const outcome = (await said(files)) as { diagnostics: unknown[] };
  expect(outcome).toEqual({
    status: 0,
    ok: true,
    diagnostics: expect.arrayContaining([[NOT_RUNNABLE, file, line, message]]),
  });
});

test("Python that compiles, in every dress, is not told", async () => {
  expect(
    await said({
      "scripts/new.py": 'type A[T] = list[T]\nmatch 1:\n    case int(x) if x:\n        print(f"{x!r:>{2}} {"a"}")\n',
      "scripts/latin.py": "# -*- coding: utf-8 -*-\nprint('é')\n",
      "scripts/bom.py": "\ufeffprint(1)\n",
      "scripts/warns.py": "print('\\d')\n",
      "scripts/empty.py": "",
    }),
  ).toEqual({ status: 0, ok: true, diagnostics: [] });
});

test("shell scripts as people write them are not told", async () => {
  // Those that differ from native runs are there to show what the sandbox lacks.
  const scripts = fidelityScripts().filter(({ runtime, name }) => runtime === "bash" && !name.startsWith("differs-"));
  const { diagnostics } = (await said(
    Object.fromEntries(scripts.map(({ name, source }) => [`scripts/${name}`, source])),
  )) as { diagnostics: [string, string, number, string][] };
  expect(scripts.length).toBeGreaterThan(50);
  expect(diagnostics.filter(([, , , message]) => message.includes("does not compile"))).toEqual([]);
});

test("shellFault() ends with any bytes, and with words", async () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 40 }).map(encode),
    fc
      .constantFrom(
        "$(",
        "`",
        "if ",
        "then\n",
        "case x in ",
        "((",
        "[[ ",
        "<<E\n",
        "${x:-",
        "'",
        '"',
        "{ ",
        "f() ",
        "&& ",
      )
      .map(encode),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (parts) => {
      const fault = await shellFault(Buffer.concat(parts));
      expect(fault?.message).not.toBe("");
    }),
  );
  for (const text of ["$(", "((", "{ ", "if ", "${x:-", "[[ a && ", "<<E\n"]) {
    await shellFault(encode(text.repeat(20_000)));
  }
});

test("PythonSyntax tells the faults of many sources apart, whatever they hold", { timeout: 60_000 }, async () => {
  const sources = [
    "x = 1\n",
    "x = \n",
    "(".repeat(100_000),
    "a\0b",
    `${"(".repeat(150)}1${")".repeat(150)}`,
    "é = 'ü' +",
    "-".repeat(90_000),
  ];
  const syntax = new PythonSyntax<number>();
  for (const [at, source] of sources.entries()) {
    syntax.add(at, { path: "a.py", bytes: encode(source) });
  }
  const faults = await syntax.faults();
  expect([...faults.keys()].filter((at) => at < 6)).toEqual([1, 2, 3, 5]);
  expect(faults.get(1)?.get("a.py")).toEqual({ message: "invalid syntax", line: 1 });
});

test("PythonSyntax ends with any bytes", { timeout: 60_000 }, async () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.string({ unit: "binary", maxLength: 40 }).map(encode),
    fc
      .constantFrom("def f(", "\tif x:", "'''", "\\\n", "f'{", "async ", "# -*- coding: nope -*-\n", "match x:\n")
      .map(encode),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(piece, { maxLength: 6 }), { maxLength: 40 }), async (sources) => {
      const syntax = new PythonSyntax<number>();
      for (const [at, parts] of sources.entries()) {
        syntax.add(at, { path: "a.py", bytes: Buffer.concat(parts) });
      }
      for (const fault of [...(await syntax.faults()).values()].flatMap((files) => [...files.values()])) {
        expect(fault.message).not.toBe("");
      }
    }),
    { numRuns: 15 },
  );
});

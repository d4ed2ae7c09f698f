/** The schema of a script's arguments: declared, read from argparse or parseArgs, or any words. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSkill } from "../../../src/check/check-skill.ts";
import { scriptParameters } from "../../../src/check/script-parameters.ts";
import { argumentsToWords } from "../../../src/model/arguments.ts";
import type { JsonObject } from "../../../src/model/record.ts";
import { textSkill } from "../../helpers/skill-files.ts";

const ANY_WORDS = { type: "array", items: { type: "string" } };
const none = () => null;
const python = (...lines: string[]) =>
  scriptParameters(
    "scripts/a.py",
    ["import argparse", "p = argparse.ArgumentParser()", ...lines].join("\n"),
    "python",
    none,
  );
const javaScript = (config: string, before = "") =>
  scriptParameters(
    "scripts/a.ts",
    `import { parseArgs } from "node:util";\n${before}\nparseArgs(${config});`,
    "javascript",
    none,
  );
const object = (properties: JsonObject, more: JsonObject = {}) => ({
  type: "object",
  properties,
  ...more,
  additionalProperties: false,
});

describe("argparse", () => {
  test.each<[string, string, JsonObject]>([
    ["a text", 'p.add_argument("--name", help="whom")', object({ name: { type: "string", description: "whom" } })],
    [
      "a whole number",
      "p.add_argument('--count', '-c', type=int, default=3)",
      object({ count: { type: "integer", default: 3 } }),
    ],
    [
      "a number",
      'p.add_argument("--rate", type=float, default=-0.5)',
      object({ rate: { type: "number", default: -0.5 } }),
    ],
    [
      "a type of its own",
      'p.add_argument("--day", type=a_date, default=date.today())',
      object({ day: { type: "string" } }),
    ],
    ["a switch", 'p.add_argument("--dry-run", action="store_true")', object({ "dry-run": { type: "boolean" } })],
    ["a counted switch", 'p.add_argument("-v", action="count", default=0)', object({ v: { type: "boolean" } })],
    [
      "both ways",
      'p.add_argument("--color", action=argparse.BooleanOptionalAction)',
      object({ color: { type: "boolean" }, "no-color": { type: "boolean" } }),
    ],
    ["choices", 'p.add_argument("--to", choices=("a", "b"))', object({ to: { type: "string", enum: ["a", "b"] } })],
    [
      "several times",
      'p.add_argument("--tag", action="append", type=int)',
      object({ tag: { type: "array", items: { type: "integer" } } }),
    ],
    [
      "with or without a value",
      'p.add_argument("--list", nargs="?")',
      object({ list: { anyOf: [{ type: "string" }, { type: "boolean" }] } }),
    ],
    [
      "required",
      'p.add_argument("--x", "--xx", required=True)',
      object({ xx: { type: "string" } }, { required: ["xx"] }),
    ],
    ["under the hyphenated name it has first", 'p.add_argument("--a_b", "--a-b")', object({ a_b: { type: "string" } })],
    [
      "a help text in parts",
      'p.add_argument("--n", help="a %(metavar)s "\n  r"of 5%%, %(default)s", metavar="N", default="x")',
      ANY_WORDS,
    ],
    [
      "a help text with its placeholders",
      'p.add_argument("--size", help="a %(metavar)s "\n  r"of 5%%, %(default)s", metavar="N", default="x")',
      object({ size: { type: "string", default: "x", description: "a N of 5%, x" } }),
    ],
    [
      "a secret switch and a version",
      'p.add_argument("--a1", help=argparse.SUPPRESS)\np.add_argument("--version", action="version")',
      object({}),
    ],
    ["a group's", 'g = p.add_mutually_exclusive_group()\ng.add_argument("--aa")', object({ aa: { type: "string" } })],
    [
      "lines with comments",
      'p.add_argument(  # first\n  "--aa",  # name\n  type=int,\n)',
      object({ aa: { type: "integer" } }),
    ],
    [
      "any number of words behind one flag",
      'p.add_argument("--aa", nargs="*", type=int, default=[1, 2], help="which")',
      object({
        aa: { type: "array", items: { type: "integer" }, default: [1, 2], "x-flag": "once", description: "which" },
      }),
    ],
    [
      "some words behind one flag",
      'p.add_argument("--aa", nargs="+", required=True, choices=["x", "y"])',
      object(
        { aa: { type: "array", items: { type: "string", enum: ["x", "y"] }, minItems: 1, "x-flag": "once" } },
        { required: ["aa"] },
      ),
    ],
    [
      "two words behind one flag",
      'p.add_argument("--aa", nargs=2)',
      object({ aa: { type: "array", items: { type: "string" }, minItems: 2, maxItems: 2, "x-flag": "once" } }),
    ],
    ["one word in a list", 'p.add_argument("--aa", nargs=1)', object({ aa: { type: "string" } })],
    [
      "words that add up",
      'p.add_argument("--aa", nargs="+", action="extend")',
      object({ aa: { type: "array", items: { type: "string" }, minItems: 1 } }),
    ],
    ["lists of lists, which an object cannot say", 'p.add_argument("--aa", nargs=2, action="append")', object({})],
    [
      "all words that follow, which an object cannot say",
      'p.add_argument("--aa", nargs=argparse.REMAINDER)',
      object({}),
    ],
    ["a number of words that is not known", 'p.add_argument("--aa", nargs=HOW_MANY)', object({})],
  ])("reads %s", (_, line, schema) => {
    expect(python(line)).toEqual(line.includes('"--n"') ? object({}) : schema);
  });

  test("reads places for words", () => {
    expect(
      python('p.add_argument("input", help="a file")', 'p.add_argument("rest", nargs="*")', 'p.add_argument("--out")'),
    ).toEqual(
      object(
        {
          out: { type: "string" },
          args: { type: "array", items: { type: "string" }, minItems: 1, description: "input: a file; rest" },
        },
        { required: ["args"] },
      ),
    );
    expect(
      python('p.add_argument("a", nargs=2)', 'p.add_argument("b", nargs="?")', 'p.add_argument("--args")'),
    ).toEqual(
      object(
        {
          args: { type: "string" },
          _: { type: "array", items: { type: "string" }, minItems: 2, maxItems: 3, description: "a; b" },
        },
        { required: ["_"] },
      ),
    );
  });

  test("tells what a place takes, in order", () => {
    expect(python('p.add_argument("mode", choices=["fast", "slow"], help="how")', 'p.add_argument("input")')).toEqual(
      object(
        {
          args: {
            type: "array",
            items: { type: "string" },
            minItems: 2,
            maxItems: 2,
            description: "mode: how; one of fast, slow; input",
          },
        },
        { required: ["args"] },
      ),
    );
  });

  test.each([
    ["commands", 's = p.add_subparsers()\ns.add_parser("x").add_argument("--y")'],
    ["two parsers", 'q = argparse.ArgumentParser()\nq.add_argument("--yy")'],
    ["names from a variable", "for n in names:\n  p.add_argument(n)"],
    ["arguments from a variable", 'p.add_argument("--yy", **common)'],
    ["an f-string", 'p.add_argument(f"--{x}")'],
    ["required lists of lists", 'p.add_argument("--yy", nargs=2, action="append", required=True)'],
    ["the same option twice", 'p.add_argument("--yy")\np.add_argument("--yy")'],
    ["calls in a text", 'TEXT = """\np.add_argument("--yy")\n"""\nq.add_argument(x)'],
  ])("leaves %s to words", (_, lines) => {
    expect(python(lines)).toEqual(ANY_WORDS);
  });

  test("does not take comments and texts for calls", () => {
    expect(python('# p.add_argument("--no")', "x = 'p.add_argument(\"--no\")'", 'p.add_argument("--yes")')).toEqual(
      object({ yes: { type: "string" } }),
    );
  });
});

describe("parseArgs", () => {
  test.each<[string, string, string, JsonObject]>([
    [
      "options",
      '{ options: { name: { type: "string", default: "x" }, "dry-run": { type: "boolean", short: "d" } } }',
      "",
      object({ name: { type: "string", default: "x" }, "dry-run": { type: "boolean" } }),
    ],
    [
      "options under a name",
      "{ args: process.argv.slice(2), options, allowPositionals: true }",
      "const options = { tag: { type: 'string', multiple: true } } as const;",
      object({
        tag: { type: "array", items: { type: "string" } },
        args: { type: "array", items: { type: "string" }, description: "words" },
      }),
    ],
    [
      "options that are spread",
      "{ options: { ...common, help: flag } }",
      "const flag = { type: 'boolean' } as const; // one\nconst common: Options = { out: { type: `string` } } satisfies Options;",
      object({ out: { type: "string" }, help: { type: "boolean" } }),
    ],
    ["no options", "{ options: {} }", "", object({})],
  ])("reads %s", (_, config, before, schema) => {
    expect(javaScript(config, before)).toEqual(schema);
  });

  test("says when it takes more than it names", () => {
    expect(javaScript('{ options: { aa: { type: "string" } }, strict: false }')).toEqual({
      type: "object",
      properties: { aa: { type: "string" }, args: { type: "array", items: { type: "string" }, description: "words" } },
      additionalProperties: true,
    });
  });

  test.each([
    ["options that a function makes", "{ options: make() }", ""],
    ["options it cannot read whole", "{ options: { ...make(), aa: { type: 'string' } } }", ""],
    ["computed names", "{ options: { [name]: { type: 'string' } } }", ""],
    ["a long option of one character", "{ options: { x: { type: 'string' } } }", ""],
    ["two calls", "{ options: {} }", "parseArgs({ options: {} });"],
    ["a name that leads to itself", "{ options: a }", "const a = { ...a };"],
  ])("leaves %s to words", (_, config, before) => {
    expect(javaScript(config, before)).toEqual(ANY_WORDS);
  });
});

describe("a declared schema", () => {
  const files = (schema: string) => ({
    "SKILL.md": "---\nname: x\ndescription: x\n---\n",
    "scripts/a.sh": "echo",
    "scripts/a.parameters.json": schema,
  });
  const parametersWith = (schema: string) =>
    checkSkill(...textSkill("x", files(schema))).skill?.scripts.map(({ parameters }) => parameters);

  test("counts before all else", () => {
    const schema = { type: "object", properties: { day: { type: "string", format: "date" } } };
    expect(parametersWith(JSON.stringify(schema))).toEqual([schema]);
  });

  test.each(["", "[1]", '"text"', '{"type":"string"}', "{}", "null"])("of %j is none", (schema) => {
    expect(parametersWith(schema)).toEqual([ANY_WORDS]);
  });
});

describe("any text", () => {
  const parts = fc.array(
    fc.constantFrom(
      "import argparse\n",
      "ArgumentParser(",
      "p.add_argument(",
      '"--a"',
      "'b",
      '"""',
      ")",
      "(",
      "[",
      "{",
      "}",
      "]",
      ",",
      "=",
      "*",
      "#",
      "\n",
      "\\",
      "type=int",
      "choices=",
      "nargs=",
      "help=",
      'import { parseArgs } from "node:util";',
      "parseArgs(",
      "options",
      ":",
      "const options = ",
      "...",
      "`",
      "//",
      "/*",
    ),
    { maxLength: 40 },
  );

  test("gives a schema whose keys the mapping of arguments takes", () => {
    fc.assert(
      fc.property(parts, fc.constantFrom("python" as const, "javascript" as const), (made, runtime) => {
        const schema = scriptParameters("scripts/a", made.join(""), runtime, none);
        const keys = Object.keys((schema.properties ?? {}) as JsonObject);
        expect(argumentsToWords(Object.fromEntries(keys.map((key) => [key, null])))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(["p.add_argument(", "(", "'a' ", "x.", "parseArgs({a:", "const a=a;", "...a,", "[", "\\", "/*"])(
    "of many times %j is read in time",
    (part) => {
      const text = `import argparse\nargparse.ArgumentParser()\nadd_argument\nimport { parseArgs } from "node:util";parseArgs({options:`;
      const began = performance.now();
      scriptParameters("scripts/a", text + part.repeat(20_000), "python", none);
      scriptParameters("scripts/a", text + part.repeat(20_000), "javascript", none);
      expect(performance.now() - began).toBeLessThan(2_000);
    },
  );
});
